import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scores, streamOf } from '../../test/null-tables.js'
import { rng } from '../numeric/random/rng.js'
import { decide } from './judge.js'
import { leastClients, match, matchings } from './matchings.js'
import { labellings, ranking, relabel, relabellingCount, swap } from './relabellings.js'

const few = { most: 1000, rng: rng(1) }

describe('labellings', () => {
  test('the truth first, then every other choice once', () => {
    const { chosen, others } = labellings([0, 1, 0, 1, 0], few)
    expect([...chosen[0]!]).toEqual([1, 3])
    expect([...others[0]!]).toEqual([0, 2, 4])
    expect(new Set(chosen.map(String)).size).toBe(10)
    expect(chosen).toHaveLength(10)
    for (const [k, one] of chosen.entries()) expect([...one, ...others[k]!].sort()).toEqual([0, 1, 2, 3, 4])
  })

  test('drawn where there are too many: sizes kept, each record as often as any', () => {
    const truth = Array.from({ length: 30 }, (_, i) => i < 10)
    const { chosen, contrast } = labellings(truth, { most: 3000, rng: rng(2) })
    expect(chosen).toHaveLength(3001)
    expect(chosen.every(({ length }) => length === 10)).toBe(true)
    const often = Array.from({ length: 30 }, (_, i) => chosen.slice(1).filter((one) => one.includes(i)).length)
    for (const count of often) expect(Math.abs(count - 1000)).toBeLessThan(130) // five standard deviations
    const mean = contrast.slice(1).reduce((a, b) => a + b, 0) / 3000
    expect(Math.abs(mean)).toBeLessThan(0.02)
  })

  test('the contrast is what an effect of 1 on the trained shows', () => {
    const truth = [1, 1, 0, 0, 0, 1]
    const candidates = labellings(truth, few)
    const { T } = relabel(0, candidates, [(records) => records.reduce((sum, i) => sum + truth[i]!, 0) / records.length])
    for (const [k, t] of T.entries()) expect(candidates.contrast[k]).toBeCloseTo(t, 12)
    expect(candidates.contrast[0]).toBe(1)
  })

  test('all or nobody chosen is refused', () => {
    expect(() => labellings([1, 1], few)).toThrow('2 of 2 are called chosen; at least one must be and one must not be')
    expect(() => labellings([0, 0], few)).toThrow('0 of 2')
  })
})

describe('the record step', () => {
  test('takes the best attack anew for each candidate, and on either side', () => {
    const candidates = labellings([1, 0], few)
    const claims = [
      [0.9, 0.2],
      [0.1, 0.8],
    ]
    const { T } = relabel(
      3,
      candidates,
      claims.map((own) => (records: Int32Array) => own[records[0]!]!),
    )
    expect(T[0]).toBeCloseTo(0.9 - 0.8, 12)
    expect(T[1]).toBeCloseTo(0.8 - 0.9, 12)
    expect(() => relabel(0, candidates, [])).toThrow('no attack was given')
  })

  test('a swap of the same', () => {
    expect(swap(2, [0.6, 0.9], [0.7, 0.5])).toEqual({
      training: 2,
      T: Float64Array.of(0.9 - 0.7, 0.7 - 0.9),
      contrast: Float64Array.of(1, -1),
    })
    expect(() => swap(0, [1, 2], [1])).toThrow('2 attacks on trained lists, 1 on held-back ones')
  })

  test('ranking is the best area under the curve less a half, ties half', () => {
    const value = fc.integer({ min: 0, max: 3 })
    const lists = fc.array(fc.tuple(fc.boolean(), value, value), { minLength: 2, maxLength: 8 })
    fc.assert(
      fc.property(lists, (list) => {
        const truth = list.map(([chosen]) => chosen)
        if (new Set(truth).size < 2) return
        const candidates = labellings(truth, few)
        const attacks = [list.map(([, a]) => a), list.map(([, , b]) => b)]
        const { T } = ranking(0, candidates, attacks)
        for (const [k, one] of candidates.chosen.entries()) {
          const areas = attacks.map((own) => {
            const pairs = [...one].flatMap((i) =>
              Array.from(candidates.others[k]!, (j) => Math.sign(own[i]! - own[j]!)),
            )
            return pairs.reduce((sum, s) => sum + (s + 1) / 2, 0) / pairs.length
          })
          expect(T[k]).toBeCloseTo(Math.max(...areas) - 0.5, 12)
        }
      }),
    )
  })

  test('one training of clear members is found with 199 relabellings', () => {
    const stream = streamOf(1)
    const truth = Array.from({ length: 60 }, (_, i) => i % 2)
    const claims = truth.map((trained) => stream.normal() + 1.5 * trained)
    const candidates = labellings(truth, { most: relabellingCount, rng: stream })
    const row = { id: 'members', step: 'record', stratum: 'r', deals: [ranking(0, candidates, [claims])] } as const
    expect(decide([row], { rng: rng(1) })[0]).toMatchObject({ p: 1 / 200, rejected: true, leastP: 1 / 200 })
  })

  test('sums that rounding tells apart are ties', () => {
    const deals = [0.1, 0.2, -0.3].map((t, s) => swap(s, [t], [0])) // 0.1 + 0.2 - 0.3 is 5.6e-17, its mirror -5.6e-17
    const row = { id: 'a', step: 'record', stratum: 'r', deals } as const
    expect(decide([row], { rng: rng(1), alpha: 1 })[0]!.p).toBe(5 / 8) // 0.6, 0.4, 0.2 and both zeros
  })

  test('too few clients: one of four can never be proved guilty, one of twenty can', () => {
    const of = (n: number) => {
      const truth = Array.from({ length: n }, (_, i) => i === 0)
      const deals = [ranking(0, labellings(truth, few), [truth.map(Number)])]
      return decide([{ id: 'a', step: 'property', stratum: 'p', deals }], { rng: rng(1) })[0]!
    }
    expect(of(4)).toMatchObject({ untested: { reason: 'too-few-repeats', repeats: 3 }, leastP: 0.25 })
    expect(of(20)).toMatchObject({ untested: null, p: 0.05, rejected: true })
  })
})

describe('leastClients', () => {
  test('is the least n with 1 / n! at most the level', () => {
    expect([0.5, 0.49, 1 / 6, 0.05, 1 / 24, 0.04, 0.0125, 0.001].map(leastClients)).toEqual([2, 3, 3, 4, 4, 5, 5, 7])
    expect(() => leastClients(0)).toThrow('a level of 0')
    expect(() => leastClients(Number.NaN)).toThrow('a level of NaN')
  })
})

describe('matchings', () => {
  test('the true one first, then every other once; drawn where there are too many', () => {
    const all = matchings(4, { most: 23, rng: rng(1) })
    expect([...all.sets[0]!]).toEqual([0, 1, 2, 3])
    expect(new Set(all.sets.map(String)).size).toBe(24)
    const some = matchings(4, { most: 22, rng: rng(1) })
    expect(some.sets).toHaveLength(23)
    expect([...some.sets[0]!]).toEqual([0, 1, 2, 3])
    expect(matchings(30, { most: 199, rng: rng(1) }).sets).toHaveLength(200)
    expect(() => matchings(1, few)).toThrow('1 seats to match')
  })

  test('mean of the matched less mean of the rest, and its contrast', () => {
    const candidates = matchings(3, few)
    const diagonal = [0, 1, 2].map((i) => [0, 1, 2].map((j) => (i === j ? 1 : 0)))
    const { T, contrast } = match(0, candidates, [diagonal])
    for (const [k, t] of T.entries()) expect(contrast[k]).toBeCloseTo(t, 12)
    const X = [
      [5, 1, 0],
      [2, 7, 3],
      [4, 1, 9],
    ]
    expect(match(0, candidates, [X]).T[0]).toBeCloseTo(21 / 3 - 11 / 6, 12)
    const two = match(0, candidates, [X, X.map((row) => row.map((x) => 10 - x))])
    expect(two.T[0]).toBeCloseTo(21 / 3 - 49 / 6, 12) // the second attack is better off the diagonal
  })

  test('what a seat or a set is like does not show', () => {
    const stream = streamOf(2)
    const candidates = matchings(4, few)
    const X = [0, 1, 2, 3].map(() => scores(stream, 4))
    const [loud, easy] = [scores(stream, 4), scores(stream, 4)]
    const shifted = X.map((row, i) => row.map((x, j) => x + 10 * loud[i]! + 10 * easy[j]!))
    const rows = [X, shifted].map((one, i) => {
      return { id: `${i}`, step: 'client', stratum: 'm', deals: [match(0, candidates, [one])] } as const
    })
    const [plain, other] = decide(rows, { rng: rng(1) })
    expect(other!.p).toBe(plain!.p)
  })

  test('sizes that do not fit are refused', () => {
    const candidates = matchings(2, few)
    expect(() =>
      match(0, candidates, [
        [
          [1, 2, 3],
          [1, 2],
        ],
      ]),
    ).toThrow('attack 0 has scores of 3 sets for seat 0')
    expect(() => match(0, candidates, [[[1, 2]]])).toThrow('attack 0 has scores of 1 seats')
  })
})
