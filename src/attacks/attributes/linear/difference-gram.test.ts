import { expect, test } from 'vitest'
import { engine } from '../../../numeric/engine/engine.js'
import { rng } from '../../../numeric/random/rng.js'

/** Sums of products of f32 numbers, one after the other. */
function single(pairs: readonly (readonly [number, number])[]): number {
  return pairs.reduce((sum, [a, b]) => Math.fround(sum + Math.fround(a * b)), 0)
}

// Records that fill their panels of eight, that leave half of one free, and several values a record.
test.each([
  { n: 16, values: 1, h: 3, e: 4, K: 2 },
  { n: 13, values: 1, h: 5, e: 1, K: 0 },
  { n: 9, values: 3, h: 2, e: 3, K: 1 },
  { n: 60, values: 1, h: 7, e: 5, K: 3 },
])('the Gram matrix in single precision is that of plain loops: %j', ({ n, values, h, e, K }) => {
  const N = n * values
  const host = engine()
  const draw = rng(3)
  const held: ReturnType<typeof host.allocate>[] = []
  const put = (numbers: Float64Array): number => {
    const buffer = host.allocate(8 * Math.max(1, numbers.length))
    host.view('f64', buffer.address, numbers.length).set(numbers)
    held.push(buffer)
    return buffer.address
  }
  const [first, rest, z, taken] = [N * h, N * e, N * K, K].map((count) => draw.normals(count)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ]
  const [s, before] = [draw.normals(n * n), draw.normals(N * N)]
  const w = 1.7
  const q = put(before)
  const [tiles, shown] = [values, 1].map((count) => put(new Float64Array(host.columns.tiledRoom(n, count))))
  host.columns.intoTiles(shown!, put(s), n)
  const work = put(new Float64Array(host.columns.gramSingleRoom(N, n, h, e, K)))
  host.columns.gramAddSingle(tiles!, N, n, shown!, put(first), h, put(rest), e, put(z), K, put(taken), w, work)
  host.columns.addTiles(q, tiles!, N, n)
  const found = host.view('f64', q, N * N)

  const by = (x: number): number => Math.fround(Math.sqrt(w) * x)
  const column = (numbers: Float64Array, c: number, wide: number): number[] =>
    Array.from(numbers.subarray(c * wide, (c + 1) * wide), by)
  for (let a = 0; a < N; a++) {
    for (let b = a; b < N; b++) {
      const zipped = (numbers: Float64Array, wide: number): [number, number][] => {
        const other = column(numbers, b, wide)
        return column(numbers, a, wide).map((x, p) => [x, other[p]!])
      }
      const less = Array.from({ length: K }, (_, k): [number, number] => {
        const left = Math.fround(-taken[k]! * Math.sqrt(w) * z[a * K + k]!)
        return [left, by(z[b * K + k]!)]
      })
      const shown = s[(a % n) * n + (b % n)]! * single(zipped(first, h))
      const sum = shown + single([...zipped(rest, e), ...less])
      expect(found[a * N + b]).toBe(before[a * N + b]! + sum)
      expect(found[b * N + a]).toBe(before[b * N + a]! + sum)
    }
  }
  held.forEach(host.release)
})
