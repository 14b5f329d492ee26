/** A Parzen estimate on an interval: one truncated normal for each observation, one wide one as prior. [bergstra2011] */
import { logSumExp } from './log-sum-exp.js'
import { normalCdf, normalIntervalProb } from './normal.js'
import { normalQuantile } from './normal-quantile.js'
import type { Rng } from './rng.js'
import { log } from './scalar.js'

export interface Ends {
  readonly low: number
  readonly high: number
}

export interface Parzen extends Ends {
  readonly weights: Float64Array // of the components; the last is the prior
  readonly mu: Float64Array
  readonly std: Float64Array
  readonly logFactor: Float64Array // log of weight / P(component inside the interval)
}

const halfLogTwoPi = 0.9189385332046728

/**
 * Observations come oldest first. A component is as wide as the larger gap to its neighbours (prior included, ends of the
 * interval not), but at least 1 / min(100, k + 1) of the interval for k components, and at most all of it.
 */
export function parzen(observations: readonly number[], { low, high }: Ends): Parzen {
  const k = observations.length + 1
  const width = high - low
  const mu = Float64Array.of(...observations, 0.5 * (low + high))
  const byPlace = Array.from(mu.keys()).sort((a, b) => mu[a]! - mu[b]! || a - b)
  const narrowest = width / Math.min(100, k + 1)
  const std = new Float64Array(k)
  for (const [rank, at] of byPlace.entries()) {
    const before = byPlace[rank - 1]
    const after = byPlace[rank + 1]
    const gapBefore = before === undefined ? 0 : mu[at]! - mu[before]!
    const gapAfter = after === undefined ? 0 : mu[after]! - mu[at]!
    std[at] = Math.min(Math.max(gapBefore, gapAfter, narrowest), width)
  }
  std[k - 1] = width
  const weights = Float64Array.of(...recency(observations.length), 1)
  const total = weights.reduce((sum, w) => sum + w, 0)
  const logFactor = weights.map((w, i) => {
    const inside = normalIntervalProb({ low: (low - mu[i]!) / std[i]!, high: (high - mu[i]!) / std[i]! })
    return log(w / total) - log(inside)
  })
  return { low, high, weights, mu, std, logFactor }
}

/** 1 for each of the latest 25; before that a ramp, so that a long study can leave its beginnings. */
export function recency(count: number): number[] {
  const old = Math.max(count - 25, 0)
  return Array.from({ length: count }, (_, i) =>
    i < old ? 1 / count + ((1 - 1 / count) * i) / Math.max(old - 1, 1) : 1,
  )
}

export function sampleParzen({ low, high, weights, mu, std }: Parzen, rng: Rng): number {
  const i = rng.categorical(weights)
  const a = normalCdf((low - mu[i]!) / std[i]!)
  const b = normalCdf((high - mu[i]!) / std[i]!)
  const z = normalQuantile(a + (b - a) * rng.uniform())
  return Math.min(Math.max(mu[i]! + std[i]! * z, low), high)
}

/** Log density at a place inside the interval. */
export function logDensity({ mu, std, logFactor }: Parzen, place: number): number {
  return logSumExp(
    logFactor.map((factor, i) => {
      const z = (place - mu[i]!) / std[i]!
      return factor - 0.5 * z * z - halfLogTwoPi - log(std[i]!)
    }),
  )
}

/** Log probability of a stretch inside the interval. */
export function logMass({ mu, std, logFactor }: Parzen, { low, high }: Ends): number {
  return logSumExp(
    logFactor.map((factor, i) => {
      const stretch = { low: (low - mu[i]!) / std[i]!, high: (high - mu[i]!) / std[i]! }
      return factor + log(normalIntervalProb(stretch))
    }),
  )
}
