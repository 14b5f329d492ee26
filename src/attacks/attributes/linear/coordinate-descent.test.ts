import { describe, expect, test } from 'vitest'
import { engine } from '../../../numeric/engine/engine.js'
import { rng } from '../../../numeric/random/rng.js'
import { type Quadratic, sharesOf } from './coordinate-descent.js'

/** The same by plain loops. */
function byLoops({ Q, b, records: n }: Quadratic, { maxSweeps, tolerance }: { maxSweeps: number; tolerance: number }) {
  const N = b.length
  const values = N / n
  const p = new Float64Array(N).fill(1 / (values + 1))
  const g = b.map((x, i) => p.reduce((sum, v, j) => sum + Q[i * N + j]! * v, 0) - x)
  const within = (step: number, low: number, high: number) =>
    Number.isNaN(step) ? 0 : Math.min(high, Math.max(low, step))
  const move = (at: number, by: number): void => {
    p[at]! += by
    for (let j = 0; j < N; j++) g[j]! += by * Q[at * N + j]!
  }
  let [sweeps, furthest] = [0, Number.POSITIVE_INFINITY]
  for (; furthest > tolerance && sweeps < maxSweeps; sweeps++) {
    furthest = 0
    for (let i = 0; i < n; i++) {
      for (let v = 0; v < values; v++) {
        const at = v * n + i
        let used = 0
        for (let u = 0; u < values; u++) used += p[u * n + i]!
        const by = within(-g[at]! / Q[at * N + at]!, -p[at]!, Math.max(0, 1 - used))
        if (Math.abs(by) > tolerance / 100) move(at, by)
        furthest = Math.max(furthest, Math.abs(by))
        for (let u = v + 1; u < values; u++) {
          const other = u * n + i
          const bend = Q[at * N + at]! + Q[other * N + other]! - 2 * Q[at * N + other]!
          const shift = within((g[other]! - g[at]!) / bend, -p[at]!, p[other]!)
          if (Math.abs(shift) <= tolerance / 100) continue
          move(at, shift)
          move(other, -shift)
          furthest = Math.max(furthest, Math.abs(shift))
        }
      }
    }
  }
  return { p, g, sweeps, settled: furthest <= tolerance }
}

/** Q = F^T F of so many rows, with columns that may repeat and sizes that may differ by `spread` powers of ten. */
function made({ n, values, rows, copies = false, spread = 0, mean = 0 }: Made): Quadratic {
  const N = n * (values - 1)
  const F = rng('F')
    .fork(n, values, rows)
    .normals(rows * N)
  const draw = rng('sizes').fork(n)
  const sizes = Float64Array.from({ length: N }, () => 10 ** (spread * draw.uniform()))
  for (let k = 0; k < rows; k++)
    for (let c = 0; c < N; c++) F[k * N + c] = sizes[c]! * F[k * N + (copies ? c - (c % 2) : c)]!
  const Q = new Float64Array(N * N)
  for (let c = 0; c < N; c++)
    for (let d = 0; d < N; d++) for (let k = 0; k < rows; k++) Q[c * N + d]! += F[k * N + c]! * F[k * N + d]!
  const b = rng('b')
    .fork(n)
    .normals(N, { mean, std: 1 + Math.abs(mean) / 4 })
  return { Q, b, records: n }
}

interface Made {
  readonly n: number
  readonly values: number
  readonly rows: number
  readonly copies?: boolean
  readonly spread?: number
  readonly mean?: number
}

const cases: readonly (Made & { readonly name: string })[] = [
  { name: 'one record', n: 1, values: 2, rows: 3 },
  { name: 'one record of five values', n: 1, values: 5, rows: 6 },
  { name: 'an odd number of records', n: 37, values: 2, rows: 50 },
  { name: 'three values', n: 13, values: 3, rows: 40 },
  { name: 'fewer equations than unknowns', n: 20, values: 2, rows: 4 },
  { name: 'records that are alike', n: 16, values: 2, rows: 30, copies: true },
  { name: 'sizes that differ a millionfold', n: 15, values: 2, rows: 20, spread: 6 },
  { name: 'all at their upper ends', n: 11, values: 2, rows: 12, mean: 400 },
  { name: 'all at their lower ends', n: 11, values: 3, rows: 40, mean: -400 },
]

describe.each(cases)('$name', (shape) => {
  test('the kernel goes where plain loops go', () => {
    const quadratic = made(shape)
    const options = { maxSweeps: 120, tolerance: 1e-8 }
    const [found, plain] = [sharesOf(quadratic, options), byLoops(quadratic, options)]
    expect(found.sweeps).toBe(plain.sweeps)
    expect(found.settled).toBe(plain.settled)
    const size = Math.max(...quadratic.Q.map(Math.abs))
    for (let c = 0; c < plain.p.length; c++) {
      expect(Math.abs(found.p[c]! - plain.p[c]!)).toBeLessThan(1e-7)
      expect(Math.abs(found.gradient[c]! - plain.g[c]!)).toBeLessThan(1e-7 * (1 + size))
    }
    if (shape.mean === undefined) return
    for (let i = 0; i < shape.n; i++) {
      let sum = 0
      for (let c = i; c < found.p.length; c += shape.n) sum += found.p[c]!
      expect(sum).toBeCloseTo(shape.mean > 0 ? 1 : 0, 9)
    }
  })
})

test('no record has no shares', () => {
  const nothing = new Float64Array(0)
  const found = sharesOf({ Q: nothing, b: nothing, records: 0 })
  expect(found).toEqual({ p: nothing, gradient: nothing, sweeps: 0, settled: true })
})

test('many records, most of them in a corner: as good as plain sweeps over all', () => {
  const [n, rows] = [420, 60]
  const F = rng('many').normals(rows * n)
  const Q = new Float64Array(n * n)
  for (let c = 0; c < n; c++)
    for (let d = 0; d <= c; d++) {
      for (let k = 0; k < rows; k++) Q[c * n + d]! += F[k * n + c]! * F[k * n + d]!
      if (c === d) Q[c * n + d]! += 20
      Q[d * n + c] = Q[c * n + d]!
    }
  const b = rng('pull').normals(n, { mean: 0, std: 400 })
  const options = { maxSweeps: 2000, tolerance: 1e-9 }
  const [found, plain] = [sharesOf({ Q, b, records: n }, options), byLoops({ Q, b, records: n }, options)]
  expect(found.settled && plain.settled).toBe(true)
  expect(found.p.filter((x) => x > 0 && x < 1).length).toBeGreaterThan(5)
  for (let c = 0; c < n; c++) {
    expect(Math.abs(found.p[c]! - plain.p[c]!)).toBeLessThan(1e-7)
    expect(Math.abs(found.gradient[c]! - plain.g[c]!)).toBeLessThan(1e-5)
  }
})

describe('sweeps', () => {
  /** Shares that come nearer to each other by a millionth of the way in a sweep. */
  const slow = { Q: Float64Array.of(1, 0.9999995, 0.9999995, 1), b: Float64Array.of(1, 1), records: 2 }
  const start = Float64Array.of(0.25, 0.5)

  test('are told of fifty at a time, and are no more than they may be', () => {
    const told: number[][] = []
    const found = sharesOf(slow, { start, tolerance: 0, maxSweeps: 120, tick: (...by) => told.push(by) })
    expect(told).toEqual([0, 50, 100].map((k) => [k, 120]))
    expect([found.sweeps, found.settled]).toEqual([120, false])
    expect([...start]).toEqual([0.25, 0.5])
    expect(sharesOf(slow, { start, tolerance: 0, maxSweeps: 49 }).sweeps).toBe(49)
    expect(sharesOf(slow, { start, tolerance: 0 }).sweeps).toBe(2000)
  })

  test('end where nothing moves, even where nothing may', () => {
    const corner = { Q: Float64Array.of(1), b: Float64Array.of(4), records: 1 }
    const found = sharesOf(corner, { start: Float64Array.of(1), tolerance: 0 })
    expect(found).toEqual({ p: Float64Array.of(1), gradient: Float64Array.of(-3), sweeps: 1, settled: true })
  })

  test('give kernel memory back', () => {
    const before = engine().inUse()
    sharesOf(slow, { maxSweeps: 3 })
    expect(engine().inUse()).toBe(before)
  })
})
