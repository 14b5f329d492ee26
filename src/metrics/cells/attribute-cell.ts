/** A sensitive attribute of every record, graded on any rows. */
import type { AttributeClaim } from '../../attacks/claim.js'
import { columnAt } from '../../numeric/linalg/matrix.js'
import type { Sensitive } from '../../transcript/knowledge-file.js'
import { columnsOfAttribute, levelsOf } from '../attribute-levels.js'
import { probabilities } from '../categories.js'
import { type Asked, needed } from '../grading.js'
import { finiteNumbers, places } from '../number-lists.js'
import { categoryCell, claimedScore } from './category-cell.js'
import type { Gradable } from './gradable.js'
import { numberCell } from './number-cell.js'

/** The attribute as it truly is: places in `values`, or encoded numbers. */
export type TrueAttribute =
  | { readonly kind: 'levels'; readonly sensitive: Levelled; readonly truth: Int32Array }
  | { readonly kind: 'numbers'; readonly sensitive: Sensitive; readonly truth: Float64Array }

export type Levelled = Extract<Sensitive, { readonly kind: 'binary' | 'categorical' }>

export function trueAttribute(name: string, { table, known }: Asked): TrueAttribute {
  const [sensitive] = needed([`sensitive.${name}`, known.sensitive?.find((one) => one.name === name)])
  const [columns] = needed([`records.${name}`, columnsOfAttribute(table, sensitive)])
  if (sensitive.kind === 'continuous') {
    return { kind: 'numbers', sensitive, truth: columnAt(table.features, columns[0]!) }
  }
  return { kind: 'levels', sensitive, truth: levelsOf(table, columns, sensitive.values) }
}

export function attributeCell(claim: AttributeClaim, asked: Asked): Gradable {
  const own = trueAttribute(claim.name, asked)
  const n = own.truth.length
  const values = finiteNumbers(claim.values, 'values', n)
  if (own.kind === 'numbers') return numberCell(values, own.truth)
  const levels = own.sensitive.values.length
  const claimed = places(values, 'values', levels)
  const sure = claim.confidence === undefined ? new Float64Array(n).fill(1) : probabilities(claim.confidence, n)
  return categoryCell({ claimed, truth: own.truth, levels, sure, score: claimedScore(claimed, sure, levels) })
}
