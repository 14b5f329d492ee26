/** Auxiliary records at one model: what each would add to the gradient of the last layer. */
import type { ModelFunctions } from '../../../models/functions.js'
import { type Matrix, matrix } from '../../../numeric/linalg/matrix.js'
import type { RegressionUpdate } from './mean-gradient.js'
import { flatOutput, gainOf, type RegressionHead } from './regression-head.js'

/** u = w . a + b for every embedding. */
export function logitsOf(embeddings: Matrix, { w, b }: { w: Float64Array; b: number }): Float64Array {
  const { rows, cols, data } = embeddings
  return Float64Array.from({ length: rows }, (_, i) => {
    let u = b
    for (let j = 0; j < cols; j++) u += w[j]! * data[i * cols + j]!
    return u
  })
}

/**
 * One round seen with auxiliary records. An embedding here begins with the 1 that the bias reads, where there is one, and is
 * multiplied by the slope of the output where that enters, so that the gradient is the mean over the batch of (z - y) times
 * the embedding.
 */
export interface SeenRound {
  readonly round: number
  readonly embeddings: Matrix // [n, m]
  readonly predictions: Float64Array // z
  /** The last layer, laid out as an embedding. */
  readonly w: Float64Array
  /** (grad_b, grad_w) without the loss's factor. */
  readonly grad: Float64Array
  /** Whether grad[0] is of a bias: the mean error, for a plain output. */
  readonly biased: boolean
}

interface Seeing {
  readonly head: RegressionHead
  readonly functions: ModelFunctions
  readonly features: Matrix
}

export function seenWith(update: RegressionUpdate, { head, functions, features }: Seeing): SeenRound {
  const plain = functions.penultimate(update.theta, features)
  const u = logitsOf(plain, update)
  const biased = head.biasAt !== undefined
  const first = biased ? 1 : 0
  const m = head.width + first
  const embeddings = matrix(features.rows, m)
  const gains = u.map((x) => gainOf(head, x))
  if (gains.length > 0 && gains.every((gain) => gain === 0)) throw flatOutput('auxiliary records')
  for (let i = 0; i < features.rows; i++) {
    const gain = gains[i]!
    if (biased) embeddings.data[i * m] = gain
    for (let j = 0; j < head.width; j++) embeddings.data[i * m + first + j] = gain * plain.data[i * head.width + j]!
  }
  const asEmbedding = (weights: Float64Array, bias: number): Float64Array =>
    Float64Array.from(biased ? [bias, ...weights] : weights)
  return {
    round: update.round,
    embeddings,
    predictions: u.map((x) => head.output.value(x)),
    w: asEmbedding(update.w, update.b),
    grad: asEmbedding(update.gradW, update.gradB).map((g) => g / head.factor),
    biased,
  }
}

/** The same round with another gradient: off by so much, in every parameter of the model. */
export function strayedBy(seen: SeenRound, { weightAt, width, biasAt, factor }: RegressionHead, stray: Float64Array) {
  const off = [...(biasAt === undefined ? [] : [stray[biasAt]!]), ...stray.subarray(weightAt, weightAt + width)]
  return { ...seen, grad: seen.grad.map((g, j) => g + off[j]! / factor) }
}

/** (z - y) times the embedding of every labelled record: rows whose mean is the gradient. */
export function scoresOf({ embeddings, predictions }: SeenRound, labels: Float64Array): Matrix {
  const { rows, cols, data } = embeddings
  const scores = matrix(rows, cols)
  for (let i = 0; i < rows; i++) {
    const e = predictions[i]! - labels[i]!
    for (let j = 0; j < cols; j++) scores.data[i * cols + j] = e * data[i * cols + j]!
  }
  return scores
}
