/** Bounds on how well a least-squares client's optimum can be reconstructed from noisy messages. [lmra] Obs. 5, 6; [aia] Thm. 1 */
import { OverhearError } from '../../errors.js'
import { log, power } from '../../numeric/special/elementary-functions.js'

export interface NoisyMessages {
  /** eta. */
  readonly learningRate: number
  /** sigma^2: the trace of the covariance of the mini-batch gradient's noise. */
  readonly gradientVariance: number
  /** Steps of one local update: E ceil(m / b). */
  readonly localSteps: number
  /** n_c. */
  readonly messages: number
  /** The largest eigenvalue of the client's Hessian, (2 / m) X^T X. */
  readonly curvature: number
}

export interface Bound {
  readonly value: number
  /** Whether the learning rate is small enough for the proof. */
  readonly applies: boolean
  /** What the bound rests on. */
  readonly note: string
}

/** No estimator has E |estimate - theta*|^2 below this, when eta <= 1 / (2 curvature). */
// departs: [lmra] Obs. 6 prints a factor d more: (22) takes the noise of one coordinate, (24) hands it that of all.
export function reconstructionErrorFloor(input: NoisyMessages): Bound {
  checkPositive(input)
  const { learningRate: eta, gradientVariance, localSteps: K, messages, curvature } = input
  const value = ((4 * eta * eta * gradientVariance) / (555 * messages)) * (1 - power(4, -K))
  return {
    value,
    applies: eta * curvature <= 0.5,
    note: 'of the squared error, in expectation; the noise is taken as normal and alike in all directions',
  }
}

export interface Regression extends NoisyMessages {
  /** d. */
  readonly dimension: number
  /** rho_min: the smallest singular value of [theta, -1] / sqrt(n_c), one row per message. */
  readonly leastSingularValue: number
  /** |W^-1|: one over the smallest singular value of the estimated W. */
  readonly inverseNorm: number
  /** |theta*|. */
  readonly optimumNorm: number
  /** The probability that the bound should hold with. */
  readonly confidence: number
}

export interface RegressionBound extends Bound {
  /** Of |[W, v]^ - [W, v]|_F^2, in expectation: (16). */
  readonly coefficientErrorSq: number
}

/** |estimate - theta*| stays below `value` with the probability asked for, when eta <= 1 / curvature: (16), (20), (21). */
// departs: rho_min is squared, which [lmra] (15), (16) and (21) forget, and (21) takes the root of (16). The constant
// that (15) hides is d + 1 in place of d, the regression's columns. d^B of (18) is the norm that it bounds, and Markov's
// inequality is used once, as (16) bounds both errors together.
export function reconstructionErrorCeiling(input: Regression): RegressionBound {
  checkPositive(input)
  const { learningRate: eta, gradientVariance, localSteps: K, messages, curvature } = input
  const { dimension: d, leastSingularValue: rho, inverseNorm, optimumNorm, confidence } = input
  if (!(confidence < 1)) {
    throw new OverhearError('E_VALUE', `a confidence of ${confidence}`, 'it must lie between 0 and 1')
  }
  const coefficientErrorSq = ((d + 1) * eta * eta * gradientVariance * K) / (messages * rho * rho)
  return {
    coefficientErrorSq,
    value: inverseNorm * Math.sqrt(coefficientErrorSq / (1 - confidence)) * (1 + optimumNorm),
    applies: eta * curvature <= 1,
    note:
      'the server models are taken as given before the noise, which they are not in a federation: each carries the ' +
      "noise of the client's messages before it",
  }
}

export interface InverseRegression extends NoisyMessages {
  /** d. */
  readonly dimension: number
  /** The smallest eigenvalue of [Delta, 1]^T [Delta, 1] / n_c, one row per message. */
  readonly leastEigenvalue: number
  /** lambda_min(W). */
  readonly leastContraction: number
  /** delta: the bound should fail with this probability at most. */
  readonly failure: number
}

/** |estimate - theta*| of [aia] Alg. 3, the regression of theta on [Delta, 1], by [aia] (18); when eta <= 1 / curvature. */
// departs: (6) and (7) leave out 1 / lambda_min(W), which (18) has, and (7) has a root of d more than (6) and (18). The
// constant that O hides is 1, as in (18). sigma^2 of a component is the trace over d.
export function inverseErrorCeiling(input: InverseRegression): Bound {
  checkPositive(input)
  const { learningRate: eta, gradientVariance, localSteps: K, messages, curvature } = input
  const { dimension: d, leastEigenvalue, leastContraction, failure } = input
  if (!(failure < 1)) throw new OverhearError('E_VALUE', `a probability of ${failure}`, 'it lies between 0 and 1')
  const sigma = Math.sqrt(gradientVariance / d)
  const logs = d + 1 + log((2 * d) / failure)
  return {
    value: ((d * eta * sigma) / leastContraction) * Math.sqrt((K * logs) / (messages * leastEigenvalue)),
    applies: eta * curvature <= 1,
    note:
      'the noise of a message stands in what is regressed on, too, which the proof does not have (its third assumption ' +
      'does not help): the estimate stays biased however many messages there are, and the bound falls below its error',
  }
}

/** Every number is positive and finite; the variance and the length of the optimum may be 0. */
function checkPositive(input: NoisyMessages): void {
  for (const [name, value] of Object.entries(input)) {
    const mayBeZero = name === 'gradientVariance' || name === 'optimumNorm'
    if (Number.isFinite(value) && (value > 0 || (value === 0 && mayBeZero))) continue
    throw new OverhearError('E_VALUE', `${name} is ${value}`, mayBeZero ? 'it is 0 or above' : 'it is above 0')
  }
}
