/** Logistic regression that sees its examples only through their inner products: long examples cost nothing here. */
import { OverhearError } from '../../../errors.js'
import { type Buffer, engine } from '../../../numeric/engine/engine.js'
import { cholesky } from '../../../numeric/linalg/cholesky.js'
import { type Matrix, matrix } from '../../../numeric/linalg/matrix.js'
import { lbfgs } from '../../../numeric/optimise/lbfgs.js'
import { type Evaluation, minimise } from '../../../numeric/optimise/optimiser.js'
import { sigmoid, softplus } from '../../../numeric/special/elementary-functions.js'

/** f(u) = sum over k of beta_k (z_k . u) + intercept, z_k the examples. */
export interface GramLogistic {
  readonly beta: Float64Array
  readonly intercept: number
  readonly penalty: number
}

/** What is added to the diagonal of K, relative to its mean: examples that were centred have K of lower rank. */
const jitter = 1e-9

/**
 * argmin over a, b of sum over k of log(1 + exp(-y_k (a . z_k + b))) + penalty kappa / 2 ||a||^2, for several
 * penalties from the largest to the smallest; kappa is the mean of ||z_k||^2, which makes the penalties pure numbers.
 * With K = kappa L Lᵀ it is a problem of as many unknowns as there are examples.
 */
export function gramLogistic(
  K: Matrix,
  positive: readonly boolean[],
  penalties: readonly number[],
): readonly GramLogistic[] {
  const n = K.rows
  if (positive.length !== n || n === 0 || positive.every((is) => is === positive[0])) {
    const found = `${n} examples, ${positive.filter(Boolean).length} of ${positive.length} marks positive`
    throw new OverhearError('E_VALUE', found, 'both classes are needed')
  }
  let trace = 0
  for (let i = 0; i < n; i++) trace += K.data[i * n + i]!
  const kappa = trace / n
  if (!(kappa > 0)) throw new OverhearError('E_VALUE', 'all examples are equal', 'they cannot be told apart')
  const scaled = matrix(n, n)
  for (let at = 0; at < n * n; at++) scaled.data[at] = K.data[at]! / kappa + (at % (n + 1) === 0 ? jitter : 0)
  const L = cholesky(scaled)
  const triangle = inKernels(L)
  const y = Float64Array.from(positive, (is) => (is ? 1 : -1))
  let theta: Float64Array = new Float64Array(n + 1)
  const fits = penalties.map((penalty) => {
    const objective = objectiveOf(triangle, y, penalty)
    const found = minimise(lbfgs(), objective, theta, { maxIterations: 200, gradientTolerance: 1e-5 * n })
    theta = found.x
    const beta = solveTransposed(L, theta).map((v) => v / kappa)
    return { beta, intercept: theta[n]!, penalty }
  })
  triangle.release()
  return fits
}

/** Over theta with f = L theta + b, b the last entry. */
function objectiveOf(L: Triangle, y: Float64Array, penalty: number): (x: Float64Array) => Evaluation {
  const n = y.length
  const gradient = new Float64Array(n + 1)
  const slopes = new Float64Array(n)
  return (x) => {
    const f = L.times(x.subarray(0, n))
    gradient[n] = 0
    let value = 0
    for (let i = 0; i < n; i++) {
      const margin = y[i]! * (f[i]! + x[n]!)
      value += softplus(-margin)
      slopes[i] = -y[i]! * sigmoid(-margin)
      gradient[n]! += slopes[i]!
    }
    gradient.set(L.transposedTimes(slopes))
    for (let j = 0; j < n; j++) {
      value += 0.5 * penalty * x[j]! * x[j]!
      gradient[j]! += penalty * x[j]!
    }
    return { value, gradient }
  }
}

interface Triangle {
  /** L x and Lᵀ x; what they return is overwritten by the next call. */
  times(x: Float64Array): Float64Array
  transposedTimes(x: Float64Array): Float64Array
  release(): void
}

/** Rows of a strip: L and Lᵀ lie in strips that leave out most of their zeros. */
const strip = 64

/** Nothing else may take kernel memory until it is released. */
function inKernels(L: Matrix): Triangle {
  const n = L.rows
  const host = engine()
  const strips: { readonly at: number; readonly rows: number; readonly lower: Buffer; readonly upper: Buffer }[] = []
  for (let at = 0; at < n; at += strip) {
    const rows = Math.min(strip, n - at)
    const [lower, upper] = [host.allocate(8 * rows * (at + rows)), host.allocate(8 * rows * (n - at))]
    strips.push({ at, rows, lower, upper })
  }
  const [from, to] = [host.allocate(8 * n), host.allocate(8 * n)]
  for (const { at, rows, lower, upper } of strips) {
    const [wide, left] = [at + rows, n - at]
    const below = host.view('f64', lower.address, rows * wide)
    for (let i = 0; i < rows; i++) below.set(L.data.subarray((at + i) * n, (at + i) * n + wide), i * wide)
    const above = host.view('f64', upper.address, rows * left)
    for (let i = at; i < n; i++) for (let j = 0; j < rows; j++) above[j * left + i - at] = L.data[i * n + at + j]!
  }
  const [x, y] = [host.view('f64', from.address, n), host.view('f64', to.address, n)] as [Float64Array, Float64Array]
  return {
    times(values) {
      x.set(values)
      for (const { at, rows, lower } of strips) {
        host.f64.gemv(to.address + 8 * at, lower.address, from.address, rows, at + rows)
      }
      return y
    },
    transposedTimes(values) {
      x.set(values)
      for (const { at, rows, upper } of strips) {
        host.f64.gemv(to.address + 8 * at, upper.address, from.address + 8 * at, rows, n - at)
      }
      return y
    },
    release() {
      for (const { lower, upper } of strips) for (const buffer of [lower, upper]) host.release(buffer)
      for (const buffer of [from, to]) host.release(buffer)
    },
  }
}

/** Lᵀ⁻¹ of the first entries. */
function solveTransposed(L: Matrix, theta: Float64Array): Float64Array {
  const n = L.rows
  const x = theta.slice(0, n)
  for (let i = n - 1; i >= 0; i--) {
    x[i]! /= L.data[i * n + i]!
    for (let j = 0; j < i; j++) x[j]! -= L.data[i * n + j]! * x[i]!
  }
  return x
}
