import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rng } from '../numeric/random/rng.js'
import { auc, aucInterval } from './auc.js'

const above = (x: number, y: number): number => (x > y ? 1 : x === y ? 0.5 : 0)

/** Every pair, and the variance of DeLong's structural components from their definition. */
function byPairs(scores: readonly number[], positive: readonly boolean[]) {
  const X = scores.filter((_, i) => positive[i])
  const Y = scores.filter((_, i) => !positive[i])
  const mean = (v: number[]) => v.reduce((a, b) => a + b, 0) / v.length
  const variance = (v: number[]) => v.reduce((a, b) => a + (b - mean(v)) ** 2, 0) / (v.length - 1)
  const V10 = X.map((x) => mean(Y.map((y) => above(x, y))))
  const V01 = Y.map((y) => mean(X.map((x) => above(x, y))))
  return {
    area: mean(V10),
    std: Math.sqrt(variance(V10) / X.length + variance(V01) / Y.length),
    sizes: [X.length, Y.length],
  }
}

const ranked = fc
  .array(fc.tuple(fc.integer({ min: -3, max: 3 }), fc.boolean()), { maxLength: 30 })
  .map((pairs) => ({ scores: pairs.map(([s]) => s), positive: pairs.map(([, p]) => p) }))

test('the area is the share of pairs in the right order, ties half', () => {
  fc.assert(
    fc.property(ranked, ({ scores, positive }) => {
      const { area, sizes } = byPairs(scores, positive)
      if (sizes.includes(0)) expect(auc({ scores, positive })).toBeUndefined()
      else expect(auc({ scores, positive })).toBeCloseTo(area, 12)
    }),
  )
})

test('the interval is 1.96 standard errors by the structural components, inside 0..1', () => {
  fc.assert(
    fc.property(ranked, ({ scores, positive }) => {
      const { area, std, sizes } = byPairs(scores, positive)
      const interval = aucInterval({ scores, positive })
      if (Math.min(...sizes) < 2 || std < 1e-12) {
        expect(interval).toBeUndefined()
        return
      }
      expect(interval![0]).toBeCloseTo(Math.max(0, area - 1.959963984540054 * std), 10)
      expect(interval![1]).toBeCloseTo(Math.min(1, area + 1.959963984540054 * std), 10)
    }),
  )
})

test('the interval covers the true area about as often as it says', () => {
  // Scores N(1, 1) against N(0, 1): the area is Phi(1 / sqrt 2) = 0.7602.
  const draw = rng(7).fork('auc')
  let covered = 0
  for (let run = 0; run < 400; run++) {
    const positive = Array.from({ length: 80 }, (_, i) => i % 2 === 0)
    const scores = positive.map((is) => draw.normal({ mean: is ? 1 : 0 }))
    const [low, high] = aucInterval({ scores, positive })!
    if (low <= 0.7602499 && 0.7602499 <= high) covered++
  }
  expect(covered / 400).toBeGreaterThan(0.91)
  expect(covered / 400).toBeLessThan(0.985)
})
