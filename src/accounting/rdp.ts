/** Rényi divergences of one step, of any order above 1, in logarithms: exact for Poisson batches, a bound for fixed ones. */
import { exp, log, log1p, softplus } from '../numeric/special/elementary-functions.js'
import { logBinomial } from '../numeric/special/gamma.js'
import { logSumExp } from '../numeric/special/log-sum-exp.js'

/** log(e^z - 1), z > 0. */
const logExpm1 = (z: number): number => (z < 1e-5 ? log(z) + 0.5 * z : z + log1p(-exp(-z)))

const halfLogTwoPi = 0.9189385332046728

/**
 * The Rényi divergence of order `alpha` between (1 - q) N(0, sigma^2) + q N(1, sigma^2) and N(0, sigma^2), the larger of both
 * directions. [mironov2019] Sec. 3.3
 */
export function sampledGaussianRdp({ sigma, q, alpha }: { sigma: number; q: number; alpha: number }): number {
  if (q === 1) return alpha / (2 * sigma * sigma)
  const logExcess = Number.isInteger(alpha) ? wholeExcess(sigma, q, alpha) : brokenExcess(sigma, q, alpha)
  return softplus(logExcess) / (alpha - 1)
}

/**
 * log(A_alpha - 1), A_alpha = sum_k (alpha over k) (1 - q)^(alpha - k) q^k e^(k (k - 1) / (2 sigma^2)). The weights sum to 1, so
 * that each term may be taken less 1, and nothing cancels.
 */
function wholeExcess(sigma: number, q: number, alpha: number): number {
  const terms = new Float64Array(alpha - 1)
  const odds = log(q) - log1p(-q)
  const none = alpha * log1p(-q)
  let logChoices = log(alpha)
  for (let k = 2; k <= alpha; k++) {
    logChoices += log((alpha - k + 1) / k)
    const z = (k * (k - 1)) / (2 * sigma * sigma)
    terms[k - 2] = logChoices + none + k * odds + logExpm1(z)
  }
  return logSumExp(terms)
}

/**
 * The same for any order: E[(1 + u)^alpha - 1 - alpha u], u = q (e^((2 x - 1) / (2 sigma^2)) - 1), x ~ N(0, sigma^2), whose terms
 * are all positive, by the trapezoidal rule. The integrand is analytic within pi sigma^2 of the line, so that the step below
 * leaves an error of some e^-40.
 * departs: [mironov2019] has a series of erfc terms of alternating sign, which needs care in its tail.
 */
function brokenExcess(sigma: number, q: number, alpha: number): number {
  const h = Math.min(0.5 * sigma, 0.49 * sigma * sigma)
  const low = -12 * sigma
  const n = Math.ceil((alpha + 12 * sigma - low) / h)
  const terms = new Float64Array(n + 1)
  for (let i = 0; i <= n; i++) {
    const x = low + i * h
    const logRatio = (2 * x - 1) / (2 * sigma * sigma)
    terms[i] = logBernoulliExcess(q, logRatio, alpha) - (0.5 * x * x) / (sigma * sigma)
  }
  return logSumExp(terms) + log(h / sigma) - halfLogTwoPi
}

/** log((1 + u)^alpha - 1 - alpha u), u = q (e^logRatio - 1). */
function logBernoulliExcess(q: number, logRatio: number, alpha: number): number {
  if (logRatio > 500) return alpha * (log(q) + logRatio) + log1p(-exp(log(alpha) - (alpha - 1) * (log(q) + logRatio)))
  const u = q * (exp(logRatio) - 1)
  if (Math.abs(u) * (alpha + 2) < 0.05) {
    let series = 0
    for (let k = 9; k >= 2; k--) series = ((alpha - k) / (k + 1)) * u * (1 + series)
    return log(0.5 * alpha * (alpha - 1) * u * u) + log1p(series)
  }
  const logPower = alpha * log1p(u)
  if (logPower > 30) return logPower + log1p(-exp(-logPower) * (1 + alpha * u))
  return log(exp(logPower) - 1 - alpha * u)
}

/** The Rényi divergence of Laplace noise. [mironov2017] Table II */
export function laplaceRdp(scale: number, alpha: number): number {
  const a = log(alpha / (2 * alpha - 1)) + (alpha - 1) / scale
  const b = log((alpha - 1) / (2 * alpha - 1)) - alpha / scale
  return logSumExp([a, b]) / (alpha - 1)
}

/**
 * A bound for batches of fixed size under replacement, `sigma` relative to the distance by which a replaced record moves the
 * sum. [wang2019] Thm. 9 with its tighter form for Gaussians; between whole orders (alpha - 1) D is convex, so the chord bounds it.
 */
export function fixedSizeRdp({ sigma, q, alpha }: { sigma: number; q: number; alpha: number }): number {
  if (q === 1) return alpha / (2 * sigma * sigma)
  const below = Math.floor(alpha)
  const share = alpha - below
  const low = below === 1 ? 0 : fixedSizeMoment(sigma, q, below)
  const high = share === 0 ? low : fixedSizeMoment(sigma, q, below + 1)
  return ((1 - share) * low + share * high) / (alpha - 1)
}

/** log(1 + sum_j q^j (alpha over j) min(4 sqrt(B(2 floor(j/2)) B(2 ceil(j/2))), 2 e^((j - 1) eps(j)))), alpha whole. */
function fixedSizeMoment(sigma: number, q: number, alpha: number): number {
  const terms: number[] = []
  for (let j = 2; j <= alpha; j++) {
    const plain = Math.LN2 + (j * (j - 1)) / (2 * sigma * sigma)
    const even = 2 * Math.floor(j / 2)
    const moments = 0.5 * (logCentralMoment(sigma, even) + logCentralMoment(sigma, j % 2 === 0 ? even : even + 2))
    terms.push(j * log(q) + logBinomial(alpha, j) + Math.min(2 * Math.LN2 + moments, plain))
  }
  return softplus(logSumExp(terms))
}

const centralMoments = new Map<string, number>()

/** log B(l) = log E[(r - 1)^l], l even, r = e^((2 x - 1) / (2 sigma^2)), x ~ N(0, sigma^2): by quadrature, as its sum alternates. */
function logCentralMoment(sigma: number, l: number): number {
  const key = `${sigma} ${l}`
  const known = centralMoments.get(key)
  if (known !== undefined) return known
  const h = 0.25 * sigma
  const low = -12 * sigma
  const n = Math.ceil((l + 12 * sigma - low) / h)
  const terms = new Float64Array(n + 1)
  for (let i = 0; i <= n; i++) {
    const x = low + i * h
    const z = Math.abs((2 * x - 1) / (2 * sigma * sigma))
    // |r - 1| = e^z - 1 above r = 1, and e^-z (e^z - 1) below.
    const logDistance = z === 0 ? Number.NEGATIVE_INFINITY : logExpm1(z) - (2 * x < 1 ? z : 0)
    terms[i] = l * logDistance - (0.5 * x * x) / (sigma * sigma)
  }
  const value = logSumExp(terms) + log(h / sigma) - halfLogTwoPi
  if (centralMoments.size > 4096) centralMoments.clear()
  centralMoments.set(key, value)
  return value
}
