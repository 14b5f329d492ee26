/** A Parzen estimate on an interval: one truncated normal for each observation, one wide one as prior. [bergstra2011] */

import type { Rng } from '../random/rng.js'
import { exp } from '../special/elementary-functions.js'
import { normalCdf, normalIntervalProb } from '../special/normal.js'
import { normalQuantile } from '../special/normal-quantile.js'
import { totalOf } from '../special/summaries.js'

export interface Ends {
  readonly low: number
  readonly high: number
}

export interface Parzen extends Ends {
  readonly weights: Float64Array // of the components; the last is the prior
  readonly mu: Float64Array
  readonly std: Float64Array
  readonly below: Float64Array // P(component below the interval)
  readonly inside: Float64Array // P(component inside the interval)
  readonly factors: Float64Array // share of the weight / inside
}

const sqrtTwoPi = 2.5066282746310007

/**
 * Observations come oldest first. A component is as wide as the larger gap to its neighbours (prior included, ends of the
 * interval not), but at least 1 / min(100, k + 1) of the interval for k components, and at most all of it.
 */
export function parzen(observations: readonly number[], { low, high }: Ends): Parzen {
  const k = observations.length + 1
  const width = high - low
  const mu = Float64Array.of(...observations, 0.5 * (low + high))
  const byPlace = Array.from(mu.keys()).sort((a, b) => mu[a]! - mu[b]!)
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
  const total = totalOf(weights)
  const below = mu.map((m, i) => normalCdf((low - m) / std[i]!))
  const inside = mu.map((m, i) => normalIntervalProb({ low: (low - m) / std[i]!, high: (high - m) / std[i]! }))
  const factors = weights.map((w, i) => w / total / inside[i]!)
  return { low, high, weights, mu, std, below, inside, factors }
}

/** 1 for each of the latest 25; before that a ramp, so that a long study can leave its beginnings. */
export function recency(count: number): number[] {
  const old = Math.max(count - 25, 0)
  return Array.from({ length: count }, (_, i) =>
    i < old ? 1 / count + ((1 - 1 / count) * i) / Math.max(old - 1, 1) : 1,
  )
}

export function sampleParzen({ low, high, weights, mu, std, below, inside }: Parzen, rng: Rng): number {
  const i = rng.categorical(weights)
  const z = normalQuantile(Math.min(below[i]! + inside[i]! * rng.uniform(), 1))
  return Math.min(Math.max(mu[i]! + std[i]! * z, low), high)
}

/** Density at a place inside the interval. The prior is everywhere, so it is never 0. */
export function density({ mu, std, factors }: Parzen, place: number): number {
  let sum = 0
  for (let i = 0; i < mu.length; i++) {
    const z = (place - mu[i]!) / std[i]!
    sum += (factors[i]! * exp(-0.5 * z * z)) / std[i]!
  }
  return sum / sqrtTwoPi
}

/** Probability of a stretch inside the interval. */
export function mass({ mu, std, factors }: Parzen, { low, high }: Ends): number {
  let sum = 0
  for (let i = 0; i < mu.length; i++) {
    sum += factors[i]! * normalIntervalProb({ low: (low - mu[i]!) / std[i]!, high: (high - mu[i]!) / std[i]! })
  }
  return sum
}
