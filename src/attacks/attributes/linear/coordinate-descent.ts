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

/** Unknowns from which a sweep over those that still move is worth a matrix of its own. */
const large = 400

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
  const gradient = (): void => {
    host.f64.gemv(g, q, at, N, N)
    const view = host.view('f64', g, N)
    for (let i = 0; i < N; i++) view[i]! -= b[i]!
  }
  gradient()
  let sweeps = 0
  let settled = false
  while (!settled && sweeps < maxSweeps) {
    tick?.(sweeps, maxSweeps)
    const before = Float64Array.from(host.view('f64', at, N))
    const most = N < large ? Math.min(perTick, maxSweeps - sweeps) : 1
    sweeps += host.columns.descendShares(q, at, g, N, n, most, tolerance, moved)
    settled = host.view('f64', moved, 1)[0]! <= tolerance
    if (settled || N < large) continue
    const open = movedRecords(before, Float64Array.from(host.view('f64', at, N)), n)
    if (open.length > n / 2) continue
    sweeps += amongOpen({ Q, n, at, g, open }, Math.min(perTick, maxSweeps - sweeps), tolerance)
    gradient()
  }
  const found = [at, g].map((address) => Float64Array.from(host.view('f64', address, N))) as [
    Float64Array,
    Float64Array,
  ]
  host.release(held)
  return { p: found[0], gradient: found[1], sweeps, settled }
}

/** The records of which some share moved, or could: it is neither nothing nor all. */
function movedRecords(before: Float64Array, after: Float64Array, n: number): number[] {
  const open: number[] = []
  for (let i = 0; i < n; i++) {
    for (let c = i; c < after.length; c += n) {
      if (after[c] === before[c] && (after[c] === 0 || after[c] === 1)) continue
      open.push(i)
      break
    }
  }
  return open
}

interface Among {
  readonly Q: Float64Array
  readonly n: number
  /** Shares and gradient of all unknowns, in kernel memory. */
  readonly at: number
  readonly g: number
  readonly open: readonly number[]
}

/** Sweeps over some of the records, the others staying where they are; the gradient is not kept up. */
function amongOpen({ Q, n, at, g, open }: Among, most: number, tolerance: number): number {
  const host = engine()
  const N = Math.round(Math.sqrt(Q.length))
  const own = Array.from({ length: N / n }, (_, v) => open.map((i) => v * n + i)).flat()
  const U = own.length
  const held = host.allocate(8 * (U * U + 2 * U + 1))
  const [q, p] = [held.address, held.address + 8 * U * U]
  const block = host.view('f64', q, U * U)
  for (let u = 0; u < U; u++) {
    const row = own[u]! * N
    for (let w = 0; w < U; w++) block[u * U + w] = Q[row + own[w]!]!
  }
  const [shares, slopes] = [host.view('f64', at, N), host.view('f64', g, N)]
  host.view('f64', p, U).set(own.map((c) => shares[c]!))
  host.view('f64', p + 8 * U, U).set(own.map((c) => slopes[c]!))
  const sweeps = host.columns.descendShares(q, p, p + 8 * U, U, open.length, most, tolerance, p + 16 * U)
  const found = host.view('f64', p, U)
  for (let u = 0; u < U; u++) shares[own[u]!] = found[u]!
  host.release(held)
  return sweeps
}
