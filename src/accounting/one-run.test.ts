import { describe, expect, test } from 'vitest'
import type { VectorO } from '../../test/accounting-vectors.js'
import { describeWithShared, vector } from '../../test/shared.js'
import { rng } from '../numeric/random/rng.js'
import { gaussianEpsilon, gaussianMuFor } from './analytic-gaussian.js'
import { oneRunAudit, oneRunGaussianBound, oneRunLowerBound, oneRunPValue, refutesGaussian } from './one-run.js'
import { worldsLowerBound } from './repeated-worlds.js'

describeWithShared('vector o: lower bounds from one run', () => {
  test.each(vector<VectorO>('o').oneRun.map((one) => [`${one.correct} of ${one.guesses}`, one] as const))(
    '%s',
    (_, one) => {
      const { delta, significance } = one
      expect(Math.abs(oneRunPValue(one, { epsilon: 1, delta }) - one.pAtEps1)).toBeLessThan(1e-9)
      const got = oneRunLowerBound(one, { delta, confidence: 1 - significance })
      expect(Math.abs(got - one.epsilonLower)).toBeLessThan(1e-6)
    },
  )
})

/** One run of Gaussian noise on many canaries, each of which moves a coordinate of its own by 1: the best there is to guess. */
function oneRun(seed: number, { m, sigma }: { m: number; sigma: number }) {
  const stream = rng(seed)
  const inTraining = Array.from(stream.fork('coins').uniforms(m), (u) => u < 0.5)
  const noise = stream.fork('noise').normals(m)
  return { inTraining, scores: Float64Array.from(noise, (z, i) => (inTraining[i] ? 1 : 0) + sigma * z) }
}

describe('guesses about Gaussian noise', () => {
  const m = 2000
  const sigma = 0.5
  const delta = 1e-5
  const truth = gaussianEpsilon(1 / sigma, delta)

  test('no bound at confidence 0.95 exceeds the truth in more than 5 of 40 runs, however the threshold is paid for', () => {
    for (const thresholds of ['bonferroni', 'split'] as const) {
      let above = 0
      let sum = 0
      for (let seed = 0; seed < 40; seed++) {
        const { epsilon } = oneRunAudit(oneRun(seed, { m, sigma }), { delta, confidence: 0.95, thresholds })
        if (epsilon > truth) above++
        sum += epsilon / 40
      }
      expect(above).toBeLessThanOrEqual(5)
      expect(sum).toBeGreaterThan(truth / 5)
    }
  })

  test('the bound by the trade-off curve comes nearer, and does not exceed the truth', () => {
    for (const seed of [3, 4, 5]) {
      const run = oneRun(seed, { m: 10_000, sigma })
      const options = { delta, confidence: 0.95, thresholds: 'bonferroni' } as const
      const any = oneRunAudit(run, options)
      const gaussian = oneRunAudit(run, { ...options, curve: 'gaussian' })
      expect(gaussian.epsilon).toBeLessThanOrEqual(truth)
      expect(gaussian.epsilon).toBeGreaterThan(Math.max(any.epsilon, truth / 2))
    }
  })

  test('of a few guesses that are all wrong or left out nothing follows', () => {
    expect(oneRunGaussianBound({ canaries: 100, guesses: 0, correct: 0 }, { delta, confidence: 0.95 })).toEqual({
      mu: 0,
      epsilon: 0,
    })
    expect(oneRunLowerBound({ canaries: 100, guesses: 20, correct: 0 }, { delta, confidence: 0.95 })).toBe(0)
  })

  test('the trade-off curve is refuted wrongly at most as often as is allowed', () => {
    let refuted = 0
    for (let seed = 0; seed < 200; seed++) {
      const { scores, inTraining } = oneRun(1000 + seed, { m: 300, sigma: 1 })
      const correct = Array.from(scores).filter((x, i) => inTraining[i] === x > 0.5).length
      if (refutesGaussian({ canaries: 300, guesses: 300, correct }, { mu: 1, significance: 0.05 })) refuted++
    }
    expect(refuted).toBeLessThanOrEqual(18) // 10 expected at most; 18 has a chance of 1 in 100
  })
})

test('repeated worlds: between nothing and the truth', () => {
  const sigma = 1
  const [a, b] = [rng(1).fork('with').normals(4000), rng(1).fork('without').normals(4000)]
  const counts = {
    worldsWith: 4000,
    alarmsWith: a.filter((z) => 1 + sigma * z > 2.2).length,
    worldsWithout: 4000,
    alarmsWithout: b.filter((z) => sigma * z > 2.2).length,
  }
  const got = worldsLowerBound(counts, { delta: 1e-5, confidence: 0.999 })
  expect(got).toBeLessThan(gaussianEpsilon(1, 1e-5))
  expect(got).toBeGreaterThan(1)
  expect(
    worldsLowerBound(
      { worldsWith: 50, alarmsWith: 25, worldsWithout: 50, alarmsWithout: 25 },
      { delta: 0, confidence: 0.95 },
    ),
  ).toBe(0)
})

test('numbers that cannot be are refused', () => {
  expect(() => oneRunLowerBound({ canaries: 10, guesses: 12, correct: 3 }, { delta: 0, confidence: 0.9 })).toThrow(
    '3 of 12',
  )
  expect(() => oneRunLowerBound({ canaries: 10, guesses: 5, correct: 3 }, { delta: 0, confidence: 1 })).toThrow(
    'confidence of 1',
  )
  expect(() =>
    oneRunAudit({ scores: [1], inTraining: [true] }, { delta: 0, confidence: 0.9, thresholds: 'split' }),
  ).toThrow('1 scores')
})

test('no right guess refutes nothing', () => {
  for (const delta of [0, 1e-5])
    expect(oneRunPValue({ canaries: 9, guesses: 4, correct: 0 }, { epsilon: 1, delta })).toBe(1)
})

describe('within a factor of two of the truth at a confidence of 0.999, 200,000 canaries with a coordinate each', () => {
  const [m, delta, confidence] = [200_000, 1e-5, 0.999]
  const k = Math.floor(m / 256) // called in, and as many out: fixed beforehand, so that no choice is paid for
  test.each([2, 4, 8])('epsilon %d', (epsilon) => {
    const mu = gaussianMuFor({ epsilon, delta })
    for (const seed of [71, 72, 73]) {
      const own = rng('factor of two').fork(seed, epsilon)
      const [noise, coins] = [own.normals(m), own.uniforms(m)]
      const scores = noise.map((z, i) => (coins[i]! < 0.5 ? z + mu : z))
      const sorted = scores.toSorted()
      const [low, high] = [sorted[k]!, sorted[m - k - 1]!]
      let correct = 0
      for (const [i, s] of scores.entries()) if (s < low ? coins[i]! >= 0.5 : s > high && coins[i]! < 0.5) correct++
      const found = oneRunGaussianBound({ canaries: m, guesses: 2 * k, correct }, { delta, confidence }).epsilon
      expect(found).toBeGreaterThan(epsilon / 2)
      expect(found).toBeLessThan(epsilon)
    }
  })

  test('a run of few canaries has a ceiling, however weak the mechanism: log(m / -log(1 - confidence))', () => {
    for (const [canaries, ceiling] of [
      [100, 2.64],
      [500, 4.28],
      [2000, 5.66],
    ] as const) {
      const all = { canaries, guesses: canaries, correct: canaries }
      expect(oneRunLowerBound(all, { delta: 0, confidence })).toBeCloseTo(ceiling, 1)
    }
  })
})
