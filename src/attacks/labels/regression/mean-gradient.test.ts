import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { madeUpdate } from '../../../../test/regression-view.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import { precisionOf } from '../../shared/sent-precision.js'
import { regressionUpdate } from './mean-gradient.js'
import { regressionHead } from './regression-head.js'
import { clipped, wholeCounts } from './whole-counts.js'

const features = matrix(8, 3, rng(1).normals(24))
const labels = rng(2).normals(8)
const model = { kind: 'mlp', inputs: 3, hidden: [5], outputs: 1 }

describe('the gradient of an update', () => {
  test.each(['gradient', 'parameters', 'delta'] as const)('from %s: the same', async (share) => {
    const { view, theta, functions } = madeUpdate({ model, features, labels, share })
    const { grad, gradW, gradB, w, b, steps } = await regressionUpdate(view, regressionHead(view), 0)
    const expected = functions.gradient(theta, { features, labels }).grad
    for (const [j, g] of expected.entries()) expect(grad[j]).toBeCloseTo(g, 10)
    expect([...gradW]).toEqual([...grad.slice(-6, -1)])
    expect(gradB).toBe(grad.at(-1))
    expect([...w, b]).toEqual([...theta.slice(-6)])
    expect(steps).toBe(1)
  })

  test('several steps: their mean', async () => {
    const protocol = { localSteps: 4, learningRate: 1e-6 }
    const { view, theta, functions } = madeUpdate({ model, features, labels, share: 'delta', protocol })
    const { grad, steps } = await regressionUpdate(view, regressionHead(view), 0)
    const expected = functions.gradient(theta, { features, labels }).grad
    for (const [j, g] of expected.entries()) expect(grad[j]).toBeCloseTo(g, 3)
    expect(steps).toBe(4)
  })

  test('a shared gradient is rounded by its own size, a model by the size of the model over the step', async () => {
    const at = async (share: 'gradient' | 'parameters') => {
      const { view } = madeUpdate({
        model,
        features,
        labels,
        share,
        precision: 'f32',
        protocol: { learningRate: 1e-3 },
      })
      const update = await regressionUpdate(view, regressionHead(view), 0)
      expect(update.precision.name).toBe('f32')
      return update.errorAt(update.grad.length - 1) / Math.abs(update.gradB)
    }
    expect(await at('gradient')).toBeLessThan(1e-7)
    expect(await at('parameters')).toBeGreaterThan(1e-6)
  })
})

describe('precision', () => {
  const values = rng(3).normals(100)
  test('is told from the numbers', () => {
    expect(precisionOf(values).name).toBe('f64')
    expect(precisionOf(values.map(Math.fround)).name).toBe('f32')
    expect(precisionOf(values.map((v) => Math.round(v * 500))).name).toBe('f16')
    expect(precisionOf(values.map((v) => Math.round(v * 16))).name).toBe('bf16')
  })

  test('of a few simple numbers is not taken for the shortest', () => {
    expect(precisionOf(Float64Array.of(1, 2, 0.5)).name).toBe('f32')
    expect(precisionOf(Float64Array.of(0.1)).name).toBe('f64')
    expect(precisionOf(new Float64Array(5)).name).toBe('f64')
  })
})

test('whole counts keep the sum, stay within 1 and are not negative', () => {
  const counts = fc.array(fc.double({ min: -5, max: 50, noNaN: true }), { minLength: 1, maxLength: 9 })
  fc.assert(
    fc.property(counts, fc.integer({ min: 1, max: 200 }), (list, K) => {
      const shares = clipped(Float64Array.from(list), K)
      const whole = wholeCounts(shares, K)
      expect(shares.reduce((sum, k) => sum + k, 0)).toBeCloseTo(K, 8)
      expect(whole.reduce((sum, k) => sum + k, 0)).toBe(K)
      for (const [c, k] of whole.entries()) {
        expect(k).toBeGreaterThanOrEqual(0)
        expect(Math.abs(k - shares[c]!)).toBeLessThan(1 + 1e-9)
      }
    }),
  )
})
