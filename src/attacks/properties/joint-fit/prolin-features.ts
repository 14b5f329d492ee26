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

/** The inverse of every client's Hessian: diag(inverse) - k inverse inverseᵀ. */
interface Hessian {
  readonly inverse: Float64Array // 1 / h, of every entry
  readonly k: Float64Array // of every client
}

/**
 * argmin over X of sum_p [plus_p (X_p - mu+)^2 / (2 s+^2) + minus_p (X_p - mu-)^2 / (2 s-^2)] + gamma L_reg, subject to
 * sum_i A_ri X_ri = G_r. The Hessian is H = diag(h) + k 1 1ᵀ for every client (k = 2 gamma / R^2), whose inverse is known;
 * the constraints bring one multiplier a round: A H⁻¹Aᵀ nu = G - A X0.
 */
export function likeliestFeatures(problem: ProlinProblem, pulls: Pulls, gamma: number): Float64Array {
  const { hessian, X } = pulled(problem, pulls, gamma)
  solveHessian(problem, hessian, X)
  const missing = summed(problem, X).map((sum, r) => problem.G[r]! - sum)
  const solve = problem.rounds <= mostDense ? byCholesky : byProducts
  const step = spread(problem, hessian, solve(problem, hessian, missing))
  for (let p = 0; p < X.length; p++) X[p]! += step[p]!
  return X
}

/** The Hessian, and what X is pulled towards: H X0. */
function pulled(problem: ProlinProblem, pulls: Pulls, gamma: number): { hessian: Hessian; X: Float64Array } {
  const { clients: N, start, expected, plusMean, plusStd, minusMean, minusStd } = problem
  const size = problem.round.length
  const inverse = new Float64Array(size)
  const X = new Float64Array(size)
  const k = new Float64Array(N)
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
  return { hessian: { inverse, k }, X }
}

/** x becomes H⁻¹x. */
function solveHessian({ clients: N, start }: ProlinProblem, { inverse, k }: Hessian, x: Float64Array): void {
  for (let i = 0; i < N; i++) {
    let sum = 0
    for (let p = start[i]!; p < start[i + 1]!; p++) {
      x[p]! *= inverse[p]!
      sum += x[p]!
    }
    for (let p = start[i]!; p < start[i + 1]!; p++) x[p]! -= k[i]! * inverse[p]! * sum
  }
}

/** A x */
function summed({ rounds, round, weight }: ProlinProblem, x: Float64Array): Float64Array {
  const sums = new Float64Array(rounds)
  for (let p = 0; p < x.length; p++) sums[round[p]!]! += weight[p]! * x[p]!
  return sums
}

/** H⁻¹Aᵀ nu */
function spread(problem: ProlinProblem, hessian: Hessian, nu: Float64Array): Float64Array {
  const { round, weight } = problem
  const x = new Float64Array(round.length)
  for (let p = 0; p < x.length; p++) x[p] = weight[p]! * nu[round[p]!]!
  solveHessian(problem, hessian, x)
  return x
}

function byCholesky(problem: ProlinProblem, { inverse, k }: Hessian, missing: Float64Array): Float64Array {
  const { clients: N, rounds: n, start, round, weight } = problem
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

function byProducts(problem: ProlinProblem, hessian: Hessian, missing: Float64Array): Float64Array {
  const { rounds: n } = problem
  const apply = (x: Float64Array): Float64Array => summed(problem, spread(problem, hessian, x))
  const operator = { rows: n, cols: n, apply, applyTransposed: apply }
  return conjugateGradient(operator, missing, { tolerance: 1e-10 }).x
}
