/** Weights for messages whose noise changes with the rounds, and the choice of a form: both by the messages alone. */
import { leastSquares } from '../../numeric/linalg/least-squares.js'
import { type Matrix, matrix, multiply, rowsOf } from '../../numeric/linalg/matrix.js'
import { exp, log } from '../../numeric/special/elementary-functions.js'
import { meanOf } from '../../numeric/special/summaries.js'
import { type AffineFit, type Form, fitAffine, type Pairs } from './affine-fit.js'

const STEEPEST = 9.2 // log of the largest ratio of variances between first and last round, 1e4

/**
 * Feasible generalised least squares with log variance = a + b round: b from the squared misfits of an unweighted fit,
 * then of the weighted one. Early rounds are the noisier ones as long as the noise of a batch grows with the gradient.
 */
export function weightsByRound(pairs: Pairs, rounds: readonly number[], form: Form): Float64Array {
  const n = rounds.length
  const [first, last] = [rounds[0]!, rounds[n - 1]!]
  const x = rounds.map((t) => (last === first ? 0 : (t - first) / (last - first) - 0.5))
  let weights: Float64Array = new Float64Array(n).fill(1)
  for (let pass = 0; pass < 2; pass++) {
    const slope = Math.min(Math.max(slopeOf(x, logMisses(fitAffine(pairs, { form, weights }))), -STEEPEST), STEEPEST)
    weights = Float64Array.from(x, (at) => exp(-slope * at))
  }
  return weights
}

/** log |W^-1 r_i|^2, the weight taken out again. */
function logMisses({ misses: { rows: n, cols: d, data }, weights }: AffineFit): Float64Array {
  const logs = new Float64Array(n)
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < n; i++) {
    let sum = 0
    for (let j = 0; j < d; j++) sum += data[i * d + j]! * data[i * d + j]!
    logs[i] = sum / weights[i]!
    if (sum > 0) least = Math.min(least, logs[i]!)
  }
  return logs.map((s) => (least === Number.POSITIVE_INFINITY ? 0 : log(Math.max(s, least))))
}

function slopeOf(x: readonly number[], y: Float64Array): number {
  const [mx, my] = [meanOf(x), meanOf(y)]
  let [xy, xx] = [0, 0]
  for (const [i, at] of x.entries()) {
    xy += (at - mx) * (y[i]! - my)
    xx += (at - mx) * (at - mx)
  }
  return xx === 0 ? 0 : xy / xx
}

const FOLDS = 5
const forms: readonly Form[] = ['direct', 'inverse', 'tls']

export interface FormScores {
  readonly form: Form
  /** Mean squared misfit on held-out messages over that of no model at all, by form; null when there were too few. */
  readonly heldOut: Readonly<Record<Form, number>> | null
}

/**
 * The form whose optimum explains held-out messages best. Each form proposes a theta* from four fifths; the slope through
 * it is fitted to the same part by least squares for all forms alike, as only theta* is on trial.
 */
export function chooseForm({ theta, descent }: Pairs): FormScores {
  const [n, d] = [theta.rows, theta.cols]
  const few = n - Math.ceil(n / FOLDS) < d + 2
  if (few || fitAffine({ theta, descent }, { form: 'direct' }).rank < d) return { form: 'direct', heldOut: null }
  const misses: Record<Form, number> = { direct: 0, inverse: 0, tls: 0 }
  let size = 0
  for (let fold = 0; fold < FOLDS; fold++) {
    const part = (held: boolean): Pairs => {
      const chosen = indices(n).filter((i) => (i % FOLDS === fold) === held)
      return { theta: rowsOf(theta, chosen), descent: rowsOf(descent, chosen) }
    }
    const [train, held] = [part(false), part(true)]
    for (const x of held.descent.data) size += x * x
    for (const form of forms) {
      const { optimum } = fitAffine(train, { form })
      const slope = leastSquares(less(train.theta, optimum), train.descent).X
      const predicted = multiply(less(held.theta, optimum), slope)
      predicted.data.forEach((x, i) => {
        misses[form] += (held.descent.data[i]! - x) * (held.descent.data[i]! - x)
      })
    }
  }
  const best = forms.reduce((a, b) => (misses[b] < misses[a] ? b : a))
  const heldOut = Object.fromEntries(forms.map((form) => [form, misses[form] / (size || 1)])) as Record<Form, number>
  return { form: best, heldOut }
}

const indices = (n: number): number[] => Array.from({ length: n }, (_, i) => i)

const less = ({ rows, cols, data }: Matrix, from: Float64Array): Matrix =>
  matrix(
    rows,
    cols,
    data.map((x, i) => x - from[i % cols]!),
  )
