import { describe, expect, test } from 'vitest'
import { protocolOf } from '../../../test/label-views.js'
import { clippingNorm, explains, fitOf, plainStepRule, replayedDescent, unexplained } from './replayed-descent.js'

describe('steps that can be done again', () => {
  test('are plain ones, with momentum and a pull back', () => {
    expect(plainStepRule(protocolOf({ momentum: 0.5, proxMu: 0.1 }))).toEqual({ momentum: 0.5, proxMu: 0.1 })
    expect(plainStepRule(protocolOf({ optimizer: { name: 'sgd' }, weightDecay: 0, compression: null }))).toBeDefined()
  })
  test.each([
    ['adam', { optimizer: { name: 'adam' } }],
    ['weight decay', { weightDecay: 0.1 }],
    ['compression', { compression: { kind: 'top-k', share: 0.1 } }],
    ['mixup', { mixup: { alpha: 0.4 } }],
    ['dropout', { dropout: 0.1 }],
  ] as const)('not with %s', (what, change) => {
    expect(() => plainStepRule(protocolOf(change as never))).toThrow(what)
  })
  test('are cut to the smaller of two norms', () => {
    const dp = (maxNorm: number | null) => ({ mechanism: 'clip', maxNorm }) as never
    expect(clippingNorm(protocolOf())).toBe(Number.POSITIVE_INFINITY)
    expect(clippingNorm(protocolOf({ clipNorm: 2 }))).toBe(2)
    expect(clippingNorm(protocolOf({ clipNorm: 2, differentialPrivacy: dp(1) }))).toBe(1)
    expect(clippingNorm(protocolOf({ clipNorm: 2, differentialPrivacy: dp(3) }))).toBe(2)
    expect(clippingNorm(protocolOf({ differentialPrivacy: dp(null) }))).toBe(Number.POSITIVE_INFINITY)
  })
  test('by hand: the gradient is 2 theta, a rate of 0.25', () => {
    const gradient = (theta: Float64Array) => theta.map((v) => 2 * v)
    const turn = { theta: Float64Array.of(8, -4), learningRate: 0.25, gradient, momentum: 0, proxMu: 0 }
    expect([...replayedDescent({ ...turn, steps: 0 })]).toEqual([0, 0])
    expect([...replayedDescent({ ...turn, steps: 2 })]).toEqual([6, -3]) // halved twice
    // Velocity 16, then 0.5 * 16 + 8 = 16: 8 - 4 - 4 = 0.
    expect([...replayedDescent({ ...turn, steps: 2, momentum: 0.5 })]).toEqual([8, -4])
    // Gradient 16, then 8 - 0.5 * 4 = 6: 8 - 4 - 1.5 = 2.5.
    expect([...replayedDescent({ ...turn, steps: 2, proxMu: 0.5 })]).toEqual([5.5, -2.75])
    const steps: number[] = []
    const told = (theta: Float64Array, s: number) => {
      steps.push(s)
      return theta
    }
    replayedDescent({ ...turn, steps: 3, gradient: told })
    expect(steps).toEqual([0, 1, 2])
    expect([...turn.theta]).toEqual([8, -4])
  })
  test('that run away give nothing', () => {
    const gradient = (theta: Float64Array) => theta.map((v) => v * 1e200)
    const turn = { theta: Float64Array.of(1, 0), learningRate: 1, gradient, momentum: 0, proxMu: 0, steps: 9 }
    expect([...replayedDescent(turn)]).toEqual([Number.NaN, Number.NaN])
  })
})

describe('how well an update is explained', () => {
  const heard = Float64Array.of(3, 4) // of length 5
  const against = (replayed: readonly number[], change: object = {}) =>
    fitOf(Float64Array.from(replayed), { heard, errorAt: () => 0.05, noisy: false, fitted: 0, ...change })
  test('by its relative distance, beside what rounding explains', () => {
    const { misfit, expected, p } = against([3, 4.5])
    expect(misfit).toBeCloseTo(0.1, 14)
    expect(expected).toBeCloseTo(Math.sqrt(2 * 0.01 * 0.01), 14)
    expect(p).toBe(1) // 0.1 is within 16 times 0.014
    expect(against([3, 5.14]).p).toBe(0)
    expect(against([3, 5.13]).p).toBe(1)
    expect(against([3, 5.14], { besides: 0.02 })).toMatchObject({
      p: 1,
      expected: Math.sqrt(2 * 0.01 * 0.01 + 0.02 * 0.02),
    })
  })
  test('an update of nothing is explained by nothing alone', () => {
    const nothing = { heard: new Float64Array(2) }
    expect(against([0, 0], nothing)).toEqual({ misfit: 0, expected: 0, p: 1 })
    expect(against([0, 1], nothing)).toEqual({ misfit: 1, expected: 0, p: 0 })
  })
  test('what has no error at all is explained by its equal alone', () => {
    const exact = { errorAt: () => 0 }
    expect(against([3, 4], exact)).toEqual({ misfit: 0, expected: 0, p: 1 })
    expect(against([3, 4 + 1e-15], exact).p).toBe(0)
  })
  test('noise by the chi-squared distribution of what it leaves', () => {
    const n = 10
    const noise = { heard: new Float64Array(n).fill(1), errorAt: () => 0.1, noisy: true }
    const off = (by: number, change: object = {}) => against(new Array(n).fill(1 + by), { ...noise, ...change }).p
    // 10 degrees of freedom: the upper tails at 10, 18.307 and 29.588 are 0.4405, 0.05 and 0.001.
    expect(off(0.1)).toBeCloseTo(0.4405, 2)
    expect(off(Math.sqrt(0.018307))).toBeCloseTo(0.05, 2)
    expect(off(Math.sqrt(0.029588))).toBeCloseTo(0.001, 3)
    expect(off(0)).toBeGreaterThan(0.999)
    // 4 degrees of freedom: 9.488 has 0.05.
    expect(off(Math.sqrt(0.009488), { fitted: 6 })).toBeCloseTo(0.05, 2)
    expect(off(0.1, { fitted: 20 })).toBe(off(0.1, { fitted: 9 }))
    // 1 is the least: 3.841 has 0.05.
    expect(off(Math.sqrt(0.003841), { fitted: 20 })).toBeCloseTo(0.05, 2)
    // What has no error takes no part: half of the numbers, or all of them half as far in squares.
    expect(off(0.1, { errorAt: (j: number) => (j < 5 ? 0.1 : 0) })).toBeCloseTo(off(0.1 * Math.SQRT1_2), 12)
  })
  test('at a thousandth or more', () => {
    const of = (p: number, misfit = 0.5) => explains({ misfit, expected: 0.1, p })
    expect([of(1e-3), of(0.9e-3), of(1, Number.NaN), of(1, Number.POSITIVE_INFINITY)]).toEqual([true, false, false, false]) // biome-ignore format: one line
    const said = unexplained('two records', { misfit: 0.123, expected: Number.NaN, p: 0 })
    expect(said.message).toContain('two records and the stated protocol leave 0.12 of the update')
    expect(said.message).toContain('explain NaN')
  })
})
