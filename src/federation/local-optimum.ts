/** The model that a client would train alone: what a reconstruction is measured against. */

import { type Batch, checkBatch, functionsOf } from '../models/functions.js'
import type { Loss, Model } from '../models/model.js'
import { gradient } from '../numeric/engine/derive.js'
import type { Precision } from '../numeric/engine/kernels.js'
import { columnAt, perRecord } from '../numeric/linalg/matrix.js'
import { dot } from '../numeric/linalg/vector.js'
import { lbfgs } from '../numeric/optimise/lbfgs.js'
import { type Minimum, minimise } from '../numeric/optimise/optimiser.js'
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

/**
 * Least squares in closed form; else L-BFGS until the gradient is a millionth of the first. A network has many optima and comes
 * near all of them slowly: it is sought in single precision, until it gains next to nothing, and in doubles where that is not enough.
 */
export function localOptimum(model: Model, data: Batch, options: OptimumOptions): Optimum {
  const { loss, lossScale = 1, from, further = from, maxIterations = 2000 } = options
  const functions = functionsOf(model, { loss, lossScale })
  if (model.kind === 'linear' && loss === 'mse') {
    const theta = leastSquaresOf(model, data)
    return { theta, loss: functions.loss(theta, data), converged: true, iterations: 0 }
  }
  const { loss: firstLoss, grad } = functions.gradient(from, data)
  const isNetwork = model.dense?.hidden.length !== 0
  const gradientTolerance = 1e-6 * norm(grad)
  const leastGain = { over: gainOver, by: leastShare * firstLoss }
  const search = (start: Float64Array, precision: Precision, maxIterations: number): Minimum => {
    const { objective, release } = residentLoss(model, data, { loss, lossScale, precision })
    const stop = { maxIterations, gradientTolerance, ...(isNetwork && { leastGain }) }
    const end = minimise(lbfgs({ memory: 20, inKernels: isNetwork }), objective, start, { ...stop, keep: 'best' })
    release()
    return end
  }
  const rough = isNetwork ? search(further, 'f32', maxIterations) : undefined
  const done = rough?.iterations ?? 0
  // Where single precision gets no further, doubles may.
  const isOpen = rough === undefined || (rough.reason !== 'value' && done < maxIterations)
  const end = isOpen ? search(rough?.x ?? further, 'f64', maxIterations - done) : undefined
  const { x: theta, reason } = end ?? rough!
  return {
    ...{ theta, loss: functions.loss(theta, data), converged: reason === 'gradient' },
    iterations: done + (end?.iterations ?? 0),
  }
}

// departs: [aia] Section 5.3 trains until it converges, which a network with more parameters than records does not do for thousands of iterations.
/** A network is at its optimum where so many iterations lower its loss by less than this share of the first. */
const [gainOver, leastShare] = [100, 0.005]

/** The loss and its gradient; the records stay where they are from one evaluation to the next. */
function residentLoss(
  model: Model,
  data: Batch,
  { precision, loss, lossScale }: { readonly precision: Precision; readonly loss: Loss; readonly lossScale: number },
) {
  const { compile } = functionsOf(model, { precision, loss, lossScale })
  const program = compile(data.features.rows, (traced) => [traced.loss, ...gradient(traced.loss, [traced.theta])])
  const { X, y } = checkBatch(model, loss, data)
  program.set('X', X)
  program.set('y', y)
  const objective = (theta: Float64Array) => {
    program.set('theta', theta)
    program.run()
    return { value: program.readScalar(0), gradient: program.read(1) }
  }
  return { objective, release: () => program.release() }
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
