import { describe, expect, test } from 'vitest'
import { rowOf, scores, streamOf } from '../../test/null-tables.js'
import { rng } from '../numeric/random/rng.js'
import { decide } from './judge.js'
import { planLooks } from './looks.js'
import { falseDiscovery, stepDownStrata } from './step-down.js'

const options = { rng: rng(1) }

describe('levels', () => {
  test('a stratum that could never reject takes nothing from the others', () => {
    const least = (base: number) => (trainings: number) => 1 / base ** trainings
    const plans = planLooks(
      new Map([
        ['a', least(200)],
        ['b', least(2)],
        ['c', least(3)],
      ]),
      { alpha: 0.05, trainings: 2, looks: 2 },
    )
    expect(plans.get('a')).toEqual({
      level: 0.05,
      looks: [
        { trainings: 1, level: 0.025 },
        { trainings: 2, level: 0.025 },
      ],
    })
    expect(plans.get('b')).toEqual({ level: 0.025, looks: [] })
    expect(plans.get('c')).toEqual({ level: 0.025, looks: [] })
  })

  test('too few repeats are told with the number that it takes', () => {
    const stream = streamOf(10)
    const row = rowOf(
      'a',
      [0, 1, 2].map(() => scores(stream, 2)),
    )
    const [found] = decide([row], { ...options, alpha: 0.05 })
    expect(found).toMatchObject({
      untested: { reason: 'too-few-repeats', repeats: 5 },
      rejected: false,
      leastP: 1 / 8,
      looks: [],
    })
    expect(decide([row], { ...options, alpha: 0.05, trainings: 10 })[0]!.untested).toEqual({
      reason: 'no-look-yet',
      repeats: 10,
    })
    const few = decide(
      [
        rowOf(
          'a',
          [0, 1].map(() => scores(stream, 200)),
        ),
      ],
      { ...options, draws: 9, enumerate: 100 },
    )
    expect(few[0]!.untested).toEqual({ reason: 'too-few-draws', repeats: 1 })
  })

  test('a row that lacks too many trainings is not tested, and the others of its stratum are', () => {
    const stream = streamOf(14)
    const full = rowOf(
      'full',
      [0, 1, 2, 3, 4, 5].map(() => scores(stream, 2)),
    )
    const few = { ...full, id: 'few', deals: full.deals.slice(0, 4) }
    const found = decide([few, full], { ...options, alpha: 0.05 })
    expect(found[0]).toMatchObject({
      untested: { reason: 'too-few-repeats', repeats: 5 },
      rejected: false,
      leastP: 1 / 16,
    })
    expect(found[1]).toMatchObject({ untested: null, leastP: 1 / 64 })
  })

  test('trainings that told no row anything were made all the same', () => {
    const stream = streamOf(15)
    const row = rowOf(
      'a',
      [0, 1, 2, 3, 4].map(() => scores(stream, 2)),
    )
    expect(decide([row], { ...options, trainings: 6 })[0]!.untested).toEqual({ reason: 'no-look-yet', repeats: 6 })
    expect(decide([row], { ...options, trainings: 6, made: 6 })[0]).toMatchObject({ untested: null, leastP: 1 / 32 })
  })

  test('strata by hand: shares are handed on from looks of the same trainings', () => {
    const of = (...adjusted: number[]) => adjusted.map((one) => ({ p: one, adjusted: one, constant: false }))
    const one = (rows: ReturnType<typeof of>, looks = 1) => ({ rows, looks })
    const near = (...values: number[]) => values.map((value) => expect.closeTo(value, 12))
    const three = stepDownStrata([one(of(0.01, 0.02)), one(of(0.012, 0.5)), one(of(0.03))], 3)
    expect(three).toEqual([near(0.03, 0.06), near(0.036, 0.5), near(0.06)])
    // A constant row is in nobody's way; strata without a look here keep their share for later.
    const two = stepDownStrata([one([...of(0.01), { p: 1, adjusted: 1, constant: true }]), one(of(0.04))], 3)
    expect(two).toEqual([near(0.03, 1), near(0.06)])
    // Two looks: half of the share at each.
    expect(stepDownStrata([one(of(0.03), 2), one(of(0.01))], 2)).toEqual([near(0.04), near(0.02)])
  })

  test('Benjamini and Hochberg by hand', () => {
    expect(falseDiscovery([0.01, 0.04, 0.03, 0.005])).toEqual([0.02, 0.04, 0.04, 0.02])
    expect(falseDiscovery([])).toEqual([])
    expect(falseDiscovery([0.9, 0.8])).toEqual([0.9, 0.9])
  })
})
