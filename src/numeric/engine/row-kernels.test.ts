import { describe, expect, test } from 'vitest'
import { rng } from '../random/rng.js'
import { createEngine } from './engine.js'

/** n rows, `stride` values apart, the first `width` of which count, and kernel memory that holds them. */
function rowsOf(n: number, { width, stride }: { width: number; stride: number }) {
  const host = createEngine()
  const data = Float32Array.from(
    rng('rows')
      .fork(n, width)
      .normals(n * stride, { mean: 0.3 }),
  )
  const x = host.allocate(4 * data.length)
  host.view('f32', x.address, data.length).set(data)
  const at = (i: number, j: number): number => data[i * stride + j]!
  const doubles = (values: Float64Array): number => {
    const buffer = host.allocate(8 * values.length)
    host.view('f64', buffer.address, values.length).set(values)
    kept.push(buffer)
    return buffer.address
  }
  const kept = [x]
  return {
    host,
    kept,
    x: x.address,
    at,
    doubles,
    read: (address: number, n: number) => [...host.view('f64', address, n)],
  }
}

/** Written over, if it is as it should be. */
const junk = (n: number): Float64Array => new Float64Array(n).fill(7)
const each = (n: number, of: (j: number) => number): number[] => Array.from({ length: n }, (_, j) => of(j))
const summed = (n: number, of: (i: number) => number, start = 0): number => each(n, of).reduce((s, x) => s + x, start)

describe.each([
  [1, 4, 4],
  [2, 8, 12],
  [5, 4, 20],
  [7, 28, 28],
  [12, 16, 16],
])('%d rows of %d columns, %d apart: the bits of plain loops', (n, width, stride) => {
  const place = { width, stride }
  const mean = rng('mean').normals(width)
  const scale = rng('scale')
    .uniforms(width)
    .map((u) => 0.5 + u)

  test('moments', () => {
    const { host, x, at, doubles, read } = rowsOf(n, place)
    const [means, squares] = [doubles(junk(width)), doubles(junk(width))]
    host.rows.moments(means, squares, x, stride, n, width)
    const middle = each(width, (j) => summed(n, (i) => at(i, j)) / n)
    expect(read(means, width)).toEqual(middle)
    expect(read(squares, width)).toEqual(
      each(width, (j) => summed(n, (i) => (at(i, j) - middle[j]!) * (at(i, j) - middle[j]!))),
    )
  })

  test('standardised rows by fours, the last ones zeros', () => {
    const { host, x, at, doubles, read } = rowsOf(n, place)
    const groups = Math.ceil(n / 4)
    const packed = doubles(junk(4 * groups * width))
    host.rows.pack(packed, x, stride, n, width, doubles(mean), doubles(scale))
    const value = (i: number, j: number) => (i < n ? Math.fround((at(i, j) - mean[j]!) / scale[j]!) : 0)
    expect(read(packed, 4 * groups * width)).toEqual(
      each(4 * groups * width, (k) => value(4 * Math.floor(k / (4 * width)) + (k % 4), Math.floor(k / 4) % width)),
    )
  })

  test.each([0, 1])('inner products of groups, one triangle: %d', (lower) => {
    const { host, doubles, read } = rowsOf(n, place)
    const [m, k] = [n, lower ? n : Math.ceil(n / 2)]
    const a = rng('a').normals(4 * m * width)
    const b = lower ? a : rng('b').normals(4 * k * width)
    const squares = lower ? (m * (m + 1)) / 2 : m * k
    const before = rng('c').normals(16 * squares)
    const c = doubles(before)
    const left = doubles(a)
    host.rows.products(c, left, m, lower ? left : doubles(b), k, width, lower)
    const found = read(c, 16 * squares)
    for (let i = 0; i < m; i++) {
      for (let j = 0; j < (lower ? i + 1 : k); j++) {
        const square = 16 * (lower ? (i * (i + 1)) / 2 + j : i * k + j)
        for (let e = 0; e < 16; e++) {
          const [row, col] = [4 * i * width + (e >> 2), 4 * j * width + (e & 3)]
          const product = (p: number) => a[row + 4 * p]! * b[col + 4 * p]!
          expect(found[square + e]).toBe(summed(width, product, before[square + e]!))
        }
      }
    }
  })

  test.each([1, 3])('weighted sums: %d', (m) => {
    const { host, x, at, doubles, read } = rowsOf(n, place)
    const [weights, before] = [rng('weights').normals(m * n), rng('sums').normals(m * stride)]
    const sums = doubles(before)
    host.rows.weigh(sums, doubles(weights), m, x, stride, n, width, doubles(mean))
    const expected = each(m * stride, (k) => {
      const [q, j] = [Math.floor(k / stride), k % stride]
      if (j >= width) return before[k]! // is somebody else's
      return summed(n, (i) => weights[q * n + i]! * (at(i, j) - mean[j]!), before[k]!)
    })
    expect(read(sums, m * stride)).toEqual(expected)
  })
})
