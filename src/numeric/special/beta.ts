/** The regularised incomplete beta function I_x(a, b), the distribution function of Beta(a, b), and its inverse. */
import { internal, OverhearError } from '../../errors.js'
import { exp, log, log1p, softplus } from './elementary-functions.js'
import { twoProduct, twoSum } from './error-free.js'
import { stirlingCorrection } from './gamma.js'

export interface BetaShape {
  readonly a: number
  readonly b: number
}

/** A point of [0, 1] seen from both ends, so that neither loses its accuracy, and in logarithms, which outlast it. */
interface Point {
  readonly x: number
  readonly y: number // 1 - x
  readonly logX: number
  readonly logY: number
}

/** I_x(a, b) for 0 <= x <= 1 and a, b > 0: relative accuracy below the mean, absolute above it. */
export function incompleteBeta(x: number, shape: BetaShape): number {
  checkShape(shape)
  if (!(x >= 0 && x <= 1)) throw new OverhearError('E_VALUE', `incomplete beta at x = ${x}`, 'x must lie in 0..1')
  if (x === 0 || x === 1) return x
  const { logTail, lower } = smallerTail({ x, y: 1 - x, logX: log(x), logY: log1p(-x) }, shape)
  return lower ? exp(logTail) : 1 - exp(logTail)
}

/** The x with I_x(a, b) = p. */
export function incompleteBetaQuantile(p: number, shape: BetaShape): number {
  checkShape(shape)
  if (!(p >= 0 && p <= 1)) throw new OverhearError('E_VALUE', `beta quantile of p = ${p}`, 'p must lie in 0..1')
  if (p === 0 || p === 1) return p
  const { a, b } = shape
  const wantLower = p <= 0.5
  const target = wantLower ? log(p) : log1p(-p)
  // In u = log(x / y) the density is log-concave, so the logarithm of either tail is concave in u: Newton's method
  // converges from anywhere, monotonically after its first step.
  let u = log(a / b)
  for (let step = 0; step < 200; step++) {
    const logX = -softplus(-u)
    const logY = -softplus(u)
    const { logDensity, logTail, lower } = smallerTail({ x: exp(logX), y: exp(logY), logX, logY }, shape)
    const value = lower === wantLower ? logTail : log1p(-exp(logTail))
    const missing = target - value
    u += (wantLower ? missing : -missing) / exp(logDensity - value)
    if (Math.abs(missing) < 1e-8) return 1 / (1 + exp(-u)) // and the step just made squared that error
  }
  throw internal(`the quantile of Beta(${a}, ${b}) at ${p} did not settle`)
}

function checkShape({ a, b }: BetaShape): void {
  if (a > 0 && b > 0 && a < 1e15 && b < 1e15) return
  throw new OverhearError('E_VALUE', `beta shape a = ${a}, b = ${b}`, 'both must be above 0 and below 1e15')
}

/** The tail on x's own side of the mean, and log(x^a y^b / B(a, b)), the density of log(x / y). */
function smallerTail(point: Point, { a, b }: BetaShape): { logTail: number; logDensity: number; lower: boolean } {
  const { x, y } = point
  const lambda = meanExcess(point, { a, b })
  const logDensity = logPowers(point, { a, b }, lambda)
  const lower = lambda >= 0
  const fraction = lower ? continuedFraction(x, lambda, { a, b }) : continuedFraction(y, -lambda, { a: b, b: a })
  return { logTail: logDensity - log(fraction), logDensity, lower }
}

/** lambda = a y - b x, rounded once: it is small near the mean, where everything depends on it. */
function meanExcess({ x, y }: Point, { a, b }: BetaShape): number {
  if (x > y) return -meanExcess({ x: y, y: x, logX: 0, logY: 0 }, { a: b, b: a })
  const [ax, axError] = twoProduct(a, x)
  const [bx, bxError] = twoProduct(b, x)
  const [s, sError] = twoSum(a, -ax)
  const [t, tError] = twoSum(s, -bx)
  return t + (sError + tError - axError - bxError)
}

/**
 * log(x^a y^b / B(a, b)) without the cancellation of its parts: with n = a + b, r = x n / a and s = y n / b, the
 * powers are a (log r - r + 1) + b (log s - s + 1), both negative, since a (r - 1) + b (s - 1) = 0.
 */
function logPowers({ x, y, logX, logY }: Point, { a, b }: BetaShape, lambda: number): number {
  const n = a + b
  const powers =
    a * logLessLinear({ excess: -lambda / a, value: x, logValue: logX, scale: n / a }) +
    b * logLessLinear({ excess: lambda / b, value: y, logValue: logY, scale: n / b })
  const corrections = stirlingCorrection(n) - stirlingCorrection(a) - stirlingCorrection(b)
  return powers + corrections + 0.5 * log((a * (b / n)) / (2 * Math.PI))
}

interface Ratio {
  readonly excess: number // t
  readonly value: number
  readonly logValue: number
  readonly scale: number
}

/** log(1 + t) - t, where 1 + t = scale value. */
function logLessLinear({ excess: t, value, logValue, scale }: Ratio): number {
  if (Math.abs(t) > 0.4) return (value > 1e-290 ? log(scale * value) : log(scale) + logValue) - t
  // log(1 + t) = 2 artanh(v); the terms linear in t are taken away by hand
  const v = t / (2 + t)
  const w = v * v
  let sum = 0
  for (let k = 27; k >= 3; k -= 2) sum = sum * w + 1 / k
  return 2 * v * w * sum - t * v
}

/**
 * x^a y^b / (B(a, b) I_x(a, b)) for lambda >= 0, by the even part of the classic continued fraction (DiDonato and
 * Morris 1992, algorithm 708): it needs of the order of sqrt(max(a, b)) terms. Evaluated by Lentz's rule.
 */
function continuedFraction(x: number, lambda: number, { a, b }: BetaShape): number {
  let f = (a * (lambda + 1)) / (a + 1)
  let C = f
  let D = 0
  for (let m = 1; m < 1e7; m++) {
    const step = a + 2 * m - 1
    const alpha = ((a + m - 1) / step) * ((a + b + m - 1) / step) * m * (b - m) * x * x
    const beta = m + (m * (b - m) * x) / step + ((a + m) * (lambda + 1 + m * (2 - x))) / (step + 2)
    D = 1 / (beta + alpha * D)
    C = beta + alpha / C
    const change = C * D
    f *= change
    if (Math.abs(change - 1) < 5e-16) return f
  }
  throw internal(`the continued fraction of I_x(${a}, ${b}) at x = ${x} did not settle`)
}
