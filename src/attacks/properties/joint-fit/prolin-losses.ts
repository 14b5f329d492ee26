/** The three losses of PROLIN with their misprints corrected, or as printed, and their gradients. */

import { exp, log, log1p } from '../../../numeric/special/elementary-functions.js'
import { logAddExp } from '../../../numeric/special/log-sum-exp.js'
import type { FeatureSums } from '../detector/feature-sums.js'
import { type ByClient, byClient } from '../participation-matrix.js'

export type Likelihood = 'paper' | 'code'
/** Whether sums stand inside the squares, as they must, or outside, as they are printed. */
export type Printing = 'corrected' | 'printed'

/** A problem in X_ri over the entries of A (client by client) and tau_i. */
export interface ProlinProblem extends ByClient {
  readonly G: Float64Array // n
  readonly v: Float64Array // n
  /** G~_i: what the mean of X_ri over the rounds of client i should be. */
  readonly expected: Float64Array // N
  /** By entry. */
  readonly plusMean: Float64Array
  readonly plusStd: Float64Array
  readonly minusMean: Float64Array
  readonly minusStd: Float64Array
}

export function prolinProblem({ A, G, shapes }: FeatureSums, expected: Float64Array): ProlinProblem {
  const entries = byClient(A)
  const of = (key: 'plusMean' | 'plusStd' | 'minusMean' | 'minusStd'): Float64Array =>
    Float64Array.from(entries.round, (r) => shapes[r]![key])
  return {
    ...entries,
    G,
    expected,
    v: Float64Array.from(shapes, ({ v }) => v),
    plusMean: of('plusMean'),
    plusStd: of('plusStd'),
    minusMean: of('minusMean'),
    minusStd: of('minusStd'),
  }
}

export interface ProlinLosses {
  readonly ml: number
  readonly reg: number
  readonly lstsq: number
}

/** Where to add each loss's gradient with respect to X and tau. */
export interface ProlinGradients {
  readonly mlX: Float64Array
  readonly mlTau: Float64Array
  readonly regX: Float64Array
  readonly lstsqX: Float64Array
}

const halfLog2Pi = 0.918938533204672741780329736406

/** log of a normal density at x. */
export function logDensity(x: number, mean: number, std: number): number {
  const z = (x - mean) / std
  return -0.5 * z * z - log(std) - halfLog2Pi
}

/** log prod f+ and log prod f- over the rounds of client i. */
export function logProducts(problem: ProlinProblem, X: Float64Array, i: number): readonly [number, number] {
  let [plus, minus] = [0, 0]
  for (let p = problem.start[i]!; p < problem.start[i + 1]!; p++) {
    plus += logDensity(X[p]!, problem.plusMean[p]!, problem.plusStd[p]!)
    minus += logDensity(X[p]!, problem.minusMean[p]!, problem.minusStd[p]!)
  }
  return [plus, minus]
}

/**
 * L_ml = -sum_i log(tau_i prod_r f+ + (1 - tau_i) prod_r f-) over r in R(i); as in the published code instead
 *   -sum_{r,i} log(1 + tau_i f+ + (1 - tau_i) f-).
 * L_reg = sum_i (mean of X_ri over R(i) - G~_i)^2; as printed sum_{i, r in R(i)} (X_ri / |R(i)| - G~_i)^2.
 * L_lstsq = sum_r v_r (G_r - sum_i A_ri X_ri)^2; as printed sum_{i,r} v_r (G_r - A_ri X_ri)^2.
 * departs: [prolin] prints both sums outside the squares.
 */
export function prolinLosses(
  problem: ProlinProblem,
  at: Point,
  {
    likelihood = 'paper',
    printing = 'corrected',
    gradients,
  }: { readonly likelihood?: Likelihood; readonly printing?: Printing; readonly gradients?: ProlinGradients } = {},
): ProlinLosses {
  const { X, tau } = at
  const likely = likelihood === 'paper' ? byProducts : byEntries
  let ml = 0
  for (let i = 0; i < problem.clients; i++) ml += likely(problem, { X, tau: tau[i]!, i, gradients })
  return { ml, ...(printing === 'corrected' ? squares : squaresAsPrinted)(problem, X, gradients) }
}

interface Point {
  readonly X: Float64Array
  readonly tau: Float64Array
}

type Squares = (
  problem: ProlinProblem,
  X: Float64Array,
  gradients: ProlinGradients | undefined,
) => Omit<ProlinLosses, 'ml'>

const squares: Squares = ({ clients: N, rounds: n, start, round, weight, G, v, expected }, X, gradients) => {
  let [reg, lstsq] = [0, 0]
  const residual = G.slice()
  for (let i = 0; i < N; i++) {
    const R = start[i + 1]! - start[i]!
    let mean = 0
    for (let p = start[i]!; p < start[i + 1]!; p++) {
      mean += X[p]! / R
      residual[round[p]!]! -= weight[p]! * X[p]!
    }
    const off = R === 0 ? 0 : mean - expected[i]!
    reg += off * off
    if (gradients !== undefined) for (let p = start[i]!; p < start[i + 1]!; p++) gradients.regX[p]! += (2 * off) / R
  }
  for (let r = 0; r < n; r++) lstsq += v[r]! * residual[r]! * residual[r]!
  for (let p = 0; gradients !== undefined && p < X.length; p++) {
    gradients.lstsqX[p]! -= 2 * v[round[p]!]! * residual[round[p]!]! * weight[p]!
  }
  return { reg, lstsq }
}

const squaresAsPrinted: Squares = ({ clients: N, rounds: n, start, round, weight, G, v, expected }, X, gradients) => {
  let [reg, lstsq] = [0, 0]
  // Of clients that took no part in a round the whole sum is left, whatever X is.
  for (let r = 0; r < n; r++) lstsq += N * v[r]! * G[r]! * G[r]!
  for (let i = 0; i < N; i++) {
    const R = start[i + 1]! - start[i]!
    for (let p = start[i]!; p < start[i + 1]!; p++) {
      const r = round[p]!
      const off = X[p]! / R - expected[i]!
      const left = G[r]! - weight[p]! * X[p]!
      reg += off * off
      lstsq += v[r]! * (left * left - G[r]! * G[r]!)
      if (gradients === undefined) continue
      gradients.regX[p]! += (2 * off) / R
      gradients.lstsqX[p]! -= 2 * v[r]! * left * weight[p]!
    }
  }
  return { reg, lstsq }
}

interface OneClient {
  readonly X: Float64Array
  readonly tau: number
  readonly i: number
  readonly gradients: ProlinGradients | undefined
}

function byProducts(problem: ProlinProblem, { X, tau, i, gradients }: OneClient): number {
  const { start, plusMean, plusStd, minusMean, minusStd } = problem
  const [plus, minus] = logProducts(problem, X, i)
  const mix = logAddExp(log(tau) + plus, log(1 - tau) + minus)
  if (gradients === undefined) return -mix
  const [a, b] = [tau * exp(plus - mix), (1 - tau) * exp(minus - mix)]
  for (let p = start[i]!; p < start[i + 1]!; p++) {
    const up = (X[p]! - plusMean[p]!) / (plusStd[p]! * plusStd[p]!)
    const down = (X[p]! - minusMean[p]!) / (minusStd[p]! * minusStd[p]!)
    gradients.mlX[p]! += a * up + b * down
  }
  gradients.mlTau[i]! += exp(minus - mix) - exp(plus - mix)
  return -mix
}

function byEntries(problem: ProlinProblem, { X, tau, i, gradients }: OneClient): number {
  const { start, plusMean, plusStd, minusMean, minusStd } = problem
  let loss = 0
  for (let p = start[i]!; p < start[i + 1]!; p++) {
    const plus = exp(logDensity(X[p]!, plusMean[p]!, plusStd[p]!))
    const minus = exp(logDensity(X[p]!, minusMean[p]!, minusStd[p]!))
    const mix = tau * plus + (1 - tau) * minus
    loss -= log1p(mix)
    if (gradients === undefined) continue
    const up = (X[p]! - plusMean[p]!) / (plusStd[p]! * plusStd[p]!)
    const down = (X[p]! - minusMean[p]!) / (minusStd[p]! * minusStd[p]!)
    gradients.mlX[p]! += (tau * plus * up + (1 - tau) * minus * down) / (1 + mix)
    gradients.mlTau[i]! -= (plus - minus) / (1 + mix)
  }
  return loss
}
