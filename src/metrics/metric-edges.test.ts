import { describe, expect, test } from 'vitest'
import { tableOf, truthOf } from '../../test/hand-truth.js'
import type { Claim } from '../attacks/claim.js'
import { columnsOfAttribute, levelsOf } from './attribute-levels.js'
import { batchOf } from './grading.js'
import { impliedFrequencies } from './implied-frequency.js'
import { scoreClaim } from './index.js'
import { expectedMatches } from './multiset.js'
import { naiveGuesses } from './naive-labels.js'
import { places } from './number-lists.js'
import { rankedFigures } from './ranked-figures.js'
import { bestGuess, type Score, scoreOf } from './score.js'
import { bestThreshold } from './threshold.js'

async function scored(claim: object, truth = truthOf(), known = {}): Promise<Score> {
  const score = await scoreClaim(claim as Claim, { truth, known })
  if ('missing' in score) throw new Error(score.missing.join())
  return score
}

describe('who took part when', () => {
  const participation = new Map([[3, ['a']], [4, ['a', 'b']], [5, ['b']]]) // biome-ignore format: rounds
  const truth = truthOf({ participation })
  const claim = (...clients: { id: string; took: boolean[] }[]) => ({
    ...{ kind: 'participation', rounds: [3, 4, 5], clients },
    windows: [{ from: 3, to: 4 }, { from: 5, to: 5 }], // biome-ignore format: windows
  })
  const [a, b] = [
    { id: 'a', took: [true, false, true] },
    { id: 'b', took: [false, true, true] },
  ]

  test('is graded cell by cell, beside a guess that knows how often each took part in a window', async () => {
    // Of a one of three is right, of b all. They are said to take part four times, do so four times, and three of these agree.
    expect(await scored(claim(a, b), truth)).toMatchObject({
      ...{ metric: 'share of cells', better: 'higher', value: 4 / 6, also: { F1: 6 / 8, 'whole clients': 1 / 2 } },
      // a took part in both rounds of the first window and in none of the second, b in one of two and in the one.
      chance: 5 / 6,
    })
    expect((await scored(claim(a), truth)).also).toEqual({ F1: 2 / 4, 'whole clients': 0 })
  })

  test('is refused of a client twice, or for another number of rounds', async () => {
    await expect(scored(claim(a, a), truth)).rejects.toThrow('client "a" is claimed twice')
    await expect(scored(claim({ id: 'a', took: [true] }), truth)).rejects.toThrow('client "a" is claimed for 1 rounds')
  })
})

describe('a level of an attribute', () => {
  const sensitive = { name: 's', columns: ['u', 'v'], kind: 'categories', values: [[0, 0], [1, 0]] } as never // biome-ignore format: a line
  const of = (rows: number[][], columns = ['u', 'x', 'v']) => columnsOfAttribute(tableOf(columns, rows), sensitive)

  test('is read from its columns, where the table has them all and no entry is empty', () => {
    expect(of([[1, 2, 3], [4, Number.NaN, 6]])).toEqual([0, 2]) // biome-ignore format: a row each
    expect(of([[1, 2, 3]], ['u', 'x', 'w'])).toBeUndefined()
    expect(of([[Number.NaN, 2, 3], [1, 2, 3]])).toBeUndefined() // biome-ignore format: a row each
    expect(of([[1, 2, 3], [1, 2, Number.NaN]])).toBeUndefined() // biome-ignore format: a row each
  })

  test('is the nearest, the first of equals, however near all lie; none is nearest from infinitely far', () => {
    const level = (x: number, values: number[][]) => [...levelsOf(tableOf(['u'], [[x]]), [0], values)]
    expect(level(0.5, [[0], [1]])).toEqual([0])
    expect(level(0, [[2e-10], [1e-10]])).toEqual([1])
    expect(() => level(Number.POSITIVE_INFINITY, [[0], [1]])).toThrow('record 0 lies infinitely far')
  })
})

test('a standardised encoding implies that a level is never there, too', () => {
  const p = impliedFrequencies([[1, 1], [-1, -1], [5, 7]]) // biome-ignore format: a level each
  expect(Array.from(p!, (share) => Math.abs(share).toFixed(9))).toEqual(['0.500000000', '0.500000000', '0.000000000'])
  expect([impliedFrequencies([]), impliedFrequencies([[]])]).toEqual([undefined, undefined])
  expect(impliedFrequencies([[-1], [1]])![0]).toBeCloseTo(0.5, 12)
})

test('of two numbers that are neighbours the lower one parts them', () => {
  const [low, high] = [1 + 2 ** -52, 1 + 2 ** -51]
  const found = bestThreshold([{ name: 'x', values: [high, low] }], [1, 0], { levels: 2 })
  expect(found).toEqual({ column: 'x', threshold: low, accuracy: 1, below: 0, above: 1 })
})

test('of guesses that are as good the first is named, and none that is no number', () => {
  const guess = (words: string, value: number) => ({ words, value })
  for (const better of ['higher', 'lower'] as const) {
    expect(bestGuess([guess('nothing', Number.NaN), guess('first', 2), guess('second', 2)], better)?.words).toBe(
      'first',
    )
  }
  expect(bestGuess([guess('more', 2), guess('less', 1)], 'lower')?.words).toBe('less')
  expect(bestGuess([guess('more', 2), guess('less', 1)], 'higher')?.words).toBe('more')
})

test('where chance leaves no room there is no lift; clients are listed where they were graded', () => {
  const about = { metric: 'F1', value: 1, better: 'higher', guesses: [{ words: 'all', value: 1 }] } as const
  expect(scoreOf(about).lift).toBeNull()
  expect(scoreOf(about)).not.toHaveProperty('perClient')
  expect(scoreOf({ ...about, perClient: [{ id: 'a', right: true }] }).perClient).toEqual([{ id: 'a', right: true }])
})

test('a property that is only ranked is graded by the ranking, beside a coin', async () => {
  const clients = [['a', 0.9], ['b', 0.2], ['c', 0.5]].map(([id, probability]) => ({ id, probability, positive: false })) // biome-ignore format: clients
  const truth = truthOf({ properties: { p: ['a', 'b'] } })
  const claim = { kind: 'property', property: 'p', clients }
  expect(await scored({ ...claim, ranksOnly: true }, truth)).toMatchObject({ metric: 'AUC', value: 0.5, chance: 0.5, guesser: 'a coin', also: { positives: 2 } }) // biome-ignore format: a line
  expect(await scored(claim, truth)).toMatchObject({ metric: 'F1', value: 0, also: { positives: 2, recall: 0 } })
  const one = await scored(claim, truthOf({ properties: { p: ['a'] } }))
  expect(one.also.recall).toBe(0)
})

describe('a batch', () => {
  const table = tableOf(['x'], [[5], [6]], { labels: [1, 2] })
  const of = (rows: readonly number[]) =>
    batchOf({ client: 'c', round: 0 }, { truth: truthOf({ clients: { c: table }, batches: [{ round: 0, client: 'c', rows }] }), known: {} }) // biome-ignore format: a line

  test('has rows of the client’s file, at least one', async () => {
    expect([...(await of([1, 0, 1])).features.data]).toEqual([6, 5, 6])
    for (const row of [2, -1, 0.5]) await expect(of([0, row])).rejects.toThrow(`holds row ${row}`)
    await expect(of([])).rejects.toThrow('missing: batches.0.c')
  })

  test('is missing where the client has no records', async () => {
    const none = { truth: truthOf({ clients: { c: tableOf(['x'], []) } }), known: {} }
    await expect(batchOf({ client: 'c', round: 0 }, none)).rejects.toThrow('missing: clients.c.records')
    const single = { truth: truthOf({ clients: { c: tableOf(['x'], [[1]]) } }), known: {} }
    expect((await batchOf({ client: 'c', round: 0 }, single)).features.rows).toBe(1)
  })
})

test('a number that is none is told from one that is too large', () => {
  const code = (value: number) => {
    try {
      places([value], 'x', 3)
    } catch (error) {
      return (error as { code: string }).code
    }
    return 'fine'
  }
  expect([Number.NaN, 3, 1.5, -1, 2].map(code)).toEqual(['E_NON_FINITE', 'E_VALUE', 'E_VALUE', 'E_VALUE', 'fine'])
})

test('a claim of one label is a finite number, and what is claimed of each label counts where there are as many', async () => {
  const truth = truthOf({ clients: { c: tableOf(['x'], [[0], [0]], { labels: [1, 4] }) } })
  const claim = { kind: 'label', client: 'c', round: 0, value: 2 }
  expect(await scored({ ...claim, values: [2, 2] }, truth)).toMatchObject({ value: 0.5, also: { eachLabelMAE: 1.5 } })
  await expect(scored({ ...claim, values: [2, 2, 2] }, truth)).rejects.toThrow('one label is claimed')
  await expect(scored({ ...claim, kind: 'label-mean', value: Number.NaN }, truth)).rejects.toThrow('value[0] is NaN')
})

test('auxiliary data without a single label guess nothing, and a class that nobody has named is never sure', () => {
  const auxiliary = { ...tableOf(['x'], [[0], [1]]), labels: new Float64Array(0) }
  expect(naiveGuesses({ auxiliary })).toEqual([])
  const k = Float64Array.of(1, 1)
  expect(expectedMatches({ sure: Float64Array.of(1), tied: [], share: 0 }, k)).toEqual({ labels: 1, classes: 1 })
})

test('the interval of an area over three values does not hang on the order of the records', () => {
  const rows = [[0, 0.5, 0.3], [0, 0.5, 0.1], [0, 0.2, 0.4], [1, 0.5, 0.2], [1, 0.5, 0.4], [2, 0.5, 0.3], [2, 0.1, 0.9], [1, 0.5, 0.1]] // biome-ignore format: records
  const of = (list: readonly (readonly number[])[]) =>
    rankedFigures({
      ...{
        truth: Int32Array.from(list, ([y]) => y!),
        levels: 3,
        claimed: new Int32Array(8),
        sure: new Float64Array(8),
      },
      score: (level) => Float64Array.from(list, (row) => [row[1]!, row[2]!, row[1]! - row[2]!][level]!),
    })
  expect(of(rows).intervalKind).toBe('bootstrap')
  expect(of(rows.toReversed())).toEqual(of(rows))
  expect(of([...rows.slice(3), ...rows.slice(0, 3)])).toEqual(of(rows))
})

test('an area without an error has the exact interval of its rarest value, of one record too', () => {
  const of = (...truth: number[]) =>
    rankedFigures({
      ...{
        truth: Int32Array.from(truth),
        levels: 2,
        claimed: Int32Array.from(truth),
        sure: new Float64Array(truth.length),
      },
      score: () => Float64Array.from(truth),
    }).interval![0]
  // One above n others: the least area is that at which theta, or its like, makes it happen once in forty.
  expect(of(1, 0, 0, 0)).toBeCloseTo(of(0, 1, 1, 1), 12)
  expect(of(1, 0, 0, 0)).toBeLessThan(of(1, 1, 0, 0))
})
