/** How sure a guess by least loss is: the posterior over candidate values, with the residual variance learned from all records. */
import { exp, log } from '../../numeric/scalar.js'

export interface PosteriorOptions {
  /** Logarithms of the candidates' prior shares; none means equal ones. */
  readonly logPrior?: readonly number[] | undefined
  /** Residuals a record (the model's outputs) when energies are sums of squares; null when they are log-likelihoods. */
  readonly residuals: number | null
}

export interface Posterior {
  /** [n, candidates] row-major. */
  readonly shares: Float64Array
  /** The residual variance s^2; 1 for log-likelihoods, where -energy needs no scale. */
  readonly variance: number
}

const iterations = 200
const settled = 1e-10
/** Least variance, as a share of the mean largest energy: what rounding leaves of a model that fits exactly. */
const smallest = 1e-20

/**
 * softmax over candidates of -energy / (2 s^2) + log prior. s^2 is the maximum-likelihood variance of the mixture (EM):
 * that of the least energies alone would be too small, as each is the least of several.
 */
export function posteriorOf(energies: readonly Float64Array[], { logPrior, residuals }: PosteriorOptions): Posterior {
  const [K, n] = [energies.length, energies[0]!.length]
  const shares = new Float64Array(n * K)
  if (residuals === null) {
    spread(shares, energies, { factor: 1, logPrior })
    return { shares, variance: 1 }
  }
  const floor = Math.max(smallest * extremeOf(energies, Math.max), 1e-300) / residuals
  let variance = Math.max(floor, extremeOf(energies, Math.min) / residuals)
  for (let k = 0; k < iterations; k++) {
    spread(shares, energies, { factor: 1 / (2 * variance), logPrior })
    let sum = 0
    for (let i = 0; i < n; i++) for (let v = 0; v < K; v++) sum += shares[i * K + v]! * energies[v]![i]!
    const next = Math.max(floor, sum / (n * residuals))
    const done = Math.abs(next - variance) <= settled * variance
    variance = next
    if (done) break
  }
  spread(shares, energies, { factor: 1 / (2 * variance), logPrior })
  return { shares, variance }
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

function spread(
  shares: Float64Array,
  energies: readonly Float64Array[],
  { factor, logPrior }: { readonly factor: number; readonly logPrior: readonly number[] | undefined },
): void {
  const [K, n] = [energies.length, energies[0]!.length]
  const score = (i: number, v: number): number => (logPrior?.[v] ?? 0) - Math.min(energies[v]![i]! * factor, 1e300)
  for (let i = 0; i < n; i++) {
    let high = Number.NEGATIVE_INFINITY
    for (let v = 0; v < K; v++) high = Math.max(high, score(i, v))
    let sum = 0
    for (let v = 0; v < K; v++) {
      const term = exp(score(i, v) - high)
      shares[i * K + v] = term
      sum += term
    }
    for (let v = 0; v < K; v++) shares[i * K + v]! /= sum
  }
}

/**
 * The shares that encoded values betray: a dummy standardised by its own mean and deviation is -p/s and (1-p)/s, so that
 * their product is -1 and p = -v0 / (v1 - v0). Undefined when the encoding holds no such thing.
 */
export function impliedShares(values: readonly (readonly number[])[]): number[] | undefined {
  const columns = values[0]!.map((_, c) => columnShare(values.map((row) => row[c]!)))
  if (columns.some((share) => share === undefined)) return undefined
  const shares = values.map((row) => {
    const on = row.findIndex((v, c) => v > 0 && columns[c] !== undefined)
    return on < 0 ? 0 : columns[on]!
  })
  const without = values.findIndex((row) => row.every((v) => v < 0)) // the level that was dropped
  const rest = 1 - shares.reduce((sum, p) => sum + p, 0)
  if (without >= 0) shares[without] = rest
  else if (Math.abs(rest) > 1e-3) return undefined
  return shares.every((p) => p > 0 && p < 1) ? shares : undefined
}

/** The share of the records at which a standardised dummy is on. */
function columnShare(column: readonly number[]): number | undefined {
  const [low, high] = [Math.min(...column), Math.max(...column)]
  const twoValues = column.every((v) => v === low || v === high) && column.filter((v) => v === high).length === 1
  return twoValues && Math.abs(low * high + 1) < 0.02 ? -low / (high - low) : undefined
}

export const logOf = (shares: readonly number[]): number[] => shares.map((p) => log(p))
