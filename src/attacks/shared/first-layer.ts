/** The first layer of a network in an update: each of its units holds a mixture of the records that it was active for. */
import type { Model } from '../../models/model.js'
import { type Matrix, matrix } from '../../numeric/linalg/matrix.js'
import { addScaledInto, dot, norm } from '../../numeric/linalg/vector.js'

/** Weights [units, inputs] and a bias [units] at the beginning of a flat vector. */
export interface FirstLayer {
  readonly units: number
  readonly inputs: number
  readonly biasAt: number
}

/** Undefined where the first parameters are no dense layer with a bias. */
export function firstLayerOf({ parameters, inputs }: Model): FirstLayer | undefined {
  const [weight, bias] = parameters
  const units = weight?.shape[0]
  if (weight?.role !== 'weight' || weight.shape.length !== 2 || weight.shape[1] !== inputs) return undefined
  if (bias?.role !== 'bias' || units === undefined || bias.shape[0] !== units) return undefined
  return { units, inputs, biasAt: units * inputs }
}

/** The layer's piece of a flat vector: a row of weights and a bias a unit. */
export function firstRows(flat: Float64Array, { units, inputs, biasAt }: FirstLayer): { W: Matrix; b: Float64Array } {
  return { W: matrix(units, inputs, flat.slice(0, biasAt)), b: flat.slice(biasAt, biasAt + units) }
}

export interface SingleInput {
  readonly x: Float64Array
  /** What the rows leave unexplained, relative to their length: 0 for a single record, up to rounding. */
  readonly misfit: number
}

/**
 * Of a single record the rows of the layer's gradient are delta_i x and its biases delta_i, and so are their sums over any
 * number of plain steps: x = dW_i / db_i, here the least squares over all units. Undefined where no bias moved.
 */
export function singleInput(descent: Float64Array, layer: FirstLayer): SingleInput | undefined {
  const { W, b } = firstRows(descent, layer)
  const { inputs: d } = layer
  const largest = b.reduce((most, v) => Math.max(most, Math.abs(v)), 0)
  if (largest === 0) return undefined
  const x = new Float64Array(d)
  let scale = 0
  for (const [i, value] of b.entries()) {
    const share = value / largest // squares must not underflow
    scale += share * share
    for (let j = 0; j < d; j++) x[j]! += (share * W.data[i * d + j]!) / largest
  }
  for (let j = 0; j < d; j++) x[j]! /= scale
  const left = W.data.map((v, at) => v - b[Math.floor(at / d)]! * x[at % d]!)
  return { x, misfit: norm(left) / Math.max(norm(W.data), Number.MIN_VALUE) }
}

/** What of the first weights' update is not of rank 1, relative to its length: for a model that need not have biases. */
export function rankOneMisfit(descent: Float64Array, { parameters, inputs: d }: Model): number {
  const units = (parameters[0]!.shape[0] ?? 0) * (parameters[0]!.shape[1] === d ? 1 : 0)
  const rows = Array.from({ length: units }, (_, i) => descent.subarray(i * d, (i + 1) * d))
  let along = rows.reduce((longest, row) => (norm(row) > norm(longest) ? row : longest), new Float64Array(d))
  if (norm(along) === 0) return Number.POSITIVE_INFINITY // nothing to tell from
  let left = 0
  for (let step = 0; step < 20; step++) {
    const size = norm(along)
    const unit = along.map((v) => v / size)
    const next = new Float64Array(d)
    left = 0
    for (const row of rows) {
      const share = dot(row, unit)
      addScaledInto(next, row, share)
      const off = norm(row.map((v, j) => v - share * unit[j]!))
      left += off * off
    }
    along = next
  }
  return Math.sqrt(left) / norm(descent.subarray(0, units * d))
}
