import { expect, test } from 'vitest'
import { binomialInterval } from './binomial-interval.js'

// mpmath 1.4.1, 40 digits: findroot on betainc(k, n - k + 1, 0, p) = (1 - confidence) / 2 and its mirror image.
test.each([
  [1, 10, 0.95, 0.002528578544461787, 0.4450161170281954],
  [5, 10, 0.95, 0.18708602844739858, 0.8129139715526015],
  [9, 10, 0.99, 0.4557129431003132, 0.9994988714245354],
  [0, 50, 0.95, 0, 0.07112173646419764],
  [50, 50, 0.95, 0.9288782635358024, 1],
  [3, 1000, 0.999, 0.00014984252803814017, 0.013858069267406337],
  [520, 1000, 0.95, 0.48851488245215874, 0.5513670573054663],
])('%d of %d at %d', (successes, trials, confidence, low, high) => {
  const interval = binomialInterval({ successes, trials, confidence })
  expect(Math.abs(interval.low - low)).toBeLessThanOrEqual(1e-12 * low)
  expect(Math.abs(interval.high - high)).toBeLessThanOrEqual(1e-12 * high)
})

test('covers at least as often as promised, for every rate tried', () => {
  const n = 30
  const intervals = Array.from({ length: n + 1 }, (_, k) =>
    binomialInterval({ successes: k, trials: n, confidence: 0.9 }),
  )
  for (let rate = 0.01; rate < 1; rate += 0.01) {
    let covered = 0
    let mass = (1 - rate) ** n
    for (let k = 0; k <= n; k++) {
      if (intervals[k]!.low <= rate && rate <= intervals[k]!.high) covered += mass
      mass *= ((n - k) / (k + 1)) * (rate / (1 - rate))
    }
    expect(covered, `rate ${rate}`).toBeGreaterThanOrEqual(0.9 - 1e-12)
  }
})

test('no trials know nothing; nonsense is refused', () => {
  expect(binomialInterval({ successes: 0, trials: 0, confidence: 0.95 })).toEqual({ low: 0, high: 1 })
  for (const [successes, trials] of [
    [3, 2],
    [-1, 2],
    [0.5, 2],
    [NaN, 2],
  ] as const)
    expect(() => binomialInterval({ successes, trials, confidence: 0.95 })).toThrow(/0 <= successes <= trials/)
  for (const confidence of [0, 1, 95, NaN])
    expect(() => binomialInterval({ successes: 1, trials: 2, confidence })).toThrow(/such as 0.95/)
})
