import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rng } from '../../numeric/random/rng.js'
import { innerProducts } from './disaggregation.js'

test('inner products have the bits of one sum after the other, for any number of rows and of columns', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 13 }), fc.integer({ min: 0, max: 9 }), (count, length) => {
      const draws = rng('rows')
      const rows = Array.from({ length: count }, (_, r) => draws.fork(r).normals(length))
      const x = draws.fork('x').normals(length)
      const plain = rows.map((row) => row.reduce((sum, a, j) => sum + a * x[j]!, 0))
      expect(Array.from(innerProducts(rows, x))).toEqual(plain)
    }),
  )
  expect(innerProducts([Float64Array.of(Number.NaN, 1), Float64Array.of(2, 3)], Float64Array.of(1, 1))).toEqual(
    Float64Array.of(Number.NaN, 5),
  )
})
