import { describe, expect, test } from 'vitest'
import type { Engine } from '../numeric/engine/engine.js'
import { unaryOp } from '../numeric/engine/kernels.js'
import { matrix } from '../numeric/linalg/matrix.js'
import { rng } from '../numeric/random/rng.js'
import { initialise } from './initialise.js'
import { mlp } from './mlp.js'
import { addStepNoise, checkPrivacy, inPlaces, noisyMean, placesFor, privatise } from './private-step.js'
import { trainer } from './trainer.js'

/** What the mean over a batch is scaled by. */
function scaled(sampleRate: number | undefined, rows: number): unknown[] {
  const asked: unknown[] = []
  const engine = { f64: { unary: (...all: unknown[]) => asked.push(all) } } as unknown as Engine
  const privacy = { maxNorm: 2, noiseMultiplier: 0, ...(sampleRate !== undefined && { sampleRate }) }
  privatise(privacy, { engine, precision: 'f64', address: 8, d: 3 }, { rows, records: 50, rng: undefined })
  return asked
}

test('a batch that was sampled counts as the expected one, any other as it is', () => {
  expect(scaled(undefined, 5)).toEqual([])
  expect(scaled(0.2, 5)).toEqual([[unaryOp.scale, 8, 8, 3, 0.5]])
  expect(scaled(0.5, 0)).toEqual([[unaryOp.scale, 8, 8, 3, 0]])
})

test('a step without noise is given what its share and its noise come to', () => {
  const at = (more: object, rows = 5) => noisyMean({ maxNorm: 3, noiseMultiplier: 2, ...more }, { rows, records: 50 })
  expect(at({})).toEqual({ share: 1, std: 6 / 5 })
  expect(at({ sampleRate: 0.2 })).toEqual({ share: 0.5, std: 6 / 10 })
  expect(at({ sampleRate: 0.2, noiseMultiplier: 0 }, 0)).toEqual({ share: 0, std: 0 })
})

test('no stream is asked for where there is no noise', () => {
  const none = { engine: {} as Engine, precision: 'f64', address: 8, d: 3 } as const
  const batch = { rows: 5, records: 50, rng: undefined, learningRate: 1 }
  expect(() => addStepNoise({ maxNorm: 1, noiseMultiplier: 0 }, none, batch)).not.toThrow()
  expect(() => addStepNoise({ maxNorm: 1, noiseMultiplier: 1 }, none, batch)).toThrow()
})

test.each([
  [{ maxNorm: 0 }, 'maxNorm is 0'],
  [{ maxNorm: Number.POSITIVE_INFINITY }, 'maxNorm is Infinity'],
  [{ noiseMultiplier: -1e-9 }, 'noiseMultiplier is'],
  [{ noiseMultiplier: Number.POSITIVE_INFINITY }, 'noiseMultiplier is Infinity'],
  [{ sampleRate: 0 }, 'sampleRate is 0'],
  [{ sampleRate: 1.0001 }, 'sampleRate is 1.0001'],
  [{ maxNorm: 1e-9 }, undefined],
  [{ noiseMultiplier: 0, sampleRate: 1 }, undefined],
])('%j is checked', (change, message) => {
  const check = () => checkPrivacy({ maxNorm: 1, noiseMultiplier: 1, ...change })
  if (message === undefined) expect(check).not.toThrow()
  else expect(check).toThrow(message)
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

test('places that are left hold the first record again', () => {
  const rows = Int32Array.of(4, 9, 2)
  expect(inPlaces(rows, 3)).toBe(rows)
  expect([...inPlaces(rows, 5)]).toEqual([4, 9, 2, 4, 4])
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
