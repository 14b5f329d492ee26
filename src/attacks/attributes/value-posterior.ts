/** How sure a guess by least loss is: the posterior over candidate values, with the noise learned from all records. */

import { exp, log, log1p } from '../../numeric/special/elementary-functions.js'
import { logGamma } from '../../numeric/special/gamma.js'

export interface PosteriorOptions {
  /** Logarithms of the candidates' prior shares; none means equal ones. */
  readonly logPrior?: readonly number[] | undefined
  /** Log weights that differ by record: [candidates][records]. They count for the shares, not for the noise. */
  readonly logWeights?: readonly Float64Array[] | undefined
  /** Residuals a record (the model's outputs) when energies are sums of squares; null when they are log-likelihoods. */
  readonly residuals: number | null
}

/** The noise round a model: Student's t with scale s and nu degrees of freedom, infinity for a normal. */
export interface Noise {
  /** s^2; 1 for log-likelihoods, where -energy needs no scale. */
  readonly scaleSq: number
  readonly freedom: number
}

export interface Posterior extends Noise {
  /** [n, candidates] row-major. */
  readonly shares: Float64Array
}

/**
 * Tails to choose from. With infinity a share is the softmax of -energy / (2 s^2); real labels have outliers, and that
 * is then too sure by far, so the likelihood decides. The order of the candidates is the same for all.
 */
const freedoms = [1, 2, 3, 5, 10, Number.POSITIVE_INFINITY]
const iterations = 200
const settled = 1e-5
/** Least variance, as a share of the mean largest energy: what rounding leaves of a model that fits exactly. */
const smallest = 1e-20
/** Energies that the noise is learned from. */
const mostLearned = 8000

export function posteriorOf(energies: readonly Float64Array[], options: PosteriorOptions): Posterior {
  const { logPrior, logWeights, residuals } = options
  const shares = new Float64Array(energies.length * energies[0]!.length)
  if (residuals === null) {
    spread(shares, energies, (e) => -e, { logPrior, logWeights })
    return { shares, scaleSq: 1, freedom: Number.POSITIVE_INFINITY }
  }
  const noise = noiseOf(energies, { logPrior, residuals })
  spread(shares, energies, logDensity(noise, residuals), { logPrior, logWeights })
  return { shares, ...noise }
}

/** The likeliest noise, each record being a mixture over its candidates: least energies alone would look too good. */
function noiseOf(energies: readonly Float64Array[], options: PosteriorOptions & { readonly residuals: number }): Noise {
  const step = Math.ceil((energies.length * energies[0]!.length) / mostLearned)
  const some = energies.map((e) => (step === 1 ? e : e.filter((_, i) => i % step === 0)))
  let best: { noise: Noise; likelihood: number } | undefined
  for (const freedom of freedoms) {
    const found = fitted(some, { ...options, freedom })
    if (best === undefined || found.likelihood > best.likelihood) best = found
  }
  return best!.noise
}

/** EM for s^2. A t is a normal whose variance was drawn: each term counts (nu + m) / (nu + e / s^2). */
function fitted(
  energies: readonly Float64Array[],
  { freedom: nu, residuals: m, logPrior }: PosteriorOptions & { readonly residuals: number; readonly freedom: number },
): { noise: Noise; likelihood: number } {
  const [K, n] = [energies.length, energies[0]!.length]
  const shares = new Float64Array(n * K)
  const floor = Math.max(smallest * extremeOf(energies, Math.max), 1e-300) / m
  let likelihood = 0
  const scaleSq = climbed(Math.max(floor, extremeOf(energies, Math.min) / m), (s2) => {
    likelihood = spread(shares, energies, logDensity({ scaleSq: s2, freedom: nu }, m), { logPrior })
    let sum = 0
    for (let v = 0; v < K; v++) {
      for (let i = 0; i < n; i++) {
        const e = energies[v]![i]!
        const weight = nu === Number.POSITIVE_INFINITY ? 1 : (nu + m) / (nu + e / s2)
        sum += shares[i * K + v]! * weight * e
      }
    }
    return Math.max(floor, sum / (n * m))
  })
  return { noise: { scaleSq, freedom: nu }, likelihood }
}

/**
 * Where s = next(s), from below. Steps that shrink by one factor add up to a known sum, which is taken at once (Aitken); a jump
 * that turns out to have gone too far is taken back.
 */
function climbed(start: number, next: (s: number) => number): number {
  let [s, last, safe] = [start, 0, start]
  for (let k = 0; k < iterations; k++) {
    const to = next(s)
    const step = to - s
    if (Math.abs(step) <= settled * s) return to
    if (step < 0 && s > safe) {
      ;[s, last] = [safe, 0]
      continue
    }
    safe = to
    const sum = step > 0 && step < last ? step / (1 - step / last) : step
    ;[s, last] = sum > step ? [s + sum, 0] : [to, step]
  }
  return s
}

/**
 * The mean over records of the least (or the largest) energy. EM starts from the least: below the answer, it climbs to
 * the maximum nearest to a sharp posterior and not to the one that explains everything by noise.
 */
function extremeOf(energies: readonly Float64Array[], pick: (a: number, b: number) => number): number {
  const [first, ...others] = energies
  let sum = 0
  for (let i = 0; i < first!.length; i++) sum += others.reduce((best, e) => pick(best, e[i]!), first![i]!)
  return sum / first!.length
}

/** The log density of m residuals whose squares sum to an energy. */
function logDensity({ scaleSq: s2, freedom: nu }: Noise, m: number): (energy: number) => number {
  const scale = -0.5 * m * log(s2)
  if (nu === Number.POSITIVE_INFINITY) {
    const constant = scale - 0.5 * m * log(2 * Math.PI)
    return (e) => constant - Math.min(e / (2 * s2), 1e300)
  }
  const constant = scale + logGamma((nu + m) / 2) - logGamma(nu / 2) - 0.5 * m * log(nu * Math.PI)
  return (e) => constant - 0.5 * (nu + m) * log1p(Math.min(e / (nu * s2), 1e300))
}

/** Softmax of log density and prior; returns the sum of the records' log likelihoods. */
function spread(
  shares: Float64Array,
  energies: readonly Float64Array[],
  density: (energy: number) => number,
  { logPrior, logWeights }: Pick<PosteriorOptions, 'logPrior' | 'logWeights'>,
): number {
  const [K, n] = [energies.length, energies[0]!.length]
  const even = -log(K)
  let likelihood = 0
  for (let i = 0; i < n; i++) {
    let high = Number.NEGATIVE_INFINITY
    for (let v = 0; v < K; v++) {
      const score = (logWeights?.[v]?.[i] ?? logPrior?.[v] ?? even) + density(energies[v]![i]!)
      shares[i * K + v] = score
      high = Math.max(high, score)
    }
    let sum = 0
    for (let v = 0; v < K; v++) {
      const term = exp(shares[i * K + v]! - high)
      shares[i * K + v] = term
      sum += term
    }
    for (let v = 0; v < K; v++) shares[i * K + v]! /= sum
    likelihood += high + log(sum)
  }
  return likelihood
}
