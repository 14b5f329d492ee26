import { describe, expect, test } from 'vitest'
import {
  allChoices,
  allSplits,
  exceedsSize,
  rerooted,
  rowOf,
  scores,
  sizesOf,
  streamOf,
} from '../../test/null-tables.js'
import { rng } from '../numeric/random/rng.js'
import { decide } from './judge.js'
import { match, matchings } from './matchings.js'
import { labellings, ranking, relabel, swap } from './relabellings.js'
import type { Deal, Row } from './tables.js'

// Where nothing is learned, each candidate was equally likely to be the true one. These tests take every one of them in
// turn, so that the share of outcomes with p <= a is the size of the test at level a, without any error of sampling.

const options = { rng: rng(1) }
const pOf = (row: Row): number => decide([row], { ...options, alpha: 1 })[0]!.p

/** Every p that a table could have had. */
const allPs = (row: Row): number[] => [...allChoices(sizesOf(row))].map((k) => pOf(rerooted(row, k)))

describe('the size of one row, over every outcome', () => {
  for (const coarse of [false, true]) {
    const kind = coarse ? 'with ties' : 'without ties'
    test(`swaps of the best of five attacks, ${kind}`, () => {
      const stream = streamOf(1)
      for (let world = 0; world < 5; world++) {
        const deals = [0, 1, 2, 3, 4, 5].map((s) => swap(s, scores(stream, 5, coarse), scores(stream, 5, coarse)))
        const ps = allPs({ id: 'a', step: 'record', stratum: 'swap', deals })
        expect(exceedsSize(ps)).toEqual([])
        expect(Math.min(...ps)).toBeGreaterThanOrEqual(1 / 64)
        if (!coarse) expect(new Set(ps).size).toBe(64) // and nothing is given away: P(p <= a) = a
      }
    })

    test(`numbers of candidates that differ from training to training, ${kind}`, () => {
      const stream = streamOf(2)
      for (let world = 0; world < 5; world++) {
        const ps = allPs(
          rowOf(
            'a',
            [2, 3, 4, 7].map((M) => scores(stream, M, coarse)),
          ),
        )
        expect(exceedsSize(ps)).toEqual([])
        expect(ps).toHaveLength(2 * 3 * 4 * 7)
      }
    })

    test(`two targets, relabelled independently in each training, ${kind}`, () => {
      const stream = streamOf(3)
      const deals = [0, 0, 1, 1, 2, 2].map((training): Deal => {
        const [first] = rowOf('', [scores(stream, 3, coarse)]).deals
        return { ...first!, training }
      })
      expect(exceedsSize(allPs({ id: 'a', step: 'record', stratum: 'one', deals }))).toEqual([])
    })
  }

  test('draws instead of all combinations: at most one more than a level has room for', () => {
    const stream = streamOf(4)
    const row = rowOf('a', [scores(stream, 30), scores(stream, 40)])
    for (const draws of [19, 99]) {
      // Averaged over the draws the size is at most a; the enumeration over outcomes has its own draws each.
      const ps = [...allChoices([30, 40])].map(
        (k, i) => decide([rerooted(row, k)], { alpha: 1, draws, enumerate: 1, rng: rng(i) })[0]!.p,
      )
      for (const a of [0.05, 0.1, 0.25, 0.5]) {
        const size = ps.filter((p) => p <= a).length / ps.length
        expect(size).toBeLessThan(a + 3 * Math.sqrt((a * (1 - a)) / ps.length))
        expect(size).toBeGreaterThan(a - 4 * Math.sqrt((a * (1 - a)) / ps.length))
      }
      expect(Math.min(...ps)).toBeGreaterThanOrEqual(1 / (draws + 1) - 1e-15)
    }
  })
})

describe('the size from scores on, over every split that the dealer could have made', () => {
  const n = 7
  const m = 3
  const splits = allSplits(n, m)
  const stream = streamOf(5)
  const claims = Array.from({ length: 5 }, () => scores(stream, n))
  const grades = claims.map(
    (own) => (records: Int32Array) => records.reduce((sum, i) => sum + own[i]!, 0) / records.length,
  )
  const all = { most: 1000, rng: rng(1) }

  test('relabelling, sizes unequal, best of five attacks', () => {
    const ps = splits.map((truth) => {
      return pOf({ id: 'a', step: 'record', stratum: 'r', deals: [relabel(0, labellings(truth, all), grades)] })
    })
    expect(exceedsSize(ps)).toEqual([])
    expect(Math.min(...ps)).toBeCloseTo(1 / splits.length, 12)
  })

  test('choosing the attack by the truth alone would be wrong', () => {
    const ps = splits.map((truth) => {
      const candidates = labellings(truth, all)
      const steps = grades.map((grade) => relabel(0, candidates, [grade]).T)
      const best = steps.reduce((a, b) => (b[0]! > a[0]! ? b : a)) // the attack that looked best at k = 0, kept for all k
      return pOf({
        id: 'a',
        step: 'record',
        stratum: 'r',
        deals: [{ training: 0, T: best, contrast: candidates.contrast }],
      })
    })
    expect(exceedsSize(ps).length).toBeGreaterThan(5)
    const alpha = 0.1
    expect(ps.filter((p) => p <= alpha).length / ps.length).toBeGreaterThan(2 * alpha)
  })

  test('members and properties by rank, best of five attacks, with ties', () => {
    const tied = Array.from({ length: 5 }, () => scores(stream, n, true))
    for (const list of [claims, tied]) {
      const ps = splits.map((truth) => {
        return pOf({ id: 'a', step: 'property', stratum: 'r', deals: [ranking(0, labellings(truth, all), list)] })
      })
      expect(exceedsSize(ps)).toEqual([])
    }
  })

  test('two trainings with splits of their own', () => {
    const few = allSplits(5, 2)
    const own = [0, 1].map(() => Array.from({ length: 3 }, () => scores(stream, 5)))
    const ps = few.flatMap((first) =>
      few.map((second) => {
        const deals = [first, second].map((truth, s) => ranking(s, labellings(truth, all), own[s]!))
        return pOf({ id: 'a', step: 'record', stratum: 'r', deals })
      }),
    )
    expect(exceedsSize(ps)).toEqual([])
  })

  test('matching of four seats, best of five attacks, whatever the seats and sets are like', () => {
    const seats = 4
    const candidates = matchings(seats, { most: 100, rng: rng(1) })
    expect(candidates.sets).toHaveLength(24)
    // Seats and sets differ as they like; that a set belongs to a seat adds nothing.
    const easy = scores(stream, seats).map((x) => 3 * x)
    const loud = scores(stream, seats).map((x) => 3 * x)
    const attacks = Array.from({ length: 5 }, () => easy.map((e) => loud.map((l) => e + l + stream.normal())))
    const ps = candidates.sets.map((dealt) => {
      const seen = attacks.map((X) => X.map((row) => Array.from(dealt, (j) => row[j]!)))
      return pOf({ id: 'a', step: 'client', stratum: 'm', deals: [match(0, candidates, seen)] })
    })
    expect(exceedsSize(ps)).toEqual([])
    expect(Math.min(...ps)).toBeCloseTo(1 / 24, 12)
  })
})
