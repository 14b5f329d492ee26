import { describe, expect, test } from 'vitest'
import { matrix, matrixOf, multiply, rowOf, transpose } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import { coordinatesOf, scaleColumns } from './mapping-coordinates.js'

/** Means 2, 5 and -1; deviations 1, 0 and 7. */
const columns = matrixOf([
  [1, 5, 6],
  [3, 5, -8],
  [1, 5, 6],
  [3, 5, -8],
])

describe('columns', () => {
  test.each([
    ['each', [2, 5, -1], [1, Math.sqrt(50 / 3), 7]],
    ['global', [2, 5, -1], new Array(3).fill(Math.sqrt(50 / 3))],
    ['none', [0, 0, 0], [1, 1, 1]],
  ] as const)('%s: less their mean, over their spread', (how, means, scales) => {
    const { mean, scale, rows } = scaleColumns(columns, how)
    expect([...mean]).toEqual(means)
    for (const [j, s] of scales.entries()) expect(scale[j]).toBeCloseTo(s, 14)
    expect([rows.rows, rows.cols]).toEqual([4, 3])
    for (const [at, x] of columns.data.entries())
      expect(rows.data[at]).toBeCloseTo((x - means[at % 3]!) / scales[at % 3]!, 14)
  })

  test.each(['each', 'global'] as const)('%s: columns that never change are divided by one', (how) => {
    const still = matrix(3, 2, new Float64Array(6).fill(4))
    const { scale, rows } = scaleColumns(still, how)
    expect([...scale, ...rows.data]).toEqual([1, 1, 0, 0, 0, 0, 0, 0])
  })
})

test('a spread that is small beside the mean is not lost in it', () => {
  const x = Array.from({ length: 9 }, (_, i) => ((i * i) % 7) / 4)
  const { scale } = scaleColumns(
    matrix(
      9,
      1,
      Float64Array.from(x, (v) => 1e12 + v),
    ),
    'each',
  )
  expect(scale[0]).toBeCloseTo(scaleColumns(matrix(9, 1, Float64Array.from(x)), 'each').scale[0]!, 6)
})

/** Models of five parameters in a plane, with a parameter that never changes. */
const n = 9
const plane = matrixOf([
  [1, 2, 0, -1, 0.5],
  [0, 1, 0, 3, 1],
])
const heard = multiply(matrix(n, 2, rng(3).normals(2 * n, { std: 4 })), plane)
for (let i = 0; i < n; i++) heard.data[5 * i + 2] = 11
const models = Array.from({ length: n }, (_, i) => rowOf(heard, i))

const close = (found: ArrayLike<number>, asked: ArrayLike<number>, digits = 10) => {
  expect(found).toHaveLength(asked.length)
  for (let j = 0; j < asked.length; j++) expect(found[j]).toBeCloseTo(asked[j]!, digits)
}

describe.each(['each', 'none'] as const)('coordinates, %s', (how) => {
  test('are the scaled columns, there and back', () => {
    const { rows, size, to, from } = coordinatesOf(heard, how)
    expect(size).toBe(5)
    expect(rows).toEqual(scaleColumns(heard, how).rows)
    for (const [i, theta] of models.entries()) {
      close(to(theta), rowOf(rows, i), 12)
      close(from(to(theta), new Float64Array(5)), theta)
    }
  })
})

describe('coordinates, whitened', () => {
  const { rows, size, to, from } = coordinatesOf(heard, 'whiten')

  test('one a direction heard, in which the models have unit variance and nothing in common', () => {
    expect([size, rows.rows, rows.cols]).toEqual([2, n, 2])
    const covariance = multiply(transpose(rows), rows)
    close(covariance.data, [n, 0, 0, n])
    close(multiply(transpose(rows), matrix(n, 1, new Float64Array(n).fill(1))).data, [0, 0])
    for (const [i, theta] of models.entries()) close(to(theta), rowOf(rows, i))
  })

  test('and back: the model itself, or what differs from another in those directions alone', () => {
    for (const [i, theta] of models.entries()) close(from(to(theta), models[(i + 1) % n]!), theta, 9)
    const at = Float64Array.of(1, -2, 30, 4, 5)
    const moved = from(Float64Array.of(0.5, -1), at)
    close(to(moved), [0.5, -1])
    expect(moved[2]).toBe(30)
    close(from(to(at), at), at)
    // The step lies in the plane of the models heard: between two of them it is a combination of their steps.
    const step = moved.map((v, j) => v - at[j]!)
    const [, , , a, b] = step
    const [p, q] = [(b! - a! / 3) / (0.5 + 1 / 3), 0]
    expect(q).toBe(0)
    const r = (a! + p) / 3
    close(step, [p, 2 * p + r, 0, 3 * r - p, 0.5 * p + r], 9)
  })

  test('a direction that rounding explains is none, and the more models there are the more it does', () => {
    const sizeOf = (n: number, off: number) => {
      const [a, b] = [rng(1).normals(n), rng(2).normals(n)]
      const theta = matrix(n, 2)
      for (let i = 0; i < n; i++) theta.data.set([a[i]!, a[i]! + off * b[i]!], 2 * i)
      return coordinatesOf(theta, 'whiten').size
    }
    expect([sizeOf(400, 4e-11), sizeOf(20, 4e-11), sizeOf(20, 4e-13)]).toEqual([1, 2, 1])
  })

  test('one direction is one, beside a parameter that never changes', () => {
    const line = coordinatesOf(
      matrixOf([
        [1, 5],
        [2, 5],
        [6, 5],
      ]),
      'whiten',
    )
    expect(line.size).toBe(1)
    close(line.from(line.to(Float64Array.of(9, 5)), Float64Array.of(1, 5)), [9, 5])
  })

  test('models that are all alike have none', () => {
    const alike = coordinatesOf(matrix(4, 3, new Float64Array(12).fill(2)), 'whiten')
    expect([alike.size, alike.rows.rows, alike.rows.cols]).toEqual([0, 4, 0])
    const at = Float64Array.of(7, 8, 9)
    expect([alike.to(at), alike.from(new Float64Array(0), at)]).toEqual([new Float64Array(0), at])
  })
})
