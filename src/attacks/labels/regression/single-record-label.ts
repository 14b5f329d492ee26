/** The label of the only record in an update, in closed form, with the error that the messages' rounding leaves. */
import type { Carrier } from './regression-head.js'
import { gainOf } from './regression-head.js'

export interface SingleRecord extends Carrier {
  readonly w: Float64Array
  readonly b: number
  readonly gradW: Float64Array
  readonly gradB: number
  /** Standard errors of the gradient's entries; none unless told. */
  readonly errorW?: (j: number) => number
  readonly errorB?: number
  /** Relative rounding of the client's own sums. */
  readonly rounding?: number
}

export interface RecoveredLabel {
  readonly label: number
  /** What the record had in the layer before the last: a = grad_w / grad_b. */
  readonly embedding: Float64Array
  readonly logit: number
  /** z - y. */
  readonly residual: number
  /** Standard error of the label. */
  readonly error: number
}

/**
 * [labels] Eq. (4.4): y = sigma(u) - grad_b / (2 sigma'(u)), u = w . grad_w / grad_b + b. Undefined where grad_b is 0 or
 * sigma' vanishes: nothing but the sum of both can be read there.
 * departs: sigma need not be invertible; the slope is taken at u, where the paper leaves w . a + b with a unknown.
 */
export function recoverLabel(record: SingleRecord): RecoveredLabel | undefined {
  const { w, b, gradW, gradB, output, factor, sloped, errorW, errorB = 0, rounding = 0 } = record
  if (gradB === 0) return undefined
  const embedding = gradW.map((g) => g / gradB)
  let u = b
  let size = Math.abs(b)
  for (let j = 0; j < w.length; j++) {
    u += w[j]! * embedding[j]!
    size += Math.abs(w[j]! * embedding[j]!)
  }
  const gain = gainOf(record, u)
  if (gain === 0) return undefined
  const residual = gradB / (factor * gain)
  const label = output.value(u) - residual
  // dy/du with grad_b held: sigma' + residual sigma'' / sigma'; grad_b moves u by -(u - b) / grad_b.
  const byLogit = output.slope(u) + (sloped ? (residual * output.bend(u)) / gain : 0)
  const byBias = -1 / (factor * gain) - (byLogit * (u - b)) / gradB
  let variance = square(byBias * errorB) + square(byLogit * size * rounding) + square(label * rounding)
  if (errorW !== undefined) {
    for (let j = 0; j < w.length; j++) variance += square((byLogit * w[j]! * errorW(j)) / gradB)
  }
  const error = Math.sqrt(variance)
  if (!Number.isFinite(label) || !Number.isFinite(error)) return undefined
  return { label, embedding, logit: u, residual, error }
}

const square = (x: number): number => x * x

export interface LocalSteps {
  readonly steps: number
  readonly learningRate: number
  readonly factor: number
  readonly momentum: number
  readonly proxMu: number
  /** |dz / dtheta|^2: 1 + |a|^2 for a linear model. */
  readonly sensitivity: number
}

/**
 * What plain steps on one record do when the prediction is linear in theta: all of them go along dz/dtheta, so the
 * whole turn is one recursion in a number. Returned for a residual of 1 at the start.
 */
export function alongOneRecord(local: LocalSteps): { moved: number; left: number; drift: number } {
  const { steps, learningRate: eta, factor, momentum, proxMu, sensitivity } = local
  let [c, velocity] = [0, 0] // theta = theta_0 + c dz/dtheta
  let [c2, velocity2] = [0, 0] // the same with each step weighted by how far the residual has come
  for (let t = 0; t < steps; t++) {
    const residual = 1 + c * sensitivity
    velocity = momentum * velocity + factor * residual + proxMu * c
    velocity2 = momentum * velocity2 + factor * residual * (residual - 1) + proxMu * c2
    c -= eta * velocity
    c2 -= eta * velocity2
  }
  return { moved: c, left: 1 + c * sensitivity, drift: c2 / c }
}
