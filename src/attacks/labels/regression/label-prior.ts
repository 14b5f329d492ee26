/**
 * Mean errors per metaclass without labels: the errors of a batch are taken as a linear function of the embedding, plus an
 * effect of the metaclass, plus noise, and the sizes of the three are averaged over by their evidence.
 */
import { type Matrix, matrix } from '../../../numeric/linalg/matrix.js'
import { norm } from '../../../numeric/linalg/vector.js'
import { addMatrixInto, averaged, conditioned, geometric, type Hypothesis, traceOf } from './gaussian-steps.js'
import { type PriorParts, type PriorShape, partsOf } from './label-prior-terms.js'

export interface PriorInput extends PriorShape {
  /** The gradient of the batch, laid out as an embedding. */
  readonly grad: Float64Array
  /** Where the errors of the metaclasses lie before the gradient is seen: one guess or several, compared by evidence. */
  readonly centres: readonly Float64Array[]
}

export interface PriorFit {
  /** What to take from the mean prediction of each metaclass to have its mean label, and the variance that is left. */
  readonly errors: Float64Array
  readonly variances: Float64Array
  /** Directions of the gradient that are told apart from noise, under the likeliest sizes. */
  readonly freedom: number
  /** The likeliest deviations: of the metaclasses' effects, of the linear part, of the noise. */
  readonly sizes: { readonly effect: number; readonly linear: number; readonly noise: number }
  /** Which of the centres is the likeliest. */
  readonly centre: number
}

interface Fit extends Hypothesis {
  readonly S: Matrix
  readonly parts: PriorParts
  /** Of the four parts. */
  readonly weights: readonly number[]
  readonly sizes: PriorFit['sizes']
  readonly centre: number
}

export function priorErrors(input: PriorInput): PriorFit {
  const fits = input.centres.flatMap((centre, at) => {
    const parts = partsOf(input, centre)
    const residual = input.grad.map((g, a) =>
      parts.columns.reduce((left, column, c) => left - centre[c]! * column[a]!, g),
    )
    return sizesFor(parts, centre, residual).map((sizes) => fitOf({ parts, centre, residual, sizes, at }))
  })
  const { means, variances, best } = averaged(fits)
  const { S, parts, weights, sizes, centre } = fits[best]!
  const drift = combined(parts.drift, weights)
  const freedom = S.rows - traceOf(conditioned(S, new Float64Array(S.rows)).solve(drift))
  return { errors: means, variances, freedom, sizes, centre }
}

/** A grid in the scale that the gradient itself shows: the mean error, and what the embeddings' spread must have carried. */
function sizesFor({ spread }: PriorParts, centre: Float64Array, residual: Float64Array): PriorFit['sizes'][] {
  const shown = Math.sqrt(centre.reduce((sum, e) => sum + e * e, 0) / centre.length)
  const size = shown + (spread > 0 ? norm(residual) / Math.sqrt(spread) : 0)
  const scale = size > 0 ? size : 1
  return geometric(0.002, 2, 8).flatMap((effect) =>
    geometric(0.005, 2, 8).flatMap((linear) =>
      geometric(0.01, 9, 7).map((noise) => ({ effect: effect * scale, linear: linear * scale, noise: noise * scale })),
    ),
  )
}

interface Point {
  readonly parts: PriorParts
  readonly centre: Float64Array
  readonly residual: Float64Array
  readonly sizes: PriorFit['sizes']
  readonly at: number
}

/**
 * All covariances are linear in the squares of the sizes. A batch's own predictions lie w . d_i off the auxiliary ones; of
 * that, half is taken to be error and half label, for want of knowledge: labels may follow predictions all the way or
 * not at all.
 */
function fitOf({ parts, centre, residual, sizes, at }: Point): Fit {
  const { effect: t, linear: reach, noise: v } = sizes
  const tau2 = parts.spread > 0 ? (reach * reach) / parts.spread : 0
  const weights = [1, t * t, tau2, v * v]
  const S = combined(parts.gradient, weights)
  const cross = combined(parts.cross, weights) // [m, N]: cov(gradient, errors)
  const { weights: y, logEvidence, solve } = conditioned(S, residual)
  const N = centre.length
  const own = parts.within.map((variance) => v * v + tau2 * variance) // of an error inside its metaclass
  const common = parts.predicted.map((variance, c) => Math.min(variance / 2, own[c]!) / parts.counts[c]!)
  for (let c = 0; c < N; c++) {
    for (let a = 0; a < S.rows; a++) cross.data[a * N + c]! -= common[c]! * parts.columns[c]![a]!
  }
  const gain = solve(cross)
  const along = (c: number, x: (a: number) => number): number => {
    let sum = 0
    for (let a = 0; a < S.rows; a++) sum += cross.data[a * N + c]! * x(a)
    return sum
  }
  return {
    means: centre.map((e, c) => e + along(c, (a) => y[a]!)),
    variances: centre.map((_, c) => {
      const before = weights.reduce((sum, weight, i) => sum + weight * parts.own[i]![c]!, 0)
      const predicted = parts.predicted[c]! / parts.counts[c]!
      return Math.max(0, before + predicted - 2 * common[c]! - along(c, (a) => gain.data[a * N + c]!))
    }),
    logEvidence,
    S,
    parts,
    weights,
    sizes,
    centre: at,
  }
}

function combined(parts: readonly Matrix[], weights: readonly number[]): Matrix {
  const sum = matrix(parts[0]!.rows, parts[0]!.cols)
  for (const [i, part] of parts.entries()) addMatrixInto(sum, part, weights[i]!)
  return sum
}
