/** The model that a client would train alone: what a reconstruction is measured against. */
import { heterogeneity } from '../federation/heterogeneity.js'
import { type Batch, functionsOf } from '../models/functions.js'
import type { Loss, Model } from '../models/model.js'
import { columnAt, perRecord } from '../numeric/linalg/matrix.js'
import { dot } from '../numeric/linalg/vector.js'
import { lbfgs } from '../numeric/optimise/lbfgs.js'
import { minimise } from '../numeric/optimise/optimiser.js'

export interface OptimumOptions {
  readonly loss: Loss
  readonly lossScale?: number
  /** Where the search begins; a network has many optima, and this chooses one. */
  readonly from: Float64Array
  readonly maxIterations?: number
}

export interface Optimum {
  readonly theta: Float64Array
  readonly loss: number
  /** Whether the gradient vanished; otherwise iterations ran out or no lower point was found. */
  readonly converged: boolean
  readonly iterations: number
}

/** Least squares in closed form; else L-BFGS in float64 until the gradient is a millionth of the first. */
export function localOptimum(model: Model, data: Batch, options: OptimumOptions): Optimum {
  const { loss, lossScale = 1, from, maxIterations = 2000 } = options
  const functions = functionsOf(model, { loss, lossScale })
  if (model.kind === 'linear' && loss === 'mse') {
    const theta = leastSquaresOf(model, data)
    return { theta, loss: functions.loss(theta, data), converged: true, iterations: 0 }
  }
  const objective = (theta: Float64Array) => {
    const { loss: value, grad } = functions.gradient(theta, data)
    return { value, gradient: grad }
  }
  const first = norm(objective(from).gradient)
  const gradientTolerance = 1e-6 * first
  const end = minimise(lbfgs({ memory: 20 }), objective, from, { maxIterations, gradientTolerance, keep: 'best' })
  return { theta: end.x, loss: end.value, converged: end.reason === 'gradient', iterations: end.iterations }
}

/** Of a linear model: its outputs do not know of each other, each is the best for its own label. */
function leastSquaresOf({ inputs, outputs, parameters }: Model, { features, labels }: Batch): Float64Array {
  const bias = parameters.some(({ role }) => role === 'bias')
  const Y = perRecord(labels, features.rows)
  const theta = new Float64Array(outputs * (inputs + (bias ? 1 : 0)))
  for (let j = 0; j < outputs; j++) {
    const own = heterogeneity([{ features, labels: columnAt(Y, j) }], { bias }).localOptima[0]!
    theta.set(own.subarray(0, inputs), j * inputs)
    if (bias) theta[outputs * inputs + j] = own[inputs]!
  }
  return theta
}

const norm = (v: Float64Array): number => Math.sqrt(dot(v, v))
