import { expect, test } from 'vitest'
import { resultWith, scoreWith } from '../../../test/audit-results.js'
import type { AttackResult } from '../attack-result.js'
import { comparedShares, type Shares, sharesOf } from './compared-shares.js'

const shares = (...all: number[]): Shares => new Map(all.map((share, plant) => [plant, new Map([['question', share]])]))
const word = (own: Shares, other: Shares) => comparedShares(own, other)?.word

test('less is what is below half, and certainly less', () => {
  expect(comparedShares(shares(0.1, 0.2, 0.1, 0.2), shares(1, 1, 0.9, 1))).toMatchObject({ word: 'less' })
  expect(word(shares(0.55, 0.55, 0.55, 0.55), shares(1, 1, 1, 1))).toBe('enough')
  expect(word(shares(0, 0, 0.9, 0.1), shares(0.2, 1, 0.7, 0.9))).toBe('doubt')
  expect(word(shares(0.9, 0.8, 0.9, 0.8), shares(1, 1, 1, 1))).toBe('enough')
})

test('who gets two thirds gets enough; below that it is doubted, while it is not certain', () => {
  const some = (own: number) => word(shares(own - 0.5, own + 0.4, own + 0.3, own - 0.2), shares(1, 1, 1, 1))
  expect([0.68, 0.65, 0.52, 0.45].map(some)).toEqual(['enough', 'doubt', 'doubt', 'doubt'])
})

test('four trainings are certain by Student’s t of three degrees of freedom, at a sixtieth', () => {
  // Differences of 0.33, 1, 0.43 and 0.9: their mean is 3.98 deviations of it from 0, and 3.74 would do.
  expect(word(shares(0.67, 0, 0.57, 0.1), shares(1, 1, 1, 1))).toBe('less')
  expect(word(shares(0.7, 0, 0.6, 0.1), shares(1, 1, 1, 1))).toBe('doubt')
})

test('two trainings are never enough to be certain, and one tells nothing', () => {
  expect(word(shares(0, 0), shares(1, 1))).toBe('doubt')
  expect(word(shares(0, 0, 0), shares(1, 1, 1))).toBe('less')
  expect(word(shares(0), shares(1))).toBeUndefined()
})

test('nobody is judged by who found next to nothing', () => {
  expect(word(shares(0, 0, 0, 0), shares(0.19, 0.19, 0.19, 0.19))).toBeUndefined()
  expect(word(shares(0, 0, 0, 0), shares(0.21, 0.21, 0.21, 0.21))).toBe('less')
})

test('below a guess counts as nothing got, and as a difference', () => {
  const compared = comparedShares(shares(-1, -1, -0.5, 0.4), shares(1, 0.8, 0.6, 0.8))
  expect(compared?.own).toBeCloseTo(0.1, 12)
  expect(compared?.other).toBeCloseTo(0.8, 12)
  // The third differs by 0.6 with nothing for what is below, by 1.1 as it is: 1.325 on the mean, 3.4 deviations.
  expect(compared?.word).toBe('doubt')
  expect(word(shares(-1, -1, -0.5, -0.4), shares(1, 0.8, 0.6, 0.8))).toBe('less')
})

test('what both were asked counts, whatever else one of them was', () => {
  const own = new Map([...shares(0, 0, 0), ['own', new Map([['other question', 1]])]] as const)
  expect(word(own as Shares, shares(1, 1, 1, 1))).toBe('less')
  expect(word(shares(0, 0, 0), new Map([[0, new Map([['another', 1]])]]))).toBeUndefined()
})

test('shares are lifts, cut off at either end, by training and question; targets of a training are one', () => {
  const on = (lift: number | null, more: Partial<AttackResult> = {}): AttackResult => ({
    ...resultWith({ score: { ...scoreWith(), metric: 'AUC', lift } }),
    ...more,
  })
  const [[first], [second], [own]] = [0, 1, 'own'].map((at) => [
    ...(sharesOf([on(0.4, { plant: 0 }), on(-30, { plant: 1 }), on(0.2), on(3)])
      .get(at as 0 | 'own')
      ?.values() ?? []),
  ]) as [number[], number[], number[]]
  expect([first, second]).toEqual([0.4, -1])
  expect(own).toBeCloseTo(0.6, 12)
  expect(sharesOf([on(null, { plant: 0 }), { ...on(1), findings: [] }]).size).toBe(0)
})

test('who ranks is graded by the ranking', () => {
  const score = { ...scoreWith(), metric: 'F1', lift: -1, also: { AUC: 0.9 } }
  const [[share]] = [...sharesOf([resultWith({ score })]).values()].map((one) => [...one.values()]) as [number[]]
  expect(share).toBeCloseTo(0.8, 12)
})
