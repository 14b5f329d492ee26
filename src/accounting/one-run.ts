/** A lower bound on epsilon from one training with canaries, each put in by a fair coin: what guessing them right says. */
import { OverhearError } from '../errors.js'
import { incompleteBeta } from '../numeric/special/beta.js'
import { exp, log1p, sigmoid } from '../numeric/special/elementary-functions.js'
import { logBinomial } from '../numeric/special/gamma.js'
import { normalCdf } from '../numeric/special/normal.js'
import { normalQuantile } from '../numeric/special/normal-quantile.js'
import { gaussianEpsilon } from './analytic-gaussian.js'

/** Of `canaries` that were in or out by fair coins, some were guessed, and so many of the guesses were right. */
export interface Guessed {
  readonly canaries: number
  readonly guesses: number
  readonly correct: number
}

export interface OneRunOptions {
  readonly delta: number
  /** How sure the bound is to hold, over coins and noise. */
  readonly confidence: number
}

function checkGuessed({ canaries, guesses, correct }: Guessed): void {
  const whole = [canaries, guesses, correct].every((n) => Number.isSafeInteger(n) && n >= 0)
  if (whole && canaries <= 1e7 && guesses <= canaries && correct <= guesses) return
  throw new OverhearError(
    'E_VALUE',
    `${correct} of ${guesses} guesses right among ${canaries} canaries`,
    'whole numbers are needed, correct <= guesses <= canaries <= 1e7',
  )
}

function checkOptions({ delta, confidence }: OneRunOptions): void {
  if (!(delta >= 0 && delta < 1)) throw new OverhearError('E_VALUE', `delta is ${delta}`, 'it must lie in 0..1')
  if (!(confidence > 0 && confidence < 1)) {
    throw new OverhearError('E_VALUE', `a confidence of ${confidence}`, 'it must lie between 0 and 1, such as 0.95')
  }
}

/**
 * The chance of so many right guesses if (epsilon, delta) held, at most. [steinke2023] Thm. 5.2:
 *   P[Bin(r, q) >= v] + 2 m delta max_i P[v > Bin(r, q) >= v - i] / i, q = 1 / (1 + e^-epsilon).
 */
export function oneRunPValue(guessed: Guessed, { epsilon, delta }: { epsilon: number; delta: number }): number {
  checkGuessed(guessed)
  const { canaries: m, guesses: r, correct: v } = guessed
  if (v === 0) return 1
  const q = sigmoid(epsilon)
  const tail = q === 1 ? 1 : incompleteBeta(q, { a: v, b: r - v + 1 })
  if (delta === 0) return tail
  const [logQ, logRest] = [-log1p(exp(-epsilon)), -epsilon - log1p(exp(-epsilon))]
  let [sum, most] = [0, 0]
  for (let i = 1; i <= Math.min(m, v); i++) {
    const k = v - i
    const one = exp(logBinomial(r, k) + k * logQ + (r - k) * logRest)
    // The probabilities rise to one top and fall: below the mean of those before, all others are too.
    if (i > 1 && one < most) break
    sum += one
    most = Math.max(most, sum / i)
  }
  return Math.min(1, tail + 2 * m * delta * most)
}

/** The largest epsilon that these guesses refute; 0 when they refute none. Holds for every mechanism and every canary. */
export function oneRunLowerBound(guessed: Guessed, options: OneRunOptions): number {
  checkOptions(options)
  const { delta, confidence } = options
  return largestRefuted((epsilon) => oneRunPValue(guessed, { epsilon, delta }) < 1 - confidence)
}

/** Bisection for where a refutation ends, from 0 up to 64. */
function largestRefuted(refutes: (x: number) => boolean): number {
  if (!refutes(0)) return 0
  let [low, high] = [0, 1]
  while (high < 64 && refutes(high)) high *= 2
  for (let i = 0; i < 44; i++) {
    const middle = 0.5 * (low + high)
    if (refutes(middle)) low = middle
    else high = middle
  }
  return low
}

/**
 * Whether a mechanism whose trade-off curve is that of two Gaussians mu apart is refuted by so many right guesses.
 * [mahloujifar2024] Alg. 3 for two values: r and h are shares of right and wrong guesses at and beyond each count.
 */
export function refutesGaussian(guessed: Guessed, { mu, significance }: { mu: number; significance: number }): boolean {
  checkGuessed(guessed)
  const { canaries: m, guesses, correct } = guessed
  if (correct === 0) return false
  let r = (significance * correct) / m
  let h = (significance * (guesses - correct)) / m
  for (let i = correct - 1; i >= 0; i--) {
    const next = Math.max(h, r >= 1 ? 1 : normalCdf(normalQuantile(r) - mu))
    r += (i / (guesses - i)) * (next - h)
    h = next
    if (r + h > guesses / m) return true
  }
  return false
}

/**
 * The epsilon at delta of the largest mu that the guesses refute: tighter than the bound above, for mechanisms whose trade-off
 * curve is a Gaussian one (noise on all records; an approximation for sampled ones).
 */
export function oneRunGaussianBound(guessed: Guessed, options: OneRunOptions): { mu: number; epsilon: number } {
  checkOptions(options)
  const significance = 1 - options.confidence
  const mu = largestRefuted((x) => refutesGaussian(guessed, { mu: x, significance }))
  return { mu, epsilon: mu === 0 ? 0 : gaussianEpsilon(mu, options.delta) }
}

/** Canaries with a score each (higher: rather in) and whether each was in. */
export interface ScoredCanaries {
  readonly scores: ArrayLike<number>
  readonly inTraining: ArrayLike<boolean>
}

export interface ThresholdOptions extends OneRunOptions {
  /** How the choice of how many to guess is paid for: by the number of choices, or with half of the canaries. */
  readonly thresholds: 'bonferroni' | 'split'
  /** Whatever the mechanism, or one whose trade-off curve is Gaussian; any unless told. */
  readonly curve?: 'any' | 'gaussian'
}

/** The best bound over how many are guessed, the choice paid for: the highest scores are called in, the lowest out. */
export function oneRunAudit(
  canaries: ScoredCanaries,
  options: ThresholdOptions,
): Guessed & { readonly epsilon: number } {
  checkOptions(options)
  const n = canaries.scores.length
  const least = options.thresholds === 'split' ? 4 : 2
  if (n !== canaries.inTraining.length || n < least) {
    throw new OverhearError(
      'E_SHAPE',
      `${n} scores for ${canaries.inTraining.length} canaries`,
      `one each, at least ${least}`,
    )
  }
  const { delta, confidence, curve = 'any' } = options
  const all = Array.from({ length: n }, (_, i) => i)
  if (options.thresholds === 'bonferroni') {
    const sizes = choices(n)
    const strict = 1 - (1 - confidence) / sizes.length
    return best(sizes.map((k) => bounded(guessedOf(canaries, all, k), { delta, confidence: strict, curve })))
  }
  // Coins are independent, so any half that is fixed beforehand may choose for the other.
  const [first, second] = [all.filter((i) => i % 2 === 0), all.filter((i) => i % 2 === 1)]
  const tried = choices(first.length).map((k) => ({
    k,
    ...bounded(guessedOf(canaries, first, k), { delta, confidence, curve }),
  }))
  const share = best(tried).guesses / first.length
  const k = Math.max(1, Math.min(Math.floor(second.length / 2), Math.round((share * second.length) / 2)))
  return bounded(guessedOf(canaries, second, k), { delta, confidence, curve })
}

/** How many to call in, and as many out. */
function choices(n: number): number[] {
  const out: number[] = []
  for (let k = Math.floor(n / 2); k >= 1; k = Math.floor(k / 2)) out.push(k)
  return out
}

function guessedOf({ scores, inTraining }: ScoredCanaries, among: readonly number[], k: number): Guessed {
  const order = [...among].sort((a, b) => scores[a]! - scores[b]! || a - b)
  const out = order.slice(0, k).filter((i) => !inTraining[i]).length
  const inside = order.slice(-k).filter((i) => inTraining[i]).length
  return { canaries: among.length, guesses: 2 * k, correct: out + inside }
}

const bounded = (guessed: Guessed, options: Omit<ThresholdOptions, 'thresholds'>) => {
  const epsilon =
    options.curve === 'gaussian' ? oneRunGaussianBound(guessed, options).epsilon : oneRunLowerBound(guessed, options)
  return { ...guessed, epsilon }
}

const best = <T extends { readonly epsilon: number }>(list: readonly T[]): T =>
  list.reduce((a, b) => (b.epsilon > a.epsilon ? b : a))
