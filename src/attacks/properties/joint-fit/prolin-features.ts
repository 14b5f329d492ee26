/** The X-step of PROLIN: given who is believed to have the property, the likeliest features that add up to the sums. */
import { cholesky, choleskySolve } from '../../../numeric/linalg/cholesky.js'
import { conjugateGradient } from '../../../numeric/linalg/conjugate-gradient.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { columnOf } from '../../../numeric/linalg/matrix-vector.js'
import type { ProlinProblem } from './prolin-losses.js'

/** How much f+ and f- each pull at an entry. */
export interface Pulls {
  readonly plus: Float64Array
  readonly minus: Float64Array
}

/** Rounds above which the system is solved by products alone. */
const mostDense = 500

/**
 * argmin over X of sum_p [plus_p (X_p - mu+)^2 / (2 s+^2) + minus_p (X_p - mu-)^2 / (2 s-^2)] + gamma L_reg, subject to
 * sum_i A_ri X_ri = G_r. The Hessian is H = diag(h) + k 1 1ᵀ for every client (k = 2 gamma / R^2), whose inverse is known;
 * the constraints bring one multiplier a round: A H⁻¹Aᵀ nu = G - A X0.
 */
export function likeliestFeatures(problem: ProlinProblem, pulls: Pulls, gamma: number): Float64Array {
  const { clients: N, rounds: n, start, round, weight, G, expected } = problem
  const { plusMean, plusStd, minusMean, minusStd } = problem
  const size = round.length
  const inverse = new Float64Array(size) // 1 / h
  const X = new Float64Array(size)
  const k = new Float64Array(N) // of H⁻¹ = diag(1/h) - k (1/h)(1/h)ᵀ
  for (let i = 0; i < N; i++) {
    const R = start[i + 1]! - start[i]!
    const pull = R === 0 ? 0 : (2 * gamma) / (R * R)
    let total = 0
    for (let p = start[i]!; p < start[i + 1]!; p++) {
      const a = pulls.plus[p]! / (plusStd[p]! * plusStd[p]!)
      const b = pulls.minus[p]! / (minusStd[p]! * minusStd[p]!)
      inverse[p] = 1 / (a + b)
      X[p] = a * plusMean[p]! + b * minusMean[p]! + pull * R * expected[i]!
      total += inverse[p]!
    }
    k[i] = pull / (1 + pull * total)
  }
  const solveHessian = (x: Float64Array): void => {
    for (let i = 0; i < N; i++) {
      let sum = 0
      for (let p = start[i]!; p < start[i + 1]!; p++) {
        x[p]! *= inverse[p]!
        sum += x[p]!
      }
      for (let p = start[i]!; p < start[i + 1]!; p++) x[p]! -= k[i]! * inverse[p]! * sum
    }
  }
  solveHessian(X)
  const summed = (x: Float64Array): Float64Array => {
    const sums = new Float64Array(n)
    for (let p = 0; p < size; p++) sums[round[p]!]! += weight[p]! * x[p]!
    return sums
  }
  const spread = (nu: Float64Array): Float64Array => {
    const x = new Float64Array(size)
    for (let p = 0; p < size; p++) x[p] = weight[p]! * nu[round[p]!]!
    solveHessian(x)
    return x
  }
  const missing = summed(X).map((sum, r) => G[r]! - sum)
  const nu = n <= mostDense ? dense() : byProducts()
  const step = spread(nu)
  for (let p = 0; p < size; p++) X[p]! += step[p]!
  return X

  function dense(): Float64Array {
    const S = matrix(n, n)
    for (let i = 0; i < N; i++) {
      for (let p = start[i]!; p < start[i + 1]!; p++) {
        const at = round[p]! * n
        S.data[at + round[p]!]! += weight[p]! * weight[p]! * inverse[p]!
        const factor = k[i]! * weight[p]! * inverse[p]!
        for (let q = start[i]!; q < start[i + 1]!; q++) S.data[at + round[q]!]! -= factor * weight[q]! * inverse[q]!
      }
    }
    // Rows and columns were summed in another order.
    for (let r = 0; r < n; r++) for (let s = 0; s < r; s++) S.data[r * n + s] = S.data[s * n + r]!
    return choleskySolve(cholesky(S), columnOf(missing)).data
  }
  function byProducts(): Float64Array {
    const apply = (x: Float64Array): Float64Array => summed(spread(x))
    const operator = { rows: n, cols: n, apply, applyTransposed: apply }
    return conjugateGradient(operator, missing, { tolerance: 1e-10 }).x
  }
}
