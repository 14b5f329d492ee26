/** Tables in which nothing is learned, and every outcome that they could have had: for tests of the size of a test. */
import { type Rng, rng } from '../src/numeric/random/rng.js'
import type { Deal, Row } from '../src/verdict/tables.js'

/** A deal with these scores; the contrast is that of candidates that share nothing with the truth. */
export function dealOf(training: number, T: readonly number[]): Deal {
  const contrast = Float64Array.from(T, (_, k) => (k === 0 ? 1 : -1 / (T.length - 1)))
  return { training, T: Float64Array.from(T), contrast }
}

export function rowOf(id: string, table: readonly (readonly number[])[], more: Partial<Row> = {}): Row {
  return { id, step: 'record', stratum: 'one', deals: table.map((T, s) => dealOf(s, T)), ...more }
}

/** The row as it would be had candidate k[u] been the true one in deal u. */
export function rerooted(row: Row, k: readonly number[]): Row {
  const deals = row.deals.map((deal, u) => {
    const T = deal.T.slice()
    const j = k[u]!
    ;[T[0], T[j]] = [T[j]!, T[0]!]
    return { ...deal, T }
  })
  return { ...row, deals }
}

/** Every choice of one of `sizes[u]` for each u. */
export function* allChoices(sizes: readonly number[]): Generator<number[]> {
  const k = sizes.map(() => 0)
  for (;;) {
    yield [...k]
    let u = sizes.length - 1
    while (u >= 0 && k[u]! === sizes[u]! - 1) k[u--] = 0
    if (u < 0) return
    k[u]!++
  }
}

export const sizesOf = (row: Row): number[] => row.deals.map(({ T }) => T.length)

/** All subsets of m of n, as lists of 0 and 1. */
export function allSplits(n: number, m: number): number[][] {
  return [...allChoices(Array.from({ length: n }, () => 2))].filter((one) => one.reduce((a, b) => a + b, 0) === m)
}

/** Whether P(p <= a) <= a for every a, each of the p-values being equally likely. */
export function exceedsSize(ps: readonly number[]): number[] {
  return [...new Set(ps)].filter((a) => ps.filter((p) => p <= a + 1e-12).length / ps.length > a + 1e-12)
}

/** Scores with ties in plenty, or without. */
export function scores(stream: Rng, n: number, coarse = false): number[] {
  return Array.from({ length: n }, () => (coarse ? stream.integer(4) / 4 : stream.normal()))
}

export const streamOf = (seed: number): Rng => rng(seed).fork('null tables')
