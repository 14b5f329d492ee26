import { expect, test } from 'vitest'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import { priorErrors } from './label-prior.js'

const draws = rng('prior')
const [n, m] = [20, 3]
const data = Float64Array.from({ length: n * m }, (_, at) => (at % m === 0 ? 1 : 2 * draws.normal()))
const w = Float64Array.of(0.2, 1, -0.5)
const grad = Float64Array.of(0.7, 0.9, -0.4)
const groups = { rows: [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9], [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]], counts: [4, 1, 5] } // biome-ignore format: one line
const centres = [Float64Array.of(0.7, 0.7, 0.7), Float64Array.of(1.2, -0.3, 0.5)]
const scaled = (values: Float64Array, by: number) => values.map((x) => by * x)
const fitOf = ({ units = 1, size = 1, around = centres } = {}) =>
  priorErrors({
    ...groups,
    embeddings: matrix(n, m, scaled(data, units)),
    w: scaled(w, size / units),
    grad: scaled(grad, units * size),
    centres: around.map((centre) => scaled(centre, size)),
  })
const near = (found: Float64Array, expected: Float64Array) => {
  for (const [c, v] of expected.entries()) expect(found[c]! / v).toBeCloseTo(1, 6)
}

test.each([0.01, 100])('embeddings in units %f times as large tell the same errors', (units) => {
  const [found, plain] = [fitOf({ units }), fitOf()]
  near(found.errors, plain.errors)
  near(found.variances, plain.variances)
  expect(found.freedom).toBeCloseTo(plain.freedom, 6)
  expect(found.centre).toBe(plain.centre)
})

test.each([0.01, 100])('errors %f times as large are found so, with their variances and sizes', (size) => {
  const [found, plain] = [fitOf({ size }), fitOf()]
  near(found.errors, scaled(plain.errors, size))
  near(found.variances, scaled(plain.variances, size * size))
  for (const key of ['effect', 'linear', 'noise'] as const) expect(found.sizes[key] / (size * plain.sizes[key])).toBeCloseTo(1, 6) // biome-ignore format: one line
})

test('the mean error is that of the bias, which is exact', () => {
  const { errors, freedom, variances } = fitOf()
  const mean = groups.counts.reduce((sum, k, c) => sum + (k / 10) * errors[c]!, 0)
  expect(mean).toBeCloseTo(0.7, 4)
  expect(freedom).toBeGreaterThan(1 - 1e-9)
  expect(freedom).toBeLessThanOrEqual(m)
  for (const v of variances) expect(v).toBeGreaterThan(0)
})

test('metaclasses in another order have the same errors, in that order; so have centres', () => {
  const plain = fitOf()
  const turned = priorErrors({
    ...{ embeddings: matrix(n, m, data), w, grad },
    ...{ rows: groups.rows.toReversed(), counts: groups.counts.toReversed() },
    centres: centres.map((centre) => centre.toReversed()).toReversed(),
  })
  near(turned.errors.toReversed(), plain.errors)
  near(turned.variances.toReversed(), plain.variances)
  expect(turned.centre).toBe(1 - plain.centre)
})

test('an update of nothing, of records that are all alike, is still finite', () => {
  const found = priorErrors({
    ...groups,
    embeddings: matrix(n, m, new Float64Array(n * m).fill(1)),
    ...{ w, grad: new Float64Array(m), centres: [new Float64Array(3)] },
  })
  for (const e of found.errors) expect(Math.abs(e)).toBeLessThan(1e-9)
  for (const v of found.variances) expect(v).toBeGreaterThan(0)
})
