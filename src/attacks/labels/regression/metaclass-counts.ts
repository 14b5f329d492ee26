/** How many records of each metaclass a batch holds: the gradient is a sum of their mean errors times embeddings. */
import { matrix } from '../../../numeric/linalg/matrix.js'
import { choice, flag, number, type ValuesOf } from '../../../params.js'
import { type Claimed, type Context, claimed, type Detail, defineAttack, Inapplicable } from '../../attack.js'
import { believing } from '../../shared/believing.js'
import { requireRecords } from './mean-gradient.js'
import {
  auxiliaryLabels,
  type BatchView,
  batchNeeds,
  batchParams,
  batchUses,
  regressionBatch,
} from './metaclass-batch.js'
import { type BlupFit, blupCounts, type ScoredGroups, scoredGroups } from './metaclass-blup.js'
import { conditionOf, curveShown, type Solved, type SolverOptions, solveSystem } from './metaclass-solvers.js'
import { plantedCounts, shuffledGradient } from './regression-controls.js'
import { clipped, onSimplex, wholeCounts } from './whole-counts.js'

const countsParams = {
  ...batchParams,
  solver: choice({
    default: 'blup',
    choices: ['pinv', 'tsvd', 'tikhonov', 'blup'],
    doc: 'the published pseudo-inverse, truncated SVD or Tikhonov; or the best linear prediction around the auxiliary shares',
  }),
  constrain: choice({
    default: 'auto',
    choices: ['auto', 'none', 'clip', 'simplex'],
    doc: 'counts not negative and of the right sum: cut and scaled, or least squares under both; auto: clip for blup, none else',
  }),
  whole: flag({ default: false, doc: 'round to whole numbers, keeping the sum' }),
  shift: choice({
    default: 'evidence',
    choices: ['none', 'evidence'],
    doc: 'blup: whether labels of the batch may be shifted against the auxiliary ones, by as much as the gradient tells',
  }),
  ridge: number({
    default: 1e-6,
    min: 0,
    max: 1,
    doc: 'blup: added to the diagonal of the noise, as a share of its mean',
  }),
}
type CountsParams = ValuesOf<typeof countsParams>

export const metaclassCounts = defineAttack({
  id: 'metaclass-counts',
  title: 'Records per metaclass',
  paper: 'labels',
  where: 'Section 4.2.3, Eq. (4.10); solver blup is ours',
  target: 'metaclass-counts',
  needs: batchNeeds,
  uses: batchUses,
  params: countsParams,
  run: (view, context) => believing(view, context, (own) => groupCounts(own, context)),
  plant: plantedCounts,
  shuffle: shuffledGradient,
})

async function groupCounts(view: BatchView, context: Context<CountsParams>): Promise<Claimed> {
  const { params } = context
  const labels = auxiliaryLabels(view)
  if (labels === undefined) {
    throw new Inapplicable(['auxiliary.label'], 'the mean errors of the metaclasses need labelled auxiliary data')
  }
  const { rounds, groups, records, fit, explained, drift, warnings } = await regressionBatch(view, context)
  const K = requireRecords(records)
  const present = Array.from(groups.rows.keys()).filter((c) => groups.rows[c]!.length > 0)
  const unseen = groups.names.filter((_, c) => groups.rows[c]!.length === 0)
  if (unseen.length > 0) warnings.push(`no auxiliary record of ${unseen.join(', ')}: counted as 0`)
  const rows = present.map((c) => groups.rows[c]!)
  const published = params.solver !== 'blup' ? { width: Number.POSITIVE_INFINITY } : {}
  const scored = scoredGroups(rounds, { labels, rows, ...published })
  const found =
    params.solver === 'blup' ? byBlup(scored, K, params) : bySystem(scored, K, { ...params, solver: params.solver })
  const constrained = params.constrain === 'auto' ? (params.solver === 'blup' ? 'clip' : 'none') : params.constrain
  let counts = found.counts
  if (constrained === 'clip' || (constrained === 'simplex' && found.solved === undefined)) counts = clipped(counts, K)
  else if (constrained === 'simplex') counts = onSimplex(found.solved!, K)
  if (params.whole) counts = wholeCounts(clipped(counts, K), K)
  const values = new Float64Array(groups.names.length)
  for (const [i, c] of present.entries()) values[c] = counts[i]!
  const { clusters } = groups
  const beside = { ...(fit && { fit }), ...(clusters && { clusters }) }
  return claimed(
    { kind: 'metaclass-counts', client: view.target, round: view.round, values, ...beside },
    {
      warnings: [...warnings, ...found.warnings],
      details: {
        records: K,
        rounds: rounds.map(({ round }) => round),
        solver: params.solver,
        constrained,
        auxiliaryCounts: Array.from(groups.shares, (share) => share * K),
        ...found.details,
        explained,
        ...(drift === null && { errors: null }),
      },
      ...curveShown(systemOf(scored, K), { solver: params.solver, solved: found.solved }),
    },
  )
}

interface Found {
  readonly counts: Float64Array
  readonly details: Readonly<Record<string, Detail>>
  readonly warnings: readonly string[]
  readonly solved?: Solved
}

/** [labels] Eq. (4.10), the sum of the counts as its first row; rounds of one batch one below the other. */
function bySystem(scored: ScoredGroups, K: number, options: Omit<SolverOptions, 'noise'>): Found {
  const { A, b, noise } = systemOf(scored, K)
  const solved = solveSystem(A, b, { ...options, noise })
  const { x, condition, freedom, beta, misfit, warnings } = solved
  return { counts: x, solved, warnings, details: { condition, degreesOfFreedom: freedom, beta, misfit } }
}

function systemOf({ grad, groups, within }: ScoredGroups, K: number) {
  const [m, n] = [grad.length, groups.length]
  const A = matrix(m + 1, n)
  const b = new Float64Array(m + 1)
  const noise = new Float64Array(m + 1)
  b[0] = K
  for (const [c, { score }] of groups.entries()) {
    A.data[c] = 1
    // The 2 of the squared error, whatever the loss: it weighs these rows against the first.
    for (let a = 0; a < m; a++) A.data[(a + 1) * n + c] = (2 / K) * score[a]!
  }
  for (let a = 0; a < m; a++) {
    b[a + 1] = 2 * grad[a]!
    noise[a + 1] = (4 / K) * within.data[a * m + a]!
  }
  return { A, b, noise }
}

interface BlupParams {
  readonly shift: 'none' | 'evidence'
  readonly ridge: number
}

function byBlup(scored: ScoredGroups, K: number, { shift, ridge }: BlupParams): Found {
  const fit: BlupFit = blupCounts(scored, K, { shift: shift === 'evidence', ridge })
  const few = scored.records < 2 * scored.grad.length
  return {
    counts: fit.means,
    details: {
      condition: conditionOf(systemOf(scored, K).A),
      degreesOfFreedom: fit.freedom,
      errors: Array.from(fit.variances, Math.sqrt),
      shift: { common: fit.shift.common, own: fit.shift.own },
    },
    warnings: few
      ? [`${scored.records} auxiliary records for ${scored.grad.length} numbers: their covariance is rough`]
      : [],
  }
}
