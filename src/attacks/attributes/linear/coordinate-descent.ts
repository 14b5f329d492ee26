/** Shares of each record's values from a quadratic: coordinate descent over boxes, or over simplices for more than two values. */
import { engine } from '../../../numeric/engine/engine.js'

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

/** Sweeps between two ticks. */
const perTick = 50

export function sharesOf({ Q, b, records: n }: Quadratic, options: SharesOptions = {}): Shares {
  const { maxSweeps = 2000, tolerance = 1e-5, tick } = options
  const N = b.length
  const p = options.start?.slice() ?? new Float64Array(N).fill(1 / (N / n + 1))
  if (N === 0) return { p, gradient: new Float64Array(0), sweeps: 0, settled: true }
  const host = engine()
  const held = host.allocate(8 * (N * N + 2 * N + 1))
  const [q, at] = [held.address, held.address + 8 * N * N]
  const [g, moved] = [at + 8 * N, at + 16 * N]
  host.view('f64', q, N * N).set(Q)
  host.view('f64', at, N).set(p)
  host.f64.gemv(g, q, at, N, N)
  const start = host.view('f64', g, N)
  for (let i = 0; i < N; i++) start[i]! -= b[i]!
  let sweeps = 0
  let settled = false
  while (!settled && sweeps < maxSweeps) {
    tick?.(sweeps, maxSweeps)
    sweeps += host.columns.descendShares(q, at, g, N, n, Math.min(perTick, maxSweeps - sweeps), tolerance, moved)
    settled = host.view('f64', moved, 1)[0]! <= tolerance
  }
  const found = [at, g].map((address) => Float64Array.from(host.view('f64', address, N))) as [
    Float64Array,
    Float64Array,
  ]
  host.release(held)
  return { p: found[0], gradient: found[1], sweeps, settled }
}
