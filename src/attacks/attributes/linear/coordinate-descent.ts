/** Shares of each record's values from a quadratic: coordinate descent over boxes, or over simplices for more than two values. */

/** min 1/2 p^T Q p - b^T p. Entry (v - 1) n + i is record i's share of value v; value 0 has what is left. */
export interface Quadratic {
  readonly Q: Float64Array // [N, N], symmetric
  readonly b: Float64Array
  readonly records: number
}

export interface SharesOptions {
  readonly start?: Float64Array | undefined
  readonly maxSweeps?: number
  /** Stop once no share moved further than this in a sweep. */
  readonly tolerance?: number
  readonly tick?: ((done: number, total: number) => void) | undefined
}

export interface Shares {
  readonly p: Float64Array
  /** Q p - b. */
  readonly gradient: Float64Array
  readonly sweeps: number
  readonly settled: boolean
}

export function sharesOf({ Q, b, records: n }: Quadratic, options: SharesOptions = {}): Shares {
  const { maxSweeps = 2000, tolerance = 1e-5, tick } = options
  const N = b.length
  const values = N / n // beside value 0
  const p = options.start?.slice() ?? new Float64Array(N).fill(1 / (values + 1))
  const g = new Float64Array(N)
  for (let i = 0; i < N; i++) {
    let sum = -b[i]!
    for (let j = 0; j < N; j++) sum += Q[i * N + j]! * p[j]!
    g[i] = sum
  }
  const move = (at: number, by: number): void => {
    p[at]! += by
    const row = at * N
    for (let j = 0; j < N; j++) g[j]! += by * Q[row + j]!
  }
  const ignored = tolerance / 100
  let sweeps = 0
  let furthest = Number.POSITIVE_INFINITY
  while (furthest > tolerance && sweeps < maxSweeps) {
    if (sweeps % 50 === 0) tick?.(sweeps, maxSweeps)
    furthest = 0
    for (let i = 0; i < n; i++) {
      for (let v = 0; v < values; v++) {
        const at = v * n + i
        // Against value 0, which has the rest.
        let used = 0
        for (let u = 0; u < values; u++) used += p[u * n + i]!
        const by = within(-g[at]! / Q[at * N + at]!, -p[at]!, Math.max(0, 1 - used))
        if (Math.abs(by) > ignored) move(at, by)
        furthest = Math.max(furthest, Math.abs(by))
        // Against every later value.
        for (let u = v + 1; u < values; u++) {
          const other = u * n + i
          const bend = Q[at * N + at]! + Q[other * N + other]! - 2 * Q[at * N + other]!
          const shift = within((g[other]! - g[at]!) / bend, -p[at]!, p[other]!)
          if (Math.abs(shift) <= ignored) continue
          move(at, shift)
          move(other, -shift)
          furthest = Math.max(furthest, Math.abs(shift))
        }
      }
    }
    sweeps++
  }
  return { p, gradient: g, sweeps, settled: furthest <= tolerance }
}

/** A flat direction (0 / 0) moves nothing. */
function within(step: number, low: number, high: number): number {
  return Number.isNaN(step) ? 0 : Math.min(high, Math.max(low, step))
}
