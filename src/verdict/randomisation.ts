/** The randomisation distribution: the sum over deals of one candidate each, all of them or a sample, the truth first. */
import type { Rng } from '../numeric/random/rng.js'
import { log } from '../numeric/special/elementary-functions.js'

export interface DrawOptions {
  /** Draws beside the truth where there are too many candidates to take them all. */
  readonly draws: number
  /** All combinations are taken where there are at most this many. */
  readonly enumerate: number
  /** The stream of the draws; a deal's draws do not depend on how many deals follow. */
  readonly rng: Rng
}

export const defaultDraws = { draws: 9999, enumerate: 131072 } as const

/** How often two p-values may differ by rounding and still be the same. */
const SAME = 1 + 1e-12

/** Whether p reaches the level; rounding alone never decides. */
export const reaches = (p: number, level: number): boolean => p <= level * SAME

/** The number of combinations of one candidate a deal. */
export function combinations(sizes: readonly number[]): number {
  return sizes.reduce((product, size) => product * size, 1)
}

/** The least p that any outcome could reach: 1 over the combinations, or 1 / (draws + 1). */
export function leastP(sizes: readonly number[], { draws, enumerate }: Omit<DrawOptions, 'rng'>): number {
  const all = combinations(sizes)
  return all <= enumerate ? 1 / all : Math.max(1 / all, 1 / (draws + 1))
}

/** The fewest repeats of a training with these candidates that reach the level, by the number of combinations alone. */
export function repeatsToReach(level: number, sizesOfOneTraining: readonly number[]): number {
  const each = sizesOfOneTraining.reduce((sum, size) => sum + log(size), 0)
  return Math.max(1, Math.ceil(-log(level) / each - 1e-9))
}

/**
 * For each row the sums of values[row][deal][k_deal] over the same draws k. Place 0 is the truth, k = 0 everywhere. All
 * combinations where they are few, else the truth and `draws` draws of k, uniform and independent from deal to deal. A row
 * that has no values for a deal says nothing there, whatever is drawn.
 */
export function drawSums(
  values: readonly (readonly Float64Array[])[],
  options: DrawOptions,
  sizes: readonly number[] = (values[0] ?? []).map(({ length }) => length),
): Float64Array[] {
  return combinations(sizes) <= options.enumerate
    ? values.map((deals) => allSums(deals, sizes))
    : sampledSums(values, sizes, options)
}

function allSums(deals: readonly Float64Array[], sizes: readonly number[]): Float64Array {
  let sums = Float64Array.of(0)
  for (const [u, deal] of deals.entries()) {
    const size = sizes[u]!
    const longer = new Float64Array(sums.length * size)
    for (let i = 0, at = 0; i < sums.length; i++) {
      const before = sums[i]!
      for (let k = 0; k < size; k++) longer[at++] = before + (deal[k] ?? 0)
    }
    sums = longer
  }
  return sums
}

function sampledSums(
  values: readonly (readonly Float64Array[])[],
  sizes: readonly number[],
  { draws, rng }: DrawOptions,
): Float64Array[] {
  const sums = values.map(() => new Float64Array(draws + 1))
  const chosen = new Int32Array(draws + 1) // the truth at place 0
  for (const [u, size] of sizes.entries()) {
    const stream = rng.fork('deal', u)
    for (let b = 1; b <= draws; b++) chosen[b] = stream.integer(size)
    for (const [row, deals] of values.entries()) {
      const deal = deals[u]!
      if (deal.length === 0) continue
      const sum = sums[row]!
      for (let b = 0; b <= draws; b++) sum[b]! += deal[chosen[b]!]!
    }
  }
  return sums
}

/** The share of draws, the truth among them, at or above the truth: b/N enumerated, (1 + b)/(1 + B) drawn. */
export function upperP(sums: Float64Array, tolerance: number): number {
  const least = sums[0]! - tolerance
  let atLeast = 0
  for (let b = 0; b < sums.length; b++) if (sums[b]! >= least) atLeast++
  return atLeast / sums.length
}
