import { describe, expect, test } from 'vitest'
import { oneRunAudit, oneRunGaussianBound, oneRunLowerBound, oneRunPValue, refutesGaussian } from './one-run.js'

const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k)

/** The theorem term by term. */
function pValue(m: number, r: number, v: number, epsilon: number, delta: number): number {
  const q = 1 / (1 + Math.exp(-epsilon))
  const prob = (k: number) => choose(r, k) * q ** k * (1 - q) ** (r - k)
  let tail = 0
  for (let k = v; k <= r; k++) tail += prob(k)
  let most = 0
  for (let i = 1, sum = 0; i <= Math.min(m, v); i++) {
    sum += prob(v - i)
    most = Math.max(most, sum / i)
  }
  return Math.min(1, tail + 2 * m * delta * most)
}

test.each([0, 1e-3, 0.02, 1])('the chance of so many right guesses, as the theorem has it: delta %d', (delta) => {
  for (const canaries of [5, 8]) {
    for (let guesses = 0; guesses <= 5; guesses++) {
      for (let correct = 0; correct <= guesses; correct++) {
        for (const epsilon of [0, 0.4, 2, 40]) {
          const found = oneRunPValue({ canaries, guesses, correct }, { epsilon, delta })
          expect(found).toBeCloseTo(pValue(canaries, guesses, correct, epsilon, delta), 12)
        }
      }
    }
  }
})

test('right guesses alone bound epsilon by a closed form', () => {
  // q^20 = 1 - confidence.
  const q = 0.05 ** (1 / 20)
  const all = { canaries: 20, guesses: 20, correct: 20 }
  expect(oneRunLowerBound(all, { delta: 0, confidence: 0.95 })).toBeCloseTo(Math.log(q / (1 - q)), 10)
  expect(oneRunLowerBound({ ...all, correct: 10 }, { delta: 0, confidence: 0.95 })).toBe(0)
})

describe('a Gaussian trade-off curve', () => {
  test('a single right guess refutes it where chance allows less than a half', () => {
    const one = { canaries: 10, guesses: 1, correct: 1 }
    // Without any distance r and h are both the significance over the canaries.
    expect(refutesGaussian(one, { mu: 0, significance: 0.6 })).toBe(true)
    expect(refutesGaussian(one, { mu: 0, significance: 0.4 })).toBe(false)
  })
  test('nothing is refuted and nothing follows without a right guess, whatever delta', () => {
    const none = { canaries: 10, guesses: 4, correct: 0 }
    expect(refutesGaussian(none, { mu: 0, significance: 0.9 })).toBe(false)
    expect(oneRunGaussianBound(none, { delta: 0, confidence: 0.95 })).toEqual({ mu: 0, epsilon: 0 })
  })
})

describe('what is refused', () => {
  const options = { delta: 1e-5, confidence: 0.95 }
  const six = { scores: [1, 2, 3, 4, 5, 6], inTraining: [true, false, true, false, true, false] }
  test('guesses that cannot be', () => {
    for (const [canaries, guesses, correct] of [
      [5, 6, 1],
      [5, 3, 4],
      [5, -1, -1],
      [1.5, 1, 1],
      [2e7, 1, 1],
    ] as const) {
      // biome-ignore format: a list
      const given = { canaries, guesses, correct }
      const said = `${correct} of ${guesses} guesses right among ${canaries} canaries; whole numbers are needed`
      expect(() => oneRunPValue(given, { epsilon: 1, delta: 0 })).toThrow(said)
      expect(() => refutesGaussian(given, { mu: 1, significance: 0.05 })).toThrow(said)
    }
  })
  test('deltas and confidences, by every way to a bound', () => {
    const ways = [
      (more: object) => oneRunLowerBound({ canaries: 4, guesses: 2, correct: 1 }, { ...options, ...more }),
      (more: object) => oneRunGaussianBound({ canaries: 4, guesses: 2, correct: 1 }, { ...options, ...more }),
      (more: object) => oneRunAudit(six, { ...options, thresholds: 'bonferroni', ...more }),
    ]
    for (const way of ways) {
      for (const delta of [-0.1, 1]) expect(() => way({ delta })).toThrow(`delta is ${delta}; it must lie in 0..1`)
      for (const confidence of [0, 1]) expect(() => way({ confidence })).toThrow(`a confidence of ${confidence}`)
    }
  })
})

describe('the best of several thresholds', () => {
  const sorted = (n: number) => ({ scores: Array.from({ length: n }, (_, i) => i), inTraining: Array.from({ length: n }, (_, i) => i >= n / 2) }) // biome-ignore format: a line
  test('with half of the canaries, as many are guessed as fit into the other half', () => {
    const found = oneRunAudit(sorted(11), { delta: 0, confidence: 0.6, thresholds: 'split' })
    expect(found).toMatchObject({ canaries: 5, guesses: 4, correct: 4 })
    expect(oneRunAudit(sorted(16), { delta: 0, confidence: 0.6, thresholds: 'split' })).toMatchObject({ canaries: 8, guesses: 8, correct: 8 }) // biome-ignore format: a line
  })
  test('of equal scores those that come first are called out', () => {
    const equal = { scores: [1, 1, 1, 1, 1, 1], inTraining: [false, false, true, false, true, true] }
    const found = oneRunAudit(equal, { delta: 0, confidence: 0.4, thresholds: 'bonferroni' })
    // Four of six are no wonder; two of two, at a significance of 0.3, are.
    expect([found.guesses, found.correct]).toEqual([2, 2])
    const all = oneRunAudit({ ...equal, inTraining: [false, false, false, true, true, true] }, { delta: 0, confidence: 0.6, thresholds: 'bonferroni' }) // biome-ignore format: a line
    expect([all.guesses, all.correct]).toEqual([6, 6])
  })
})
