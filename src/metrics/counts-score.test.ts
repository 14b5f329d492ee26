import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tableOf, truthOf } from '../../test/hand-truth.js'
import { metaclassCountsCell } from './cells/counts-cell.js'
import { labelCounts, metaclassCounts, successRate } from './counts-score.js'
import { orMissing } from './grading.js'

const at = { client: 'c', round: 0 }
const ofCounts = (counts: readonly number[]) => counts.flatMap((k, c) => new Array<number>(k).fill(c))
const withGroups = (counts: readonly number[]) => {
  const metaclasses = ofCounts(counts)
  const rows = metaclasses.map(() => [0])
  return tableOf(['x'], rows, { metaclasses, labels: metaclasses })
}
const truth = truthOf({ clients: { c: withGroups([1, 21, 10, 8]) } })
const claim = (...values: number[]) => ({ kind: 'metaclass-counts', ...at, values }) as const

describe('counts', () => {
  test('the example of the thesis: ASR 0.725, MAE 5.5', async () => {
    // [labels] 6.5: k = [1, 21, 10, 8], claimed [10, 10, 10, 10]
    const score = await metaclassCounts.grade(claim(10, 10, 10, 10), { truth, known: {} })
    expect(score).toMatchObject({ metric: 'MAE', value: 5.5, better: 'lower', also: { ASR: 0.725 } })
    // No auxiliary data: the uniform guess is that very claim.
    expect(score).toMatchObject({ chance: 5.5, lift: 0, also: { chanceASR: 0.725 } })
    expect(score).toMatchObject({ guesser: 'K times uniform proportions, as there are no auxiliary ones' })
  })

  test('K times auxiliary proportions', async () => {
    // Proportions 0, 1/2, 1/4, 1/4 of 40: 0, 20, 10, 10; off by 1, 1, 0, 2.
    const known = { auxiliary: withGroups([0, 4, 2, 2]), batchSize: 40 }
    const score = await metaclassCounts.grade(claim(1, 21, 10, 8), { truth, known })
    expect(score).toMatchObject({ value: 0, chance: 1, lift: 1, also: { ASR: 1, chanceASR: 38 / 40 } })
    expect(score).toMatchObject({ guesser: 'K times auxiliary proportions' })
    const less = await metaclassCounts.grade(claim(1, 21, 10, 8), { truth, known: { ...known, batchSize: 20 } })
    expect(less).toMatchObject({ chance: (1 + 11 + 5 + 3) / 4 })
  })

  test('of groups that the attack made itself: against the same groups, not the column', async () => {
    // Two centres at 0 and 10 on one column of scale 2; the column's metaclasses would be three.
    const rows = [[0.5], [1], [9], [11], [12]]
    const client = tableOf(['x'], rows, { metaclasses: [0, 1, 2, 0, 1] })
    const auxiliary = tableOf(['x'], [[0], [1], [2], [10]], { metaclasses: [0, 1, 2, 0] })
    const clusters = { centres: [[0], [10]], scales: [2] }
    const made = { kind: 'metaclass-counts', ...at, values: [2, 3], clusters } as const
    const known = { auxiliary, metaclasses: ['a', 'b', 'c'] }
    const score = await metaclassCounts.grade(made, { truth: truthOf({ clients: { c: client } }), known })
    // 5 times (3/4, 1/4) is off by 1.75 each.
    expect(score).toMatchObject({ value: 0, chance: 1.75 })
    const asked = { table: client, known }
    expect(orMissing(() => metaclassCountsCell(made, asked))).toMatchObject({
      missing: [expect.stringMatching(/column/)],
    })
  })

  test('of labels likewise', async () => {
    const known = { auxiliary: withGroups([0, 4, 2, 2]), classes: 4 }
    const score = await labelCounts.grade({ kind: 'label-counts', ...at, counts: [1, 21, 10, 8] }, { truth, known })
    expect(score).toMatchObject({ value: 0, chance: 1, lift: 1 })
  })

  test('of a batch of one', async () => {
    const one = truthOf({ clients: { c: withGroups([1, 21]) }, batches: [{ ...at, rows: [5] }] })
    expect(await metaclassCounts.grade(claim(0, 1), { truth: one, known: {} })).toMatchObject({ value: 0, chance: 0.5 })
  })

  test('of another length, or a truth beyond it, are errors', async () => {
    const known = { metaclasses: ['a', 'b', 'c', 'd'] }
    await expect(metaclassCounts.grade(claim(1, 2, 3), { truth, known })).rejects.toThrow('4 are needed')
    await expect(metaclassCounts.grade(claim(1, 2, 3), { truth, known: {} })).rejects.toThrow('from 0 to 2')
    const known3 = { auxiliary: withGroups([1, 1, 1, 1, 1]) }
    await expect(metaclassCounts.grade(claim(1, 2, 3, 4), { truth, known: known3 })).rejects.toThrow(
      'auxiliary metaclasses[4]',
    )
  })
})

test('the success rate lies in 0..1, is 1 only at the truth, and claiming more does not pay', () => {
  const counts = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 2, maxLength: 5 })
  const both = counts
    .filter((k) => k.some((x) => x > 0))
    .chain((k) =>
      fc.tuple(
        fc.constant(k),
        fc.array(fc.integer({ min: -3, max: 12 }), { minLength: k.length, maxLength: k.length }),
      ),
    )
  fc.assert(
    fc.property(both, ([k, claimed]) => {
      const rate = successRate(claimed, Float64Array.from(k))
      expect(rate).toBeGreaterThanOrEqual(0)
      expect(rate <= 1).toBe(true)
      const same = claimed.every((x, i) => Math.max(0, x) === k[i])
      expect(rate === 1).toBe(same)
    }),
  )
})
