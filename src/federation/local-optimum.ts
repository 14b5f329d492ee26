/** The model that a client would train alone: what a reconstruction is measured against. */

import { type Batch, checkBatch, functionsOf } from '../models/functions.js'
import type { Loss, Model } from '../models/model.js'
import { gradient } from '../numeric/engine/derive.js'
import { columnAt, perRecord } from '../numeric/linalg/matrix.js'
import { dot } from '../numeric/linalg/vector.js'
import { lbfgs } from '../numeric/optimise/lbfgs.js'
import { minimise } from '../numeric/optimise/optimiser.js'
import { heterogeneity } from './heterogeneity.js'

export interface OptimumOptions {
  readonly loss: Loss
  readonly lossScale?: number
  /** Where the search begins; a network has many optima, and this chooses one. */
  readonly from: Float64Array
  /** Where an earlier search ended, to go on from; how steep `from` is still decides when this one ends. */
  readonly further?: Float64Array | undefined
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
  const { loss, lossScale = 1, from, further = from, maxIterations = 2000 } = options
  const functions = functionsOf(model, { loss, lossScale })
  if (model.kind === 'linear' && loss === 'mse') {
    const theta = leastSquaresOf(model, data)
    return { theta, loss: functions.loss(theta, data), converged: true, iterations: 0 }
  }
  const first = norm(functions.gradient(from, data).grad)
  // The records stay where they are from one evaluation to the next.
  const program = functions.compile(data.features.rows, (traced) => [
    traced.loss,
    ...gradient(traced.loss, [traced.theta]),
  ])
  const { X, y } = checkBatch(model, loss, data)
  program.set('X', X)
  program.set('y', y)
  const objective = (theta: Float64Array) => {
    program.set('theta', theta)
    program.run()
    return { value: program.readScalar(0), gradient: program.read(1) }
  }
  const gradientTolerance = 1e-6 * first
  const end = minimise(lbfgs({ memory: 20 }), objective, further, { maxIterations, gradientTolerance, keep: 'best' })
  program.release()
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
