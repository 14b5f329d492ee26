import { describe, expect, test } from 'vitest'
import { dealOf, rowOf, scores, streamOf } from '../../test/null-tables.js'
import { rng } from '../numeric/random/rng.js'
import { effectWithInterval, errorRemoved } from './effect.js'
import { judge } from './judge.js'
import { defaultDraws } from './randomisation.js'
import { labellings, relabel, relabellingCount, swap } from './relabellings.js'
import type { Deal, Row } from './tables.js'

const draws = { ...defaultDraws, rng: rng(1) }
const meanOver = (values: readonly number[]) => (records: Int32Array) =>
  records.reduce((sum, i) => sum + values[i]!, 0) / records.length

describe('effect and interval', () => {
  test('the mean over trainings, with Student’s t', () => {
    const deals = [0.1, 0.3, 0.2].map((x, s) => swap(s, [x], [0]))
    const { effect, interval, deviation } = effectWithInterval(deals, 0.95, draws)
    expect(effect).toBeCloseTo(0.2, 12)
    expect(deviation).toBeCloseTo(0.1 / Math.sqrt(3), 12)
    expect(interval.high - effect).toBeCloseTo((4.302653 * 0.1) / Math.sqrt(3), 6)
    expect(interval).toMatchObject({ confidence: 0.95, of: 'trainings' })
  })

  test('several targets of a training are one figure of it', () => {
    const one = [swap(0, [0.1], [0]), swap(1, [0.3], [0])]
    const two = [swap(0, [0.15], [0]), swap(0, [0.05], [0]), swap(1, [0.3], [0])]
    const [a, b] = [one, two].map((deals) => effectWithInterval(deals, 0.9, draws))
    expect(b!.effect).toBeCloseTo(a!.effect, 12)
    expect(b!.interval.high).toBeCloseTo(a!.interval.high, 12)
  })

  test('one training: the shifts that the relabelling test does not reject, found one by one', () => {
    const stream = streamOf(1)
    const truth = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0]
    const values = truth.map((trained) => stream.normal() + 1.5 * trained)
    const candidates = labellings(truth, { most: 1000, rng: stream })
    const deals = [relabel(0, candidates, [meanOver(values)])]
    const { interval } = effectWithInterval(deals, 0.9, draws)
    const accepted = (shift: number): boolean => {
      const T = relabel(0, candidates, [meanOver(values.map((x, i) => x - shift * truth[i]!))]).T
      const share = (beyond: (t: number) => boolean): number => T.filter(beyond).length / T.length
      return share((t) => t >= T[0]! - 1e-12) > 0.05 && share((t) => t <= T[0]! + 1e-12) > 0.05
    }
    expect(interval.of).toBe('this-training')
    for (const end of [interval.low, interval.high]) expect(accepted(end)).toBe(true)
    expect([accepted(interval.low - 1e-6), accepted(interval.high + 1e-6)]).toEqual([false, false])
  })

  test('one training of the mean of records: the interval covers as often as it says', () => {
    const stream = streamOf(2)
    let covered = 0
    for (let i = 0; i < 400; i++) {
      const truth = Array.from({ length: 20 }, (_, j) => (j < 10 ? 1 : 0))
      const values = truth.map((trained) => stream.normal() + 0.7 * trained)
      const candidates = labellings(truth, { most: relabellingCount, rng: stream })
      const { interval } = effectWithInterval([relabel(0, candidates, [meanOver(values)])], 0.9, draws)
      if (interval.low <= 0.7 && 0.7 <= interval.high) covered++
    }
    expect(covered / 400).toBeGreaterThan(0.86)
    expect(covered / 400).toBeLessThan(0.94)
  })

  test('too few candidates exclude nothing', () => {
    const { interval } = effectWithInterval([swap(0, [0.4], [0.1])], 0.95, draws)
    expect([interval.low, interval.high]).toEqual([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY])
  })

  test('the guess’s own difference is subtracted where that narrows, and only there', () => {
    const stream = streamOf(3)
    const deals = Array.from({ length: 12 }, (_, s): Deal => {
      const luck = stream.normal()
      const deal = swap(s, [0.2 + luck + 0.1 * stream.normal()], [0])
      return { ...deal, guess: Float64Array.of(luck, -luck) }
    })
    const plain = effectWithInterval(
      deals.map(({ guess: _, ...deal }) => deal),
      0.95,
      draws,
    )
    const less = effectWithInterval(deals, 0.95, draws)
    expect([plain.lessGuess, less.lessGuess]).toEqual([false, true])
    expect(less.interval.high - less.interval.low).toBeLessThan((plain.interval.high - plain.interval.low) / 4)
    const unrelated = deals.map((deal) => ({ ...deal, guess: Float64Array.of(3, -3).map((x) => x * stream.normal()) }))
    expect(effectWithInterval(unrelated, 0.95, draws)).toEqual(plain)
  })

  test('error removed', () => {
    expect(errorRemoved({ from: 0.88, to: 0.96, best: 1 })).toBeCloseTo(2 / 3, 12)
    expect(errorRemoved({ from: 4, to: 3, best: 0 })).toBeCloseTo(0.25, 12)
    expect(errorRemoved({ from: 1, to: 1, best: 1 })).toBeUndefined()
  })
})

describe('the least effect that would have been seen', () => {
  test('a row moved to the least rejected effect is rejected, and just below it is not', () => {
    const stream = streamOf(4)
    const truth = Array.from({ length: 16 }, (_, i) => (i < 8 ? 1 : 0))
    const trainings = [0, 1, 2].map((s) => {
      const candidates = labellings(truth, { most: 99, rng: stream.fork(s) })
      return { candidates, values: [0, 1].map(() => scores(stream, 16)) }
    })
    const rowsMovedBy = (x: number): Row[] =>
      [0, 1].map((r) => ({
        id: `row ${r}`,
        step: 'record',
        stratum: 'one',
        deals: trainings.map(({ candidates, values }, s) => {
          const moved = values[r]!.map((value, i) => value + (r === 0 ? x * truth[i]! : 0))
          return relabel(s, candidates, [meanOver(moved)])
        }),
      }))
    const [before] = judge(rowsMovedBy(0), { rng: rng(5), draws: 999 })
    const move = before!.leastRejected - before!.effect
    expect(judge(rowsMovedBy(move + 1e-6), { rng: rng(5), draws: 999 })[0]!.rejected).toBe(true)
    expect(judge(rowsMovedBy(move - 1e-6), { rng: rng(5), draws: 999 })[0]!.rejected).toBe(false)
    expect(before!.leastSeen).toBeGreaterThan(before!.leastRejected)
  })

  test('it is found about 80 times in 100', () => {
    const stream = streamOf(6)
    const audit = (effect: number): Row[] => [
      rowOf('a', [], { deals: Array.from({ length: 10 }, (_, s) => swap(s, [effect + 0.1 * stream.normal()], [0])) }),
    ]
    const many = (n: number, effect: number) =>
      Array.from({ length: n }, () => judge(audit(effect), { rng: rng(1) })[0]!)
    const typical = many(300, 0).map(({ leastSeen }) => leastSeen)
    const least = typical.sort((a, b) => a - b)[150]!
    const power = many(300, least).filter(({ rejected }) => rejected).length / 300
    expect(power).toBeGreaterThan(0.7)
    expect(power).toBeLessThan(0.9)
  })

  test('a row whose candidates all score alike would have shown nothing', () => {
    const [found] = judge([rowOf('a', [], { deals: [0, 1, 2, 3, 4, 5].map((s) => dealOf(s, [0.5, 0.5])) })], {
      rng: rng(1),
    })
    expect(found).toMatchObject({ p: 1, adjusted: 1, rejected: false, leastSeen: Number.POSITIVE_INFINITY })
  })
})
