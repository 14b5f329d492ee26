/** Logistic regression that sees its examples only through their inner products: long examples cost nothing here. */
import { OverhearError } from '../../errors.js'
import { cholesky } from '../../numeric/cholesky.js'
import { lbfgs } from '../../numeric/lbfgs.js'
import { type Matrix, matrix } from '../../numeric/matrix.js'
import { columnOf } from '../../numeric/matrix-vector.js'
import { type Evaluation, minimise } from '../../numeric/optimiser.js'
import { sigmoid, softplus } from '../../numeric/scalar.js'
import { solveUpper } from '../../numeric/triangular.js'

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
  const scaled = matrix(
    n,
    n,
    K.data.map((v, at) => v / kappa + (at % (n + 1) === 0 ? jitter : 0)),
  )
  const L = cholesky(scaled)
  const y = Float64Array.from(positive, (is) => (is ? 1 : -1))
  let theta: Float64Array = new Float64Array(n + 1)
  return penalties.map((penalty) => {
    const objective = objectiveOf(L, y, penalty)
    const found = minimise(lbfgs(), objective, theta, { maxIterations: 200, gradientTolerance: 1e-5 * n })
    theta = found.x
    const beta = solveUpper(transposed(L), columnOf(theta.slice(0, n))).data.map((v) => v / kappa)
    return { beta, intercept: theta[n]!, penalty }
  })
}

/** Over theta with f = L theta + b, b the last entry. */
function objectiveOf(L: Matrix, y: Float64Array, penalty: number): (x: Float64Array) => Evaluation {
  const n = y.length
  const gradient = new Float64Array(n + 1)
  return (x) => {
    gradient.fill(0)
    let value = 0
    for (let i = 0; i < n; i++) {
      const row = L.data.subarray(i * n, i * n + i + 1)
      let f = x[n]!
      for (let j = 0; j <= i; j++) f += row[j]! * x[j]!
      value += softplus(-y[i]! * f)
      const slope = -y[i]! * sigmoid(-y[i]! * f)
      for (let j = 0; j <= i; j++) gradient[j]! += slope * row[j]!
      gradient[n]! += slope
    }
    for (let j = 0; j < n; j++) {
      value += 0.5 * penalty * x[j]! * x[j]!
      gradient[j]! += penalty * x[j]!
    }
    return { value, gradient }
  }
}

function transposed(L: Matrix): Matrix {
  const n = L.rows
  const U = matrix(n, n)
  for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) U.data[j * n + i] = L.data[i * n + j]!
  return U
}
