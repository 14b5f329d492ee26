/** How different clients are, by what each would learn alone: linear least squares, in closed form. */
import type { Records } from '../data/records.js'
import { OverhearError } from '../errors.js'
import { leastSquares } from '../numeric/linalg/least-squares.js'
import { type Matrix, matrix, rowOf } from '../numeric/linalg/matrix.js'
import { dot } from '../numeric/linalg/vector.js'
import { totalOf } from '../numeric/special/summaries.js'

export interface HeterogeneityOptions {
  /** p_c, of any sum; the number of records unless told. */
  readonly weights?: readonly number[]
  /** Whether the model has an intercept; true unless told. */
  readonly bias?: boolean
}

export interface Heterogeneity {
  /** sum of p_c (L_c(theta*) - L_c(theta_c*)): what clients lose by sharing one model. */
  readonly excessLoss: number
  // departs: [lmra] prints sum of p_c (grad L_c(theta*) - grad L_c(theta_c*)), which is zero for any clients.
  /** sum of p_c |grad L_c(theta*)|^2: how they pull at the shared optimum. */
  readonly gradNormSq: number
  /** Between local optima, |a - b| / max(|a|, |b|): symmetric, 0 to 2. [clients, clients] */
  readonly distances: Matrix
  /** theta_c*: the weights, then the intercept. */
  readonly localOptima: readonly Float64Array[]
  readonly globalOptimum: Float64Array
  /** Whether client c has one optimum only; otherwise the shortest was taken, and its distances say little. */
  readonly unique: readonly boolean[]
}

/** Losses are mean squared errors without a factor 1/2. */
export function heterogeneity(clients: readonly Records[], options: HeterogeneityOptions = {}): Heterogeneity {
  const { weights = clients.map(({ labels }) => labels.length), bias = true } = options
  checkInput(clients, weights)
  const total = totalOf(weights)
  const p = weights.map((w) => w / total)
  const designs = clients.map((records) => design(records, bias))
  const solved = designs.map(({ A, b }) => leastSquares(A, b))
  const localOptima = solved.map(({ X }) => X.data)
  const globalOptimum = leastSquares(...stacked(designs, p)).X.data
  let excessLoss = 0
  let gradNormSq = 0
  designs.forEach((own, c) => {
    const shared = residual(own, globalOptimum)
    const alone = residual(own, localOptima[c]!)
    excessLoss += p[c]! * (meanSquare(shared) - meanSquare(alone))
    const grad = gradient(own, shared)
    gradNormSq += p[c]! * dot(grad, grad)
  })
  const K = clients.length
  const distances = matrix(K, K)
  for (let i = 0; i < K; i++) {
    for (let j = 0; j < K; j++) distances.data[i * K + j] = relativeDistance(localOptima[i]!, localOptima[j]!)
  }
  const unique = solved.map(({ minimumNorm }) => !minimumNorm)
  return { excessLoss, gradNormSq, distances, localOptima, globalOptimum, unique }
}

interface Design {
  readonly A: Matrix
  readonly b: Matrix
}

function checkInput(clients: readonly Records[], weights: readonly number[]): void {
  const d = clients[0]?.features.cols
  if (d === undefined) throw new OverhearError('E_SHAPE', 'heterogeneity of 0 clients', 'at least 1 is needed')
  clients.forEach(({ features, labels }, c) => {
    if (features.cols !== d || labels.length !== features.rows || features.rows === 0) {
      const found = `client ${c}: ${features.rows} x ${features.cols} features, ${labels.length} labels`
      throw new OverhearError('E_SHAPE', found, `${d} columns, one label per row and at least one row are needed`)
    }
  })
  if (weights.length !== clients.length || !weights.every((w) => w > 0 && w < Number.POSITIVE_INFINITY)) {
    const found = `heterogeneity: weights [${weights.join(', ')}] for ${clients.length} clients`
    throw new OverhearError('E_VALUE', found, 'one positive weight a client is needed')
  }
}

/** The features, with a column of ones at the end for the intercept. */
function design({ features, labels }: Records, bias: boolean): Design {
  const { rows: n, cols: d } = features
  const width = bias ? d + 1 : d
  const A = matrix(n, width)
  for (let i = 0; i < n; i++) {
    A.data.set(rowOf(features, i), i * width)
    if (bias) A.data[i * width + d] = 1
  }
  return { A, b: matrix(n, 1, labels) }
}

/** All clients' rows, each scaled by sqrt(p_c / n_c): its squares sum to sum of p_c L_c. */
function stacked(designs: readonly Design[], p: readonly number[]): [Matrix, Matrix] {
  const rows = designs.reduce((sum, { A }) => sum + A.rows, 0)
  const cols = designs[0]!.A.cols
  const A = matrix(rows, cols)
  const b = matrix(rows, 1)
  let at = 0
  designs.forEach((own, c) => {
    const scale = Math.sqrt(p[c]! / own.A.rows)
    own.A.data.forEach((x, i) => {
      A.data[at * cols + i] = scale * x
    })
    own.b.data.forEach((y, i) => {
      b.data[at + i] = scale * y
    })
    at += own.A.rows
  })
  return [A, b]
}

/** A theta - b. */
function residual({ A, b }: Design, theta: Float64Array): Float64Array {
  return b.data.map((y, i) => dot(rowOf(A, i), theta) - y)
}

/** (2 / n) A^T e. */
function gradient({ A }: Design, e: Float64Array): Float64Array {
  const d = A.cols
  const grad = new Float64Array(d)
  for (let i = 0; i < A.rows; i++) for (let j = 0; j < d; j++) grad[j]! += A.data[i * d + j]! * e[i]!
  return grad.map((x) => (2 * x) / A.rows)
}

const meanSquare = (e: Float64Array): number => dot(e, e) / e.length

function relativeDistance(a: Float64Array, b: Float64Array): number {
  const difference = a.map((x, j) => x - b[j]!)
  const larger = Math.sqrt(Math.max(dot(a, a), dot(b, b)))
  return larger === 0 ? 0 : Math.sqrt(dot(difference, difference)) / larger
}
