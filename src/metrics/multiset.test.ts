import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type BestMultiset, bestMultiset, expectedMatches, likeliestClasses } from './multiset.js'

/** All ways to give K to n places. */
function* splits(K: number, n: number): Generator<number[]> {
  if (n === 1) yield [K]
  else for (let k = 0; k <= K; k++) for (const rest of splits(K - k, n - 1)) yield [k, ...rest]
}
const factorial = (k: number): number => (k < 2 ? 1 : k * factorial(k - 1))

/** Expected overlap with a multinomial draw, by enumeration. */
function expectedOverlap(match: (k: number[]) => number, pi: readonly number[], K: number): number {
  let sum = 0
  for (const k of splits(K, pi.length)) {
    const p = k.reduce((product, count, c) => (product * pi[c]! ** count) / factorial(count), factorial(K))
    sum += p * match(k)
  }
  return sum
}
const overlap = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, x, c) => sum + Math.min(x, b[c]!), 0)

test('no multiset has a larger expected overlap', () => {
  const proportions = fc
    .array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 3 })
    .filter((counts) => counts.some((k) => k > 0))
  fc.assert(
    fc.property(proportions, fc.integer({ min: 0, max: 5 }), (counts, K) => {
      const all = counts.reduce((a, b) => a + b, 0)
      const pi = counts.map((k) => k / all)
      const guess = bestMultiset(Float64Array.from(pi), K)
      const named = guess.sure.reduce((a, b) => a + b, 0) + guess.tied.length * guess.share
      expect(named).toBeCloseTo(K, 12)
      const found = expectedOverlap((k) => expectedMatches(guess, Float64Array.from(k)).labels, pi, K)
      const best = Math.max(...[...splits(K, pi.length)].map((a) => expectedOverlap((k) => overlap(a, k), pi, K)))
      expect(found).toBeCloseTo(best, 10)
    }),
    { numRuns: 60 },
  )
})

test('one label of ten alike: a tenth is matched, whichever it is', () => {
  const guess = bestMultiset(new Float64Array(10).fill(0.1), 1)
  expect(guess).toMatchObject({ share: 0.1 })
  const k = new Float64Array(10)
  k[7] = 1
  expect(expectedMatches(guess, k)).toEqual({ labels: 0.1, classes: 0.1 })
})

test('sure copies and a lot drawn for the last', () => {
  const guess: BestMultiset = { sure: Float64Array.of(2, 1, 0), tied: [1, 2], share: 0.5 }
  // Truth 3, 2, 0: two of the first, one of the second and half the time another.
  expect(expectedMatches(guess, Float64Array.of(3, 2, 0))).toEqual({ labels: 3.5, classes: 2 })
  // Truth 0, 0, 4: half a time one of the third.
  expect(expectedMatches(guess, Float64Array.of(0, 0, 4))).toEqual({ labels: 0.5, classes: 0.5 })
})

test('the likeliest classes, lots drawn for the last', () => {
  const pi = Float64Array.of(0.1, 0.4, 0.1, 0.3, 0.1)
  expect(likeliestClasses(pi, 1)).toEqual({ sure: Float64Array.of(0, 0, 0, 0, 0), tied: [1], share: 1 })
  expect(likeliestClasses(pi, 3)).toEqual({ sure: Float64Array.of(0, 1, 0, 1, 0), tied: [0, 2, 4], share: 1 / 3 })
  // Of what occurs, the second is named for certain and the third a third of the time.
  expect(expectedMatches(likeliestClasses(pi, 3), Float64Array.of(0, 2, 1, 0, 0)).classes).toBeCloseTo(4 / 3, 12)
  expect(expectedMatches(likeliestClasses(pi, 9), Float64Array.of(1, 1, 1, 1, 1)).classes).toBe(5)
  expect(expectedMatches(likeliestClasses(pi, 0), Float64Array.of(1, 1, 1, 1, 1)).classes).toBe(0)
})
