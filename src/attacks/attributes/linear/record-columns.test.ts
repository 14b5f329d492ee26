import { describe, expect, test } from 'vitest'
import { rng } from '../../../numeric/random/rng.js'
import { layersLayout } from './column-layout.js'
import { gramOf } from './difference-gram.js'
import { type FillFactors, factorsOf } from './record-columns.js'

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, x, j) => sum + x * b[j]!, 0)
const close = (a: ArrayLike<number>, b: ArrayLike<number>, within = 1e-9): void => {
  expect(a.length).toBe(b.length)
  let far = 0
  for (let j = 0; j < a.length; j++) if (!(Math.abs(a[j]! - b[j]!) < within * (1 + Math.abs(b[j]!)))) far++
  expect(far).toBe(0)
}

/** Factors of made-up numbers, and the columns of D that they stand for. */
function madeUp({
  n,
  values,
  k,
  h,
  later,
  sparse = false,
}: Record<'n' | 'values' | 'k' | 'h' | 'later', number> & { sparse?: boolean }) {
  const features = rng(1).normals(n * k)
  if (sparse) for (let j = 0; j < features.length; j++) if (j % 5 !== 0) features[j] = 0
  const size = h * (k + 1) + later
  const layout = layersLayout({ n, values, features, k, h, bias: 1, places: [1], size })
  const N = n * (values - 1)
  const [first, rest] = [rng(2).normals(N * h), rng(3).normals(N * layout.e)]
  const fill: FillFactors = (theta, room) => {
    room.host.view('f64', room.first, N * h).set(first)
    room.host.view('f64', room.rest, N * layout.e).set(rest.map((x) => x * theta[0]!))
    return theta
  }
  const columns = (theta: Float64Array): Float64Array[] =>
    Array.from({ length: N }, (_, c) => {
      const d = new Float64Array(size)
      for (let a = 0; a < h; a++)
        for (let j = 0; j < layout.k1; j++)
          d[layout.meetsFirst[a * layout.k1 + j]!] = first[c * h + a]! * layout.shown[(c % n) * layout.k1 + j]!
      for (let j = 0; j < layout.e; j++) d[layout.meetsRest[j]!] = theta[0]! * rest[c * layout.e + j]!
      return d
    })
  return { layout, fill, columns, size, N }
}

describe.each([
  { n: 1, values: 2, k: 2, h: 1, later: 0 },
  { n: 3, values: 4, k: 3, h: 5, later: 7 },
  { n: 49, values: 2, k: 6, h: 7, later: 520 },
  { n: 50, values: 3, k: 5, h: 33, later: 3, sparse: true },
  { n: 131, values: 2, k: 9, h: 2, later: 1 },
])('factors of $n records of $values values, $h wide', (shape) => {
  const { layout, fill, columns, size, N } = madeUp(shape)

  test('multiply as the columns they stand for, kept or not', () => {
    const thetas = [1, 2, 3].map((by) => new Float64Array(size).fill(by))
    for (const most of [0, 8 * N * (layout.h + layout.e), 1e9]) {
      const factors = factorsOf(layout, fill, most)
      factors.keep(thetas)
      for (const theta of [...thetas, ...thetas]) {
        const D = columns(theta)
        const at = factors.at(theta)
        expect(at.base).toBe(theta)
        const u = Array.from({ length: 3 }, (_, j) => rng(20 + j).normals(size))
        const directions = factors.directions(3, u.slice(0, 2))
        directions.set(2, u[2]!)
        close(
          factors.along(at, directions),
          D.flatMap((d) => u.map((one) => dot(d, one))),
        )
        const p = rng(30).uniforms(N)
        const sum = Array.from({ length: size }, (_, j) => D.reduce((all, d, c) => all + p[c]! * d[j]!, 0))
        close(factors.sums(at, [p])[0]!, sum)
        const gram = gramOf(layout)
        gram.add(at, 0.5, { directions, taken: [1, 0, 0.25] })
        const z = D.map((d) => u.map((one) => dot(d, one)))
        close(
          gram.take(),
          D.flatMap((a, i) =>
            D.map((b, j) => 0.5 * (dot(a, b) - z[i]![0]! * z[j]![0]! - 0.25 * z[i]![2]! * z[j]![2]!)),
          ),
          1e-8,
        )
        gram.release()
      }
      factors.release()
    }
  })
})
