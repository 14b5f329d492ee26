/** Percentile intervals by drawing the sample again, from a stream with a fixed address. */
import { rng } from '../numeric/random/rng.js'
import type { Interval } from './score.js'

interface BootstrapInput {
  /** Size of the sample. Its order should not depend on that of the records, or the interval would. */
  readonly size: number
  /** The figure itself; the interval is stretched to hold it. */
  readonly value: number
  /** What the drawn places give; undefined where the figure has no meaning there. */
  readonly statistic: (rows: Int32Array) => number | undefined
  /** The name of the stream. */
  readonly address: string
  readonly confidence?: number
}

const DRAWS = 5_000_000

/** Null for fewer than two, or when hardly any draw has a meaning. Large samples are drawn again less often. */
export function bootstrapInterval(input: BootstrapInput): Interval | null {
  const { size: n, value, statistic, address, confidence = 0.95 } = input
  if (n < 2) return null
  const rounds = Math.max(100, Math.min(1000, Math.floor(DRAWS / n)))
  const stream = rng('metrics').fork('bootstrap', address)
  const rows = new Int32Array(n)
  const found: number[] = []
  for (let b = 0; b < rounds; b++) {
    for (let i = 0; i < n; i++) rows[i] = stream.integer(n)
    const x = statistic(rows)
    if (x !== undefined && Number.isFinite(x)) found.push(x)
  }
  if (found.length < rounds / 10) return null
  const sorted = Float64Array.from(found).sort()
  const miss = (1 - confidence) / 2
  const low = sorted[Math.floor(miss * (sorted.length - 1))]!
  const high = sorted[Math.ceil((1 - miss) * (sorted.length - 1))]!
  return [Math.min(low, value), Math.max(high, value)]
}
