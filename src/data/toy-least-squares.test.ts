import { expect, test } from 'vitest'
import { rng } from '../numeric/random/rng.js'
import { toyClient, toyLeastSquares } from './toy-least-squares.js'

test('records of the toy: nine uniform columns, a coin, the stated noise', () => {
  const [one] = toyLeastSquares(rng(3), { clients: 1, recordsPerClient: 4000, noiseStd: 0.25 })
  const { features, labels } = one!
  const coins = labels.map((_, i) => features.data[10 * i + 9]!)
  expect(new Set(coins)).toEqual(new Set([0, 1]))
  expect(Math.abs(coins.reduce((a, b) => a + b, 0) / 4000 - 0.5)).toBeLessThan(4 * (0.5 / Math.sqrt(4000)))
  // The residual of the true affine law is the noise: its deviation is what was asked for.
  const law = rng(3).fork('law').normals(11)
  const residual = labels.map((y, i) => {
    let z = law[10]!
    for (let j = 0; j < 10; j++) z += law[j]! * features.data[10 * i + j]!
    return y - z
  })
  const std = Math.sqrt(residual.reduce((s, e) => s + e * e, 0) / 4000)
  expect(Math.abs(std / 0.25 - 1)).toBeLessThan(4 / Math.sqrt(2 * 4000))
})

test('one client alone is the same client', () => {
  const options = { clients: 4, recordsPerClient: 5, heterogeneity: 0.3 }
  expect(toyClient(rng(3), options)(2)).toEqual(toyLeastSquares(rng(3), options)[2])
})
