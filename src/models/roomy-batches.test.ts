import { describe, expect, test } from 'vitest'
import { matrix } from '../numeric/linalg/matrix.js'
import { rng } from '../numeric/random/rng.js'
import { initialise } from './initialise.js'
import { mlp } from './mlp.js'
import { isRoomy, placesFor, placesIn } from './roomy-batches.js'
import { trainer } from './trainer.js'

test('there is room where batches are sampled, and none where all records are in all of them', () => {
  const privacy = { maxNorm: 1, noiseMultiplier: 1 }
  expect([undefined, privacy, { ...privacy, sampleRate: 1 }].map(isRoomy)).toEqual([false, false, false])
  expect(isRoomy({ ...privacy, sampleRate: 0.999 })).toBe(true)
  const sizes = (roomy: boolean) => [0, 17].map((n) => placesIn({ roomy }, new Int32Array(n)))
  expect([sizes(true), sizes(false)]).toEqual([
    [0, 18],
    [0, 17],
  ])
})

test('eight programs serve all batches between a power of two and the next, and none is too small', () => {
  expect([1, 7, 15, 16, 17, 33, 64, 65, 300, 1000].map(placesFor)).toEqual([1, 7, 15, 16, 18, 36, 64, 72, 320, 1024])
  const sizes = new Set(Array.from({ length: 4096 }, (_, i) => placesFor(i + 1)))
  for (const low of [16, 256, 2048]) expect([...sizes].filter((one) => one > low && one <= 2 * low)).toHaveLength(8)
  for (let rows = 1; rows < 4096; rows++) {
    expect(placesFor(rows)).toBeGreaterThanOrEqual(rows)
    expect(placesFor(rows)).toBeLessThanOrEqual((9 / 8) * rows)
  }
})

describe('batches that differ in size', () => {
  const model = mlp({ inputs: 5, hidden: [6], outputs: 1 })
  const n = 90
  const data = { features: matrix(n, 5, rng(1).normals(5 * n)), labels: rng(2).normals(n) }
  const theta = initialise(model, rng(3))
  const clipping = { maxNorm: 0.4, noiseMultiplier: 0 }

  /** Places that are left must not count: the same as without them, but for rounding. */
  test.each([true, false])('have the gradient that their records have (sparse: %s)', (sparse) => {
    const common = { data, precision: 'f64', sparse } as const
    const sampled = trainer(model, { ...common, privacy: { ...clipping, sampleRate: 0.25 } })
    const plain = trainer(model, { ...common, privacy: clipping })
    sampled.load(theta)
    plain.load(theta)
    for (const size of [1, 17, 19, 25, 33, 70, 18]) {
      const rows = Int32Array.from({ length: size }, (_, i) => (11 * i + size) % n)
      const [found, mean] = [sampled.gradient(rows), plain.gradient(rows)]
      // A batch that was sampled counts as the expected one.
      const wanted = mean.map((x) => (x * size) / (0.25 * n))
      for (const [j, x] of found.entries()) expect(x).toBeCloseTo(wanted[j]!, 12)
    }
    expect([...sampled.gradient(new Int32Array(0))]).toEqual(Array.from({ length: theta.length }, () => 0))
  })

  test('step as their gradient says, with a record in place that is not finite elsewhere', () => {
    const odd = { ...data, labels: data.labels.map((y, i) => (i === 0 ? Number.MAX_VALUE : y)) }
    const one = trainer(model, { data: odd, precision: 'f64', privacy: { ...clipping, sampleRate: 0.25 } })
    one.load(theta)
    const rows = Int32Array.from({ length: 17 }, (_, i) => i + 1)
    const gradient = one.gradient(rows)
    one.step(rows, 0.1)
    for (const [j, x] of one.theta().entries()) expect(x).toBeCloseTo(theta[j]! - 0.1 * gradient[j]!, 12)
  })
})
