/** Labels of records that are known, from the last layer's gradient; and the whole gradient done again with both. */
import type { ModelFunctions } from '../../models/functions.js'
import type { Loss, Model } from '../../models/model.js'
import { leastSquares } from '../../numeric/linalg/least-squares.js'
import { type Matrix, matrix, rowOf } from '../../numeric/linalg/matrix.js'
import { outputs } from '../labels/regression/regression-head.js'

export interface KnownRecords {
  readonly functions: ModelFunctions
  readonly loss: Loss
  readonly theta: Float64Array
  readonly grad: Float64Array
  readonly features: Matrix
}

/**
 * The last layer's gradient is (1/K) sum over records of D_k (a_k, 1)^T: with the a_k known, least squares give the D_k,
 * what the loss adds at each output. Undefined where the layer reads fewer numbers than there are records.
 */
export function labelsOfRecords(known: KnownRecords): Float64Array | undefined {
  const { functions, loss, theta, grad, features } = known
  const { model } = functions
  const K = features.rows
  const a = functions.penultimate(theta, features)
  const [c, m] = [model.outputs, a.cols]
  if (K > m + 1) return undefined
  const d = grad.length
  const at = d - c - c * m
  const A = matrix(m + 1, K) // (a_k, 1) as columns
  for (let k = 0; k < K; k++) {
    for (let j = 0; j < m; j++) A.data[j * K + k] = a.data[k * m + j]!
    A.data[m * K + k] = 1
  }
  const G = matrix(m + 1, c)
  for (let o = 0; o < c; o++) {
    for (let j = 0; j < m; j++) G.data[j * c + o] = K * grad[at + o * m + j]!
    G.data[m * c + o] = K * grad[d - c + o]!
  }
  const { X: D, rank } = leastSquares(A, G) // [K, c]
  if (rank < K) return undefined
  const z = logitsOf(model, theta, a)
  return loss === 'cross-entropy' ? classesOf(D) : numbersOf(D, z, { model, loss })
}

function logitsOf({ outputs: c }: Model, theta: Float64Array, a: Matrix): Matrix {
  const { rows: K, cols: m } = a
  const at = theta.length - c - c * m
  const z = matrix(K, c)
  for (let k = 0; k < K; k++) {
    for (let o = 0; o < c; o++) {
      let sum = theta[theta.length - c + o]!
      for (let j = 0; j < m; j++) sum += theta[at + o * m + j]! * a.data[k * m + j]!
      z.data[k * c + o] = sum
    }
  }
  return z
}

/** D = p - y: the class whose entry is lowest. */
function classesOf(D: Matrix): Float64Array {
  return Float64Array.from({ length: D.rows }, (_, k) => {
    const row = rowOf(D, k)
    return row.indexOf(row.reduce((least, v) => Math.min(least, v), Number.POSITIVE_INFINITY))
  })
}

/** D = 2 (z - y) sigma' / c for a squared error, (p - y) / c for the binary cross-entropy. */
function numbersOf(
  D: Matrix,
  u: Matrix,
  { model, loss }: { readonly model: Model; readonly loss: Loss },
): Float64Array {
  const c = D.cols
  if (loss === 'binary-cross-entropy') {
    return D.data.map((v, i) => (outputs.sigmoid.value(u.data[i]!) - c * v > 0.5 ? 1 : 0))
  }
  const end = outputs[model.outputActivation as keyof typeof outputs]
  return D.data.map((v, i) => end.value(u.data[i]!) - (c * v) / (2 * end.slope(u.data[i]!)))
}

/** The records as one matrix. */
export function stacked(records: readonly Float64Array[]): Matrix {
  const X = matrix(records.length, records[0]!.length)
  for (const [i, x] of records.entries()) X.data.set(x, i * X.cols)
  return X
}
