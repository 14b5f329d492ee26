/** The mean label of each metaclass in a batch, its numbers of records known or guessed first. */
import { OverhearError } from '../../../errors.js'
import { meanOf, totalOf } from '../../../numeric/special/summaries.js'
import { choice, number, type ValuesOf } from '../../../params.js'
import type { View } from '../../../threat/granted-keys.js'
import { type Claimed, type Context, claimed, type Detail, defineAttack, Inapplicable } from '../../attack.js'
import { believing } from '../../shared/believing.js'
import { requireRecords } from './mean-gradient.js'
import {
  auxiliaryLabels,
  type BatchView,
  batchNeeds,
  batchParams,
  batchUses,
  type RegressionBatch,
  regressionBatch,
} from './metaclass-batch.js'
import { conditionOf, curveShown } from './metaclass-solvers.js'
import { plantedMeans, shuffledGradient } from './regression-controls.js'
import { equationsOf, type Found, type System, solvedMeans } from './solved-means.js'

const meansParams = {
  ...batchParams,
  solver: choice({
    default: 'prior',
    choices: ['pinv', 'tsvd', 'tikhonov', 'prior'],
    doc: 'the published pseudo-inverse, truncated SVD or Tikhonov; or a prior whose sizes the gradient tells',
  }),
  counts: choice({
    default: 'auto',
    choices: ['auto', 'known', 'attack', 'auxiliary'],
    doc: 'records per metaclass: known, from metaclass-counts, or by the auxiliary shares; auto: known where they are, else the attack',
  }),
  labels: choice({
    default: 'use',
    choices: ['use', 'ignore'],
    doc: 'prior: whether it starts from the auxiliary labels where there are some',
  }),
  centre: choice({
    default: 'error',
    choices: ['error', 'label', 'both'],
    doc: 'prior without labels: errors around the mean error, labels around the mean label, or both by evidence',
  }),
  shift: choice({
    default: 'evidence',
    choices: ['none', 'evidence'],
    doc: 'prior with labels: whether labels of the batch may be shifted against the auxiliary ones',
  }),
  ridge: number({
    default: 1e-6,
    min: 0,
    max: 1,
    doc: 'prior with labels: added to the diagonal of the noise, as a share',
  }),
}
type MeansParams = ValuesOf<typeof meansParams>

export const metaclassMeans = defineAttack({
  id: 'metaclass-means',
  effort: 2,
  title: 'Mean label per metaclass',
  paper: 'labels',
  where: 'Section 4.2.2, Eq. (4.8); solver prior is ours',
  target: 'metaclass-means',
  needs: batchNeeds,
  uses: [...batchUses, 'metaclassCounts'],
  params: meansParams,
  run: (view, context) => believing(view, context, (own) => groupMeans(own, context)),
  plant: plantedMeans,
  shuffle: shuffledGradient,
})

async function groupMeans(
  view: BatchView & Partial<View<'metaclassCounts'>>,
  context: Context<MeansParams>,
): Promise<Claimed> {
  const { params } = context
  const batch = await regressionBatch(view, context)
  const { groups, rounds, fit, explained, drift, strayed, warnings } = batch
  const { counts, from } = await countsFor(view, context, batch)
  warnings.push(...otherSum(batch, counts))
  // A metaclass without records has no mean; one without auxiliary records cannot be told from others.
  const live = groups.rows.flatMap((rows, c) =>
    counts[c]! >= (from === 'known' ? 1e-9 : 0.5) && rows.length > 0 ? [c] : [],
  )
  if (live.length === 0) throw new Inapplicable(['auxiliary'], 'no metaclass of the batch has auxiliary records')
  const lost = groups.names.filter((_, c) => counts[c]! > 0 && groups.rows[c]!.length === 0)
  if (lost.length > 0) warnings.push(`no auxiliary record of ${lost.join(', ')}: nothing is claimed of them`)
  const system = { rounds, rows: live.map((c) => groups.rows[c]!), counts: live.map((c) => counts[c]!) }
  const labels = auxiliaryLabels(view)
  const meansIn = (one: System): Found => solvedMeans(one, { ...params, auxiliary: labels })
  const found = meansIn(system)
  const astray = Array.isArray(found.details.errors)
    ? strayed.map((others) => meansIn({ ...system, rounds: others }).means.map((mean, i) => mean - found.means[i]!))
    : []
  const values = new Float64Array(groups.names.length).fill(Number.NaN)
  for (const [i, c] of live.entries()) values[c] = found.means[i]!
  const { clusters } = groups
  const equations = equationsOf(system)
  const beside = { ...(fit && { fit }), ...(clusters && { clusters }) }
  return claimed(
    { kind: 'metaclass-means', client: view.target, round: view.round, values, ...beside },
    {
      warnings: [...warnings, ...found.warnings],
      details: {
        solver: params.solver,
        rounds: rounds.map(({ round }) => round),
        counts: [...counts],
        countsFrom: from,
        condition: conditionOf(equations.A),
        ...found.details,
        ...widened(found.details.errors, { drift, astray, counts: system.counts }),
        explained,
        ...(drift === null && { errors: null }),
      },
      ...curveShown(equations, { solver: params.solver, solved: found.solved }),
    },
  )
}

interface Hidden {
  readonly drift: number | null
  /** What means change by where gradients are off as those of made-up clients are. */
  readonly astray: readonly Float64Array[]
  readonly counts: readonly number[]
}

/**
 * What several steps hide of the mean label of all records they hide of that of some as of the mean of so many draws; or
 * more, as they stray in other directions too.
 */
function widened(errors: Detail | undefined, { drift, astray, counts }: Hidden) {
  if (!Array.isArray(errors) || drift === null || drift === 0) return {}
  const K = totalOf(counts)
  return {
    errors: errors.map((error, i) => {
      const strays = astray.length === 0 ? 0 : meanOf(astray.map((by) => by[i]! * by[i]!))
      const hidden = Math.max((drift * drift * K) / counts[i]!, strays)
      return Math.sqrt(Number(error) * Number(error) + hidden)
    }),
  }
}

type Known = Partial<View<'metaclassCounts'>>
interface Wanted {
  readonly counts: 'auto' | 'known' | 'attack' | 'auxiliary'
  readonly metaclasses: string
  readonly clusters: number
  readonly rounds: readonly number[]
}

async function countsFor(
  view: Known,
  { params, claimOf }: Pick<Context<Wanted>, 'params' | 'claimOf'>,
  { groups, records }: RegressionBatch,
): Promise<{ counts: readonly number[]; from: string }> {
  const { metaclassCounts: known } = view
  // Counts that were told are of the column's metaclasses.
  const usable = known !== undefined && params.metaclasses === 'column'
  const from = params.counts === 'auto' ? (usable ? 'known' : 'attack') : params.counts
  if (from === 'auxiliary') {
    const K = requireRecords(records)
    return { counts: Array.from(groups.shares, (share) => share * K), from }
  }
  if (from === 'known') {
    if (!usable) throw new Inapplicable(['metaclassCounts'], 'the records per metaclass are not known')
    return { counts: checkedCounts(known, groups.names.length), from }
  }
  const { metaclasses, clusters, rounds } = params
  const outcome = await claimOf('metaclass-counts', { metaclasses, clusters, rounds })
  if (outcome.status !== 'claimed') {
    const why = `the records per metaclass are not known, and metaclass-counts says: ${outcome.why ?? outcome.missing.join(', ')}`
    throw new Inapplicable(['metaclassCounts', ...outcome.missing], why)
  }
  const claim = outcome.claims.find((one) => one.kind === 'metaclass-counts')
  if (claim === undefined) throw new Inapplicable(['metaclassCounts'], 'metaclass-counts claimed something else')
  return { counts: checkedCounts(Array.from(claim.values), groups.names.length), from }
}

/** Known numbers of records that do not make up the batch. */
function otherSum({ records: K }: RegressionBatch, counts: readonly number[]): string[] {
  if (K === undefined) return []
  const total = totalOf(counts)
  return Math.abs(total - K) > 0.5 ? [`the metaclasses are said to have ${total} records, the update ${K}`] : []
}

function checkedCounts(counts: readonly number[], N: number): readonly number[] {
  if (counts.length !== N) {
    throw new OverhearError('E_SHAPE', `${counts.length} counts for ${N} metaclasses`, 'one each is needed')
  }
  const bad = counts.findIndex((k) => !(k >= 0 && k < Number.POSITIVE_INFINITY))
  if (bad >= 0) throw new OverhearError('E_VALUE', `metaclass ${bad} is said to have ${counts[bad]} records`)
  return counts
}
