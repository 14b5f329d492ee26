import { describe, expect, test } from 'vitest'
import { cholesky, choleskySolve } from '../../numeric/linalg/cholesky.js'
import { identity, type Matrix, matrix, multiply, transpose } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import {
  checkMap,
  chiSquaredTail,
  fitOfCheck,
  isNoise,
  type MapCheck,
  precisionBehind,
  roundingExplains,
  successive,
} from './map-check.js'

/** n messages of d parameters on a map that need not be symmetric, and noise. */
function messages(n: number, d: number, seed = 1) {
  const draws = rng(seed)
  const theta = matrix(n, d, draws.fork('theta').normals(n * d, { mean: 5, std: 2 }))
  const descent = multiply(theta, matrix(d, d, draws.fork('map').normals(d * d)))
  const noise = draws.fork('noise').normals(n * d, { std: 0.3 })
  for (let at = 0; at < n * d; at++) descent.data[at]! += noise[at]! + 1
  return { theta, descent }
}

/** [theta, 1], and its hat matrix by normal equations: what least squares make of each message. */
function hatOf(theta: Matrix): Matrix {
  const [n, d] = [theta.rows, theta.cols]
  const A = matrix(n, d + 1)
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < d; j++) A.data[i * (d + 1) + j] = theta.data[i * d + j]!
    A.data[i * (d + 1) + d] = 1
  }
  return multiply(A, choleskySolve(cholesky(multiply(transpose(A), A)), transpose(A)))
}

const squares = (values: ArrayLike<number>) => Array.from(values).reduce((sum, x) => sum + x * x, 0)

describe('more messages than the map has unknowns', () => {
  test.each([
    [4, 1],
    [7, 3],
    [13, 3],
    [14, 3],
    [40, 5],
  ])('%d messages of %d parameters: what the least squares leave, and what each left out one would', (n, d) => {
    const pairs = messages(n, d)
    const hat = hatOf(pairs.theta)
    const rest = multiply(hat, pairs.descent)
    for (let at = 0; at < n * d; at++) rest.data[at] = pairs.descent.data[at]! - rest.data[at]!
    const found = checkMap(pairs)
    const freedom = (n - d - 1) * d
    expect([found.by, found.freedom]).toEqual(['other messages', freedom])
    expect(found.noise).toBeCloseTo(Math.sqrt(squares(rest.data) / freedom), 9)
    let [missed, explained] = [0, 0]
    for (let i = 0; i < n; i++) {
      const left = 1 - hat.data[i * n + i]!
      missed += squares(rest.data.subarray(i * d, (i + 1) * d)) / left ** 2
      explained += d / left
    }
    const size = Math.sqrt(squares(pairs.descent.data))
    expect(found.misfit).toBeCloseTo(Math.sqrt(missed) / size, 9)
    expect(found.misfitOfNoise).toBeCloseTo(Math.sqrt(explained) / size, 9)
    // Ten more than needed tell whether one turn's noise is like that of the next.
    const serial = n - d - 1 < 10 ? { alike: 0, alikeP: null } : successive(rest)
    expect(found.alike).toBeCloseTo(serial.alike, 9)
    if (serial.alikeP === null) expect(found.alikeP).toBe(null)
    else expect(found.alikeP).toBeCloseTo(serial.alikeP, 9)
  })

  test('a direction that is not heard, and a message that stands alone in one, predict nothing', () => {
    const { theta, descent } = messages(9, 2)
    for (let i = 0; i < 9; i++) theta.data[2 * i + 1] = i === 4 ? 1 : 0
    const others = [0, 1, 2, 3, 5, 6, 7, 8]
    const part = (A: Matrix, cols: number) =>
      matrix(
        8,
        cols,
        Float64Array.from(others.flatMap((i) => Array.from({ length: cols }, (_, j) => A.data[2 * i + j]!))),
      )
    const whole = checkMap({ theta, descent })
    const alone = checkMap({ theta: part(theta, 2), descent: part(descent, 2) })
    expect([whole.freedom, alone.freedom]).toEqual([12, 12])
    for (const key of ['noise', 'misfit', 'misfitOfNoise'] as const) expect(whole[key]).toBeCloseTo(alone[key]!, 9)
  })

  test('units do not matter, neither of the models nor of the descents', () => {
    const { theta, descent } = messages(9, 3)
    const scaled = (A: Matrix, units: readonly number[]) =>
      matrix(
        9,
        3,
        A.data.map((x, at) => x * units[at % 3]!),
      )
    const [plain, far] = [checkMap({ theta, descent }), checkMap({ theta: scaled(theta, [1e-14, 1, 1e9]), descent })]
    expect(far.freedom).toBe(plain.freedom)
    for (const key of ['noise', 'misfit', 'misfitOfNoise'] as const) expect(far[key]).toBeCloseTo(plain[key]!, 7)
    const tiny = checkMap({ theta, descent: scaled(descent, [1e-9, 1e-9, 1e-9]) })
    expect(tiny.noise! * 1e9).toBeCloseTo(plain.noise!, 7)
    expect(tiny.misfit).toBeCloseTo(plain.misfit!, 7)
  })

  test('descents that are nothing leave nothing', () => {
    const { theta } = messages(6, 2)
    expect(checkMap({ theta, descent: matrix(6, 2) })).toMatchObject({ noise: 0, misfit: 0, alike: 0 })
    expect(checkMap({ theta, descent: matrix(6, 2) }).misfitOfNoise).toBeGreaterThan(Math.sqrt(12))
    const still = checkMap({ theta: matrix(6, 2, new Float64Array(12).fill(3)), descent: matrix(6, 2) })
    expect(still).toMatchObject({ noise: 0, freedom: 10, by: 'other messages' })
  })
})

describe('as many messages as the map has unknowns', () => {
  test('from three parameters on: by how far the map is from symmetric, in units of what noise would make of it', () => {
    const d = 4
    const { theta, descent } = messages(d + 1, d, 3)
    const less = (A: Matrix) => {
      const mean = Array.from(
        { length: d },
        (_, j) => Array.from({ length: d + 1 }, (_, i) => A.data[i * d + j]!).reduce((a, b) => a + b) / (d + 1),
      )
      return matrix(
        d + 1,
        d,
        A.data.map((x, at) => x - mean[at % d]!),
      )
    }
    const X = less(theta)
    const P = multiply(choleskySolve(cholesky(multiply(transpose(X), X)), identity(d)), transpose(X))
    const W = multiply(P, less(descent))
    let sum = 0
    for (let j = 0; j < d; j++) {
      for (let k = 0; k < j; k++) {
        const size =
          squares(P.data.subarray(j * (d + 1), (j + 1) * (d + 1))) +
          squares(P.data.subarray(k * (d + 1), (k + 1) * (d + 1)))
        sum += (W.data[j * d + k]! - W.data[k * d + j]!) ** 2 / size
      }
    }
    const found = checkMap({ theta, descent })
    expect(found.noise).toBeCloseTo(Math.sqrt(sum / 6), 9)
    expect(found).toMatchObject({ by: 'symmetry', freedom: 6, misfit: null, misfitOfNoise: 0, alike: 0, alikeP: null })
  })

  test.each([
    [1, null, 0],
    [2, null, 0],
    [3, 'symmetry', 3],
  ])('%d parameters: told by %s', (d, by, freedom) => {
    const found = checkMap(messages(d + 1, d))
    expect([found.by, found.freedom, found.noise === null]).toEqual([by, freedom, by === null])
  })

  test('fewer messages tell nothing', () => {
    expect(checkMap(messages(3, 3))).toMatchObject({ by: null, freedom: 0, noise: null })
  })
})

test('noise of successive turns: products of neighbours, and how likely so much is by luck', () => {
  const of = (...rows: number[][]) => successive(matrix(rows.length, rows[0]!.length, Float64Array.from(rows.flat())))
  // Products 2 and 6 over squares of 14; z^2 / 2 = 64 / 40 / 2.
  const { alike, alikeP } = of([1], [2], [3])
  expect(alike).toBeCloseTo(8 / 14, 14)
  expect(alikeP).toBeCloseTo(Math.exp(-0.8), 14)
  expect(of([1, 1], [-1, -1])).toEqual({ alike: -0.5, alikeP: 1 })
  expect(of([0, 0], [0, 0])).toEqual({ alike: 0, alikeP: 1 })
})

const check: MapCheck = { noise: 1, by: 'symmetry', freedom: 6, misfit: 0.5, misfitOfNoise: 3, alike: 0, alikeP: null }

describe('what the noise may be', () => {
  test('rounding, up to ten times that of one number', () => {
    const of = (noise: number | null) => roundingExplains({ ...check, noise }, { rounding: 0.25, bits: 53 })
    expect([of(2.5), of(2.6), of(0), of(null)]).toEqual([true, false, true, null])
  })

  test('that of single precision in numbers of double, neither more nor much less', () => {
    const doubles = { rounding: 2 ** -50, bits: 53 }
    const coarse = { rounding: 2 ** -21, bits: 24 }
    const of = (noise: number | null, given = doubles) => precisionBehind({ ...check, noise }, given)
    expect(of(10 * 2 ** -21)).toEqual(coarse)
    expect(of(2 ** -21 / 20)).toEqual(coarse)
    expect(of(10.1 * 2 ** -21)).toEqual(doubles)
    expect(of(2 ** -21 / 20.1)).toEqual(doubles)
    expect(of(null)).toEqual(doubles)
    expect(of(2 ** -21, coarse)).toEqual(coarse)
  })

  test('noise, unless it is more than rounding and one turn is like the next or nothing is random', () => {
    const of = (noise: number | null, alikeP: number | null, exact: boolean) =>
      isNoise({ ...check, noise, alikeP }, { rounding: 0.1, bits: 53, exact })
    expect(of(1, 1e-9, true)).toBe(true)
    expect([of(2, 9e-4, true), of(2, 9e-4, false), of(2, 1e-3, true), of(2, 1e-3, false)]).toEqual([
      false,
      false,
      true,
      true,
    ])
    expect([of(2, null, true), of(2, null, false), of(null, null, false), of(null, null, true)]).toEqual([
      false,
      true,
      true,
      false,
    ])
  })
})

describe('the check as a fit', () => {
  test('none where nothing tells', () => {
    expect(fitOfCheck({ ...check, misfit: null }, { rounding: 1, exact: true })).toEqual({})
    expect(fitOfCheck({ ...check, noise: null }, { rounding: 1, exact: true })).toEqual({})
  })

  test('by rounding where nothing is random: the chi-squared tail of the squares', () => {
    const { fit } = fitOfCheck(check, { rounding: 0.05, exact: true })
    expect(fit).toEqual({ misfit: 0.5, expected: 1.5, p: chiSquaredTail(6 * 4, 6) })
    expect(fitOfCheck(check, { rounding: 0.2, exact: true }).fit!.p).toBe(chiSquaredTail(6 / 4, 6))
  })

  test('by what turns have in common where something is', () => {
    expect(fitOfCheck(check, { rounding: 9, exact: false })).toEqual({ fit: { misfit: 0.5, expected: 3, p: 1 } })
    expect(fitOfCheck({ ...check, alikeP: 0.3 }, { rounding: 9, exact: false }).fit!.p).toBe(0.3)
  })

  test.each([
    // Two degrees: exp(-x / 2). Four: exp(-x / 2) (1 + x / 2). Six: and x^2 / 8.
    [0.9, 4, Math.exp(-0.45) * 1.45],
    [3, 2, Math.exp(-1.5)],
    [9.49, 4, Math.exp(-4.745) * 5.745],
    [2, 6, Math.exp(-1) * 2.5],
    [16.8, 6, Math.exp(-8.4) * (1 + 8.4 + 8.4 ** 2 / 2)],
  ])('the probability of more than %d with %d degrees of freedom', (x, freedom, p) => {
    expect(Math.abs(chiSquaredTail(x, freedom) - p)).toBeLessThan(0.003)
  })

  test('of nothing and of infinitely much', () => {
    expect([0, -1, Number.NaN, Number.POSITIVE_INFINITY].map((x) => chiSquaredTail(x, 4))).toEqual([1, 1, 1, 0])
  })
})
