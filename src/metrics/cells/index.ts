/** Which cell grades a claim of which kind: the same claim on trained, held-back or any other rows. */
import type { Claim, ClaimKind, ClaimOf, OwnClaim } from '../../attacks/claim.js'
import { find } from '../../registry.js'
import { type Asked, lacks, type Metric, orMissing } from '../grading.js'
import { metrics } from '../index.js'
import type { Missing } from '../score.js'
import { attributeCell } from './attribute-cell.js'
import { labelCountsCell, metaclassCountsCell } from './counts-cell.js'
import type { Gradable } from './gradable.js'
import { labelsCell } from './labels-cell.js'
import { meanCell, metaclassMeansCell } from './means-cell.js'
import { membersCell } from './members-cell.js'
import { modelCell } from './model-cell.js'
import { recordsCell } from './records-cell.js'

type Cells = { readonly [K in ClaimKind]: (claim: ClaimOf<K>, asked: Asked) => Gradable }

/** Claims about clients are graded over clients: client-cells.ts. */
const ofClients = (): never => lacks('records: the claim is about clients')

const cells: Cells = {
  model: modelCell,
  attribute: attributeCell,
  label: meanCell,
  'label-mean': meanCell,
  'metaclass-means': metaclassMeansCell,
  'metaclass-counts': metaclassCountsCell,
  labels: labelsCell,
  'label-counts': labelCountsCell,
  records: recordsCell,
  members: membersCell,
  property: ofClients,
  contribution: ofClients,
  participation: ofClients,
  protocol: () => lacks('records: the claim is about the training'),
}

/** Makes a claim ready to be graded on any of the rows; where a key of the truth is missing, it is named. */
export function gradable(claim: Claim | OwnClaim, asked: Asked): Gradable | Missing {
  return orMissing(() => {
    if (Object.hasOwn(cells, claim.kind)) return cells[claim.kind as ClaimKind](claim as never, asked)
    const { cell } = find<Metric>(metrics as unknown as Record<string, Metric>, claim.kind)
    return cell === undefined ? lacks(`metric.${claim.kind}.cell`) : cell(claim as OwnClaim, asked)
  })
}
