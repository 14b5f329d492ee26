import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { auc } from '../auc.js'
import { pairedDifference } from './paired.js'
import { rankTest } from './rank-test.js'
import { aucBetween, finestRate, ordered, tprAt } from './roc.js'

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i)
const scored = fc.array(fc.record({ score: fc.integer({ min: -3, max: 3 }), role: fc.nat(2) }), { maxLength: 40 })

describe('the AUC between rows and others', () => {
  test('is that of a sort from scratch, rows that are neither left out', () => {
    fc.assert(
      fc.property(scored, (all) => {
        const of = (role: number): number[] => upTo(all.length).filter((i) => all[i]!.role === role)
        const [rows, others] = [of(0), of(1)]
        const scores = ordered(all.map(({ score }) => score))
        const both = [...rows, ...others]
        const plain = auc({ scores: both.map((i) => all[i]!.score), positive: both.map((_, k) => k < rows.length) })
        const found = aucBetween(scores, rows, others)
        if (plain === undefined) expect(found).toBeUndefined()
        else expect(found).toBeCloseTo(plain, 12)
        // Any order, any monotone change of the scores: the same bits.
        expect(aucBetween(scores, rows.toReversed(), others)).toBe(found)
        const cubed = ordered(all.map(({ score }) => score * score * score + 7))
        expect(aucBetween(cubed, rows, others)).toBe(found)
      }),
    )
  })
  test('is a half where all are tied; what is no number is refused', () => {
    expect(aucBetween(ordered([2, 2, 2]), [0], [1, 2])).toBe(0.5)
    expect(aucBetween(ordered([0, -0]), [0], [1])).toBe(0.5)
    expect(() => ordered([1, Number.NaN])).toThrow('scores[1] is NaN')
    expect(ordered([]).count).toBe(0)
  })
})

describe('the true-positive rate at a false-positive rate', () => {
  /** Over every threshold, by its definition. */
  const plain = (scores: readonly number[], rows: number[], others: number[], rate: number): number => {
    const share = (of: number[], at: number): number => of.filter((i) => scores[i]! >= at).length / of.length
    const thresholds = [...scores, Number.POSITIVE_INFINITY].filter((at) => share(others, at) <= rate)
    return Math.max(...thresholds.map((at) => share(rows, at)))
  }
  test('is the best over all thresholds', () => {
    fc.assert(
      fc.property(scored, fc.constantFrom(0, 0.1, 0.25, 0.5, 1), (all, rate) => {
        const of = (role: number): number[] => upTo(all.length).filter((i) => all[i]!.role === role)
        const [rows, others] = [of(0), of(1)]
        const scores = all.map(({ score }) => score)
        const found = tprAt(ordered(scores), { rows, others, rate })
        if (rows.length === 0 || others.length === 0 || (rate > 0 && 1 / others.length > rate)) {
          expect(found).toBeUndefined()
        } else expect(found).toBeCloseTo(plain(scores, rows, others, rate), 12)
      }),
    )
  })
  test('is told from 1 % on with a hundred others, and not with ninety-nine', () => {
    const scores = ordered(upTo(120).map((i) => (i < 20 ? 200 - 12 * i : i)))
    // Members have 200, 188, .., others 20 to 119: seven members lie above them all, 116 above all but three.
    const at = (others: number) =>
      tprAt(scores, { rows: upTo(20), others: upTo(120).slice(20, 20 + others), rate: 0.01 })
    expect(at(100)).toBe(7 / 20)
    expect(at(99)).toBeUndefined()
    expect(finestRate(100)).toBe(0.01)
  })
})

describe('paired differences', () => {
  test('by hand', () => {
    expect(pairedDifference([3, 5, 10], [1, 4, 7])).toEqual({
      n: 3,
      mean: 2,
      deviation: 1,
      standardError: 1 / Math.sqrt(3),
    })
    expect(pairedDifference([1], [4])).toMatchObject({ n: 1, mean: -3, deviation: undefined })
    expect(pairedDifference([], [])).toBeUndefined()
    expect(() => pairedDifference([1, 2], [1])).toThrow('2 are needed')
    expect(() => pairedDifference([1, Number.NaN], [1, 1])).toThrow('first[1] is NaN')
  })
})

describe('the rank test over clients', () => {
  /** All choices of m of n, one by one. */
  function plain(scores: readonly number[], having: readonly boolean[]): { p: number; least: number } {
    const n = scores.length
    const m = having.filter(Boolean).length
    const areas: number[] = []
    for (let mask = 0; mask < 1 << n; mask++) {
      const positive = upTo(n).map((i) => ((mask >> i) & 1) === 1)
      if (positive.filter(Boolean).length === m) areas.push(auc({ scores, positive })!)
    }
    const share = (at: number): number => areas.filter((area) => area >= at - 1e-9).length / areas.length
    return { p: share(auc({ scores, positive: having })!), least: share(Math.max(...areas)) }
  }
  test('counts every choice of as many', () => {
    const clients = fc.array(fc.tuple(fc.nat(4), fc.boolean()), { minLength: 2, maxLength: 9 })
    fc.assert(
      fc.property(clients, (all) => {
        const [scores, having] = [all.map(([score]) => score), all.map(([, has]) => has)]
        const found = rankTest(scores, having)
        if (!having.includes(true) || !having.includes(false)) {
          expect(found).toBeUndefined()
          return
        }
        const { p, least } = plain(scores, having)
        expect(found!.p).toBeCloseTo(p, 12)
        expect(found!.least).toBeCloseTo(least, 12)
        expect(found!.auc).toBeCloseTo(auc({ scores, positive: having })!, 12)
      }),
    )
  })
  test('by hand: first of ten by luck in one of ten', () => {
    const scores = upTo(10)
    expect(
      rankTest(
        scores,
        scores.map((i) => i === 9),
      )!.p,
    ).toBeCloseTo(0.1, 14)
    expect(
      rankTest(
        scores,
        scores.map((i) => i === 0),
      )!.p,
    ).toBeCloseTo(1, 14)
    expect(rankTest([1, 1, 1], [1, 0, 0])).toEqual({ p: expect.closeTo(1, 14), least: expect.closeTo(1, 14), auc: 0.5 })
    const many = rankTest(
      upTo(100),
      upTo(100).map((i) => i % 2 === 0),
    )!
    expect(many.p).toBeGreaterThan(0.4)
    expect(many.p).toBeLessThan(0.6)
    expect(() => rankTest([Number.NaN, 1], [1, 0])).toThrow('scores[0] is NaN')
    expect(() => rankTest(upTo(101), upTo(101))).toThrow('at most 100')
  })
})
