import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allChoices, dealOf, rerooted, rowOf, scores, sizesOf, streamOf } from '../../test/null-tables.js'
import { rng } from '../numeric/random/rng.js'
import { decide, type JudgeOptions } from './judge.js'
import type { Row } from './tables.js'

const options = { rng: rng(1) }

/** The share of outcomes in which a row that is null is rejected; strata have their own candidates. */
function familyError(rows: readonly Row[], { alpha, ...more }: Partial<JudgeOptions> & { alpha: number }): number {
  const strata = [...new Set(rows.map(({ stratum }) => stratum))]
  const sizes = strata.map((name) => sizesOf(rows.find(({ stratum }) => stratum === name)!))
  let [wrong, outcomes] = [0, 0]
  for (const k of allChoices(sizes.flat())) {
    const chosen = new Map(
      strata.map((name, i) => [name, k.slice(sizes.slice(0, i).flat().length).slice(0, sizes[i]!.length)]),
    )
    const outcome = rows.map((row) => (row.id.startsWith('leak') ? row : rerooted(row, chosen.get(row.stratum)!)))
    const found = decide(outcome, { ...options, alpha, ...more })
    if (found.some(({ rejected, id }) => rejected && !id.startsWith('leak'))) wrong++
    outcomes++
  }
  return wrong / outcomes
}

/** Rows that depend on each other: a common part and one of their own, or the same turned round. */
function dependentRows(seed: number, sizes: readonly number[], stratum: string, coarse = false): Row[] {
  const stream = streamOf(seed)
  const common = sizes.map((size) => scores(stream, size, coarse))
  const own = (): number[][] => sizes.map((size) => scores(stream, size, coarse))
  const [a, b] = [own(), own()]
  return [
    rowOf(
      `${stratum} a`,
      common.map((T, s) => T.map((x, k) => x + 0.3 * a[s]![k]!)),
      { stratum },
    ),
    rowOf(
      `${stratum} b`,
      common.map((T, s) => T.map((x, k) => 100 * x + 70 * b[s]![k]!)),
      { stratum },
    ),
    rowOf(
      `${stratum} turned`,
      common.map((T) => T.map((x) => -x)),
      { stratum },
    ),
    rowOf(
      `${stratum} constant`,
      sizes.map((size) => new Array<number>(size).fill(0.25)),
      { stratum },
    ),
  ]
}

describe('the family-wise error, over every outcome', () => {
  test('dependent rows of one stratum', () => {
    for (const [seed, coarse] of [
      [1, false],
      [2, true],
      [3, false],
    ] as const) {
      const rows = dependentRows(seed, [3, 4, 5, 3], 'one', coarse)
      for (const alpha of [0.02, 0.05, 0.1, 0.3]) {
        const error = familyError(rows, { alpha })
        expect(error).toBeLessThanOrEqual(alpha)
        if (!coarse) expect(error).toBeGreaterThan(0.8 * alpha - 1 / 180) // and the correction wastes little
      }
    }
  })

  test('uncorrected it would be far above', () => {
    const rows = dependentRows(1, [3, 4, 5, 3], 'one')
    const separate = [...allChoices([3, 4, 5, 3])].filter((k) =>
      rows.some((row) => decide([rerooted(row, k)], { ...options, alpha: 0.1 })[0]!.rejected),
    )
    expect(separate.length / 180).toBeGreaterThan(0.17)
  })

  test('two strata with different numbers of candidates', () => {
    const rows = [...dependentRows(4, [2, 2, 2, 2, 2], 'swap'), ...dependentRows(5, [5, 6], 'relabel')]
    for (const alpha of [0.07, 0.1, 0.3]) expect(familyError(rows, { alpha })).toBeLessThanOrEqual(alpha)
  })

  test('true leaks beside, which step-down takes away first', () => {
    const leak = (stratum: string, sizes: readonly number[]): Row =>
      rowOf(
        `leak ${stratum}`,
        sizes.map((size) => Array.from({ length: size }, (_, k) => (k === 0 ? 50 : k / size))),
        { stratum },
      )
    const sizes = [3, 4, 5, 3]
    const rows = [leak('one', sizes), ...dependentRows(6, sizes, 'one')]
    for (const alpha of [0.05, 0.1, 0.3]) {
      const error = familyError(rows, { alpha })
      expect(error).toBeLessThanOrEqual(alpha)
      expect(error).toBeGreaterThan(0)
    }
    expect(decide(rows, { ...options, alpha: 0.05 })[0]).toMatchObject({ rejected: true, p: 1 / 180 })
  })

  test('strata whose rows are all rejected leave their share to the rest, and no more', () => {
    const sizes = [3, 4, 5, 3]
    const leak = rowOf('leak', [[50, 1], [50, 2], [50, 3], [50, 4], [50, 5]], { stratum: 'swap' }) // biome-ignore format: one list
    const rest = dependentRows(6, sizes, 'relabel')
    for (const alpha of [0.07, 0.3]) {
      const alone = familyError(rest, { alpha })
      expect(familyError([leak, ...rest], { alpha })).toBe(alone)
      expect(alone).toBeLessThanOrEqual(alpha)
    }
    // A row that is not rejected keeps its stratum's share, however far from it: p = 1 is no reason to hand it on.
    const silent = rowOf('leak, the wrong way', [[1, 50], [2, 50], [3, 50], [4, 50], [5, 50]], { stratum: 'swap' }) // biome-ignore format: one list
    const half = familyError(rest, { alpha: 0.15 })
    expect(familyError([silent, ...rest], { alpha: 0.3 })).toBe(half)
    expect(familyError([leak, silent, ...rest], { alpha: 0.3 })).toBe(half)
  })

  test('rows that lack trainings share the draws of those that have them', () => {
    for (const seed of [12, 13]) {
      const sizes = [3, 4, 5, 3]
      const all = dependentRows(seed, sizes, 'one')
      const rows = all.map((row, i) => (i === 0 ? { ...row, deals: row.deals.filter((_, u) => u !== 2) } : row))
      let alarms = 0
      for (const k of allChoices(sizes)) {
        const outcome = rows.map((row, i) => rerooted(row, i === 0 ? [k[0]!, k[1]!, k[3]!] : k))
        if (decide(outcome, { ...options, alpha: 0.1 }).some(({ rejected }) => rejected)) alarms++
      }
      expect(alarms / 180).toBeLessThanOrEqual(0.1)
      expect(alarms / 180).toBeGreaterThan(0.08)
      // Of itself such a row says what it would say alone.
      expect(decide(rows, options)[0]!.p).toBeCloseTo(decide([rows[0]!], options)[0]!.p, 12)
      expect(decide(rows, options)[0]!.leastP).toBe(1 / 36)
    }
  })

  test('two looks together, and each at half the level', () => {
    const rows = dependentRows(7, [5, 5, 2, 3], 'one')
    for (const alpha of [0.1, 0.2, 0.4]) {
      expect(decide(rows, { ...options, alpha, looks: 2 })[0]!.looks).toEqual([2, 4])
      expect(familyError(rows, { alpha, looks: 2 })).toBeLessThanOrEqual(alpha)
    }
    // Only the first look has been made: half of alpha is spent.
    const early = rows.map((row) => ({ ...row, deals: row.deals.slice(0, 2) }))
    for (const alpha of [0.1, 0.2, 0.4]) {
      const error = familyError(early, { alpha, looks: 2, trainings: 4 })
      expect(error).toBeLessThanOrEqual(alpha / 2)
      expect(error).toBeGreaterThan(0)
    }
  })

  test('two looks, two strata of which one cannot be looked at early and one lacks trainings', () => {
    const rows = [...dependentRows(8, [2, 2, 2, 2, 2, 2], 'swap'), ...dependentRows(9, [25, 2, 2, 3, 2, 2], 'r')].map(
      (row) => (row.stratum === 'r' ? { ...row, deals: row.deals.filter((_, u) => u === 0 || u === 3) } : row),
    )
    const found = decide(rows, { ...options, alpha: 0.2, looks: 2 })
    expect(found.map(({ looks }) => looks)).toEqual([...Array(4).fill([6]), ...Array(4).fill([3, 6])])
    expect(found[0]!.level).toBeCloseTo(0.1, 12)
    expect(found[4]!.level).toBeCloseTo(0.05, 12)
    expect(familyError(rows, { alpha: 0.2, looks: 2 })).toBeLessThanOrEqual(0.2)
  })
})

describe('what changes nothing', () => {
  const tables = fc.array(fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 3, maxLength: 3 }), {
    minLength: 2,
    maxLength: 4,
  })
  const psOf = (rows: readonly Row[]): number[][] => decide(rows, options).map(({ p, adjusted }) => [p, adjusted])
  const rowsOf = (one: number[][], two: number[][]): Row[] => {
    const length = Math.min(one.length, two.length)
    return [rowOf('a', one.slice(0, length)), rowOf('b', two.slice(0, length))]
  }

  test('the order of the other candidates, constants by training, the unit of a row', () => {
    fc.assert(
      fc.property(tables, tables, fc.double({ min: -9, max: 9, noNaN: true }), (one, two, c) => {
        const rows = rowsOf(
          one.map((T) => T.map((x) => Math.round(x * 64) / 64)),
          two,
        )
        const changed = rows.map((row, i) => ({
          ...row,
          deals: row.deals.map((deal, s) => {
            const [t0, t1, t2] = deal.T
            const values = i === 0 ? [t0!, t2!, t1!].map((x) => x * 3.7 + c * (s + 1)) : [t0!, t2!, t1!]
            return dealOf(s, values)
          }),
        }))
        const [before, after] = [psOf(rows), psOf(changed)]
        for (const [i, pair] of before.entries()) {
          for (const [j, p] of pair.entries()) expect(after[i]![j]).toBeCloseTo(p, 12)
        }
      }),
    )
  })

  test('the order of the rows; a row that is there twice costs nothing', () => {
    fc.assert(
      fc.property(tables, tables, (one, two) => {
        const [a, b] = rowsOf(one, two) as [Row, Row]
        expect(psOf([b, a])).toEqual(psOf([a, b]).reverse())
        expect(psOf([a, b, { ...b, id: 'again' }]).slice(0, 2)).toEqual(psOf([a, b]))
      }),
    )
  })

  test('corrected p-values are at least the row’s own, and a larger row’s are no larger', () => {
    fc.assert(
      fc.property(tables, tables, (one, two) => {
        const found = decide(rowsOf(one, two), options)
        for (const { p, adjusted, falseDiscovery: q } of found) {
          expect(adjusted).toBeGreaterThanOrEqual(p)
          expect(q).toBeGreaterThanOrEqual(p)
        }
      }),
    )
  })
})

test('rows that do not fit are refused by name', () => {
  const stream = streamOf(11)
  const rows = [rowOf('first', [scores(stream, 3)]), rowOf('second', [scores(stream, 4)])]
  expect(() => decide(rows, options)).toThrow(
    'rows "first" and "second" of stratum "one" have different deals or candidates',
  )
  expect(() => decide([rowOf('a', [[0, Number.NaN]])], options)).toThrow(
    'row "a", deal 0: T[1] is NaN; scores must be finite',
  )
  expect(() => decide([rows[0]!, rows[0]!], options)).toThrow('two rows are called "first"')
  expect(() => decide([rowOf('a', [])], options)).toThrow('row "a" has no deals')
  expect(() => decide([rowOf('a', [[1]])], options)).toThrow('1 candidates')
})
