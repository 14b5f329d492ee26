/** Means of metaclasses from gradients: by the published system, by a prior, or by what auxiliary labels predict. */
import { type Matrix, matrix } from '../../../numeric/linalg/matrix.js'
import { squaresAbout, totalOf } from '../../../numeric/special/summaries.js'
import { type Detail, Inapplicable } from '../../attack.js'
import { priorErrors } from './label-prior.js'
import { blupMeans, scoredGroups, widest } from './metaclass-blup.js'
import { meanAmong, meanRow } from './metaclass-groups.js'
import { type Solved, type SolverOptions, solveSystem } from './metaclass-solvers.js'
import type { SeenRound } from './record-scores.js'
import { reduced } from './shortened-embeddings.js'

export interface System {
  readonly rounds: readonly SeenRound[]
  readonly rows: readonly (readonly number[])[]
  readonly counts: readonly number[]
}

export interface Found {
  readonly means: Float64Array
  readonly details: Readonly<Record<string, Detail>>
  readonly warnings: readonly string[]
  readonly solved?: Solved
}

export interface MeansOptions extends Omit<SolverOptions, 'noise' | 'solver'> {
  readonly solver: SolverOptions['solver'] | 'prior'
  /** Of the auxiliary records, and whether a prior starts from them. */
  readonly auxiliary: Float64Array | undefined
  readonly labels: 'use' | 'ignore'
  readonly centre: 'error' | 'label' | 'both'
  readonly shift: 'none' | 'evidence'
  readonly ridge: number
}

export function solvedMeans(system: System, options: MeansOptions): Found {
  const { solver, auxiliary, labels, centre } = options
  if (solver !== 'prior') return bySystem(system, { ...options, solver })
  return auxiliary !== undefined && labels === 'use' ? byLabels(system, auxiliary, options) : byPrior(system, centre)
}

/** [labels] Eq. (4.8); rounds of one batch one below the other: their errors differ by the predictions alone. */
function bySystem(system: System, options: Omit<SolverOptions, 'noise'>): Found {
  const { A, b, noise, z0 } = equationsOf(system)
  const solved = solveSystem(A, b, { ...options, noise })
  const { x, condition, freedom, beta, misfit, warnings } = solved
  return {
    means: x.map((e, c) => z0[c]! - e),
    solved,
    warnings,
    details: { condition, degreesOfFreedom: freedom, beta, misfit },
  }
}

export function equationsOf({ rounds, rows, counts }: System) {
  const K = totalOf(counts)
  const n = rows.length
  const z0 = rows.map((own) => meanAmong(rounds[0]!.predictions, own))
  const total = rounds.reduce((sum, { grad }) => sum + grad.length, 0)
  const A = matrix(total, n)
  const b = new Float64Array(total)
  const noise = new Float64Array(total)
  let at = 0
  for (const { embeddings, predictions, grad } of rounds) {
    const m = grad.length
    b.set(grad, at)
    for (const [c, own] of rows.entries()) {
      const mean = meanRow(embeddings, own)
      const moved = meanAmong(predictions, own) - z0[c]!
      const p = counts[c]! / K
      for (let a = 0; a < m; a++) {
        A.data[(at + a) * n + c] = p * mean[a]!
        b[at + a]! -= p * mean[a]! * moved
        // Errors of the size of their mean times the spread of the embeddings.
        noise[at + a]! += (p / K) * grad[0]! * grad[0]! * spreadOf(embeddings, { own, mean: mean[a]!, a })
      }
    }
    at += m
  }
  return { A, b, noise, z0 }
}

interface Column {
  readonly own: readonly number[]
  readonly mean: number
  readonly a: number
}

/** The variance of entry a among some rows. */
function spreadOf({ cols, data }: Matrix, { own, mean, a }: Column): number {
  const values = own.map((i) => data[i * cols + a]!)
  return squaresAbout(values, mean) / Math.max(1, own.length - 1)
}

/** Each round by itself; of several, the average weighted by how sure each is of a metaclass. */
function byPrior({ rounds, rows, counts }: System, centre: 'error' | 'label' | 'both'): Found {
  const K = totalOf(counts)
  const fits = rounds.map(({ round, embeddings, predictions, w, grad, biased }) => {
    if (!biased) throw new Inapplicable(['a bias'], 'without a bias the mean error is not seen')
    const z = Float64Array.from(rows, (own) => meanAmong(predictions, own))
    const gain = rows.reduce((sum, own, c) => sum + (counts[c]! / K) * meanRow(embeddings, own)[0]!, 0)
    const m0 = grad[0]! / gain
    const short = reduced({ round, embeddings, predictions, w, grad, biased }, widest)
    const zBar = z.reduce((sum, value, c) => sum + (counts[c]! / K) * value, 0)
    const around = { error: z.map(() => m0), label: z.map((value) => value - zBar + m0) }
    const centres = centre === 'both' ? [around.error, around.label] : [around[centre]]
    const fit = priorErrors({ embeddings: short.embeddings, w: short.w, grad: short.grad, rows, counts, centres })
    return { ...fit, means: fit.errors.map((e, c) => z[c]! - e) }
  })
  const weights = fits.map(({ variances }) => variances.map((v) => 1 / Math.max(v, 1e-200)))
  const means = Float64Array.from(rows, (_, c) => {
    const total = weights.reduce((sum, own) => sum + own[c]!, 0)
    return fits.reduce((sum, fit, t) => sum + fit.means[c]! * (weights[t]![c]! / total), 0)
  })
  const { freedom, sizes, variances, centre: best } = fits[0]!
  const details = {
    degreesOfFreedom: freedom,
    sizes,
    errors: Array.from(variances, Math.sqrt),
    centre: centre === 'both' ? ['error', 'label'][best]! : centre,
  }
  return { means, warnings: [], details }
}

function byLabels(
  { rounds, rows, counts }: System,
  labels: Float64Array,
  { shift, ridge }: { shift: 'none' | 'evidence'; ridge: number },
): Found {
  const fit = blupMeans(scoredGroups(rounds, { labels, rows }), counts, { shift: shift === 'evidence', ridge })
  const { common, own } = fit.shift
  const auxiliaryMeans = rows.map((group) => meanAmong(labels, group))
  const errors = Array.from(fit.variances, Math.sqrt)
  return {
    means: fit.means,
    warnings: [],
    details: { degreesOfFreedom: fit.freedom, errors, shift: { common, own }, auxiliaryMeans },
  }
}
