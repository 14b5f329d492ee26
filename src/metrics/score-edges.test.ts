import { describe, expect, test } from 'vitest'
import { tableOf, truthOf } from '../../test/hand-truth.js'
import { functionsOf } from '../models/functions.js'
import { linear } from '../models/linear.js'
import { labels } from './batch-labels-score.js'
import { probabilities, scoreCategories } from './categories.js'
import type { Known } from './grading.js'
import { scoreQuantities } from './numbers-score.js'
import { meanRecord, records } from './records-score.js'
import type { Score } from './score.js'

const own = tableOf(['x'], [[0], [1], [2]], { labels: [0, 1, 1] })

async function labelsOf(
  claimed: readonly number[],
  known: Known,
  { table = own, round = 0 as number | null } = {},
): Promise<Score> {
  const truth = truthOf({ clients: { c: table } })
  const at = { kind: 'labels', client: 'c', labels: claimed, ...(round !== null && { round }) } as const
  const score = await labels.grade(at, { truth, known })
  if ('missing' in score) throw new Error(score.missing.join())
  return score
}

test('probabilities lie from 0 to 1, both among them', () => {
  expect(probabilities([0, 0.5, 1], 3)).toEqual(Float64Array.of(0, 0.5, 1))
  expect(() => probabilities([0, -1e-9], 2)).toThrow('confidence[1] is')
  expect(() => probabilities([1 + 1e-9], 1)).toThrow('confidence[0] is')
})

test('of guesses that do equally well a constant one names the chance level', () => {
  const each = { key: 'each', words: 'each its own' }
  const constant = { key: 'one', words: 'one for all' }
  const categories = (claimed: readonly number[]) =>
    scoreCategories({
      ...{ name: 'a', claimed, truth: Int32Array.of(0, 1, 0), levels: 2 },
      guesses: [
        { ...each, levels: [0, 0, 0] },
        { ...constant, levels: 0 },
      ],
    })
  expect(categories([0, 1, 0])).toMatchObject({ guesser: 'one for all', chance: 2 / 3 })
  const quantities = scoreQuantities({
    ...{ name: 'a', claimed: [0, 1, 0], truth: Float64Array.of(0, 1, 0), primary: 'MAE' },
    guesses: [
      { ...each, numbers: Float64Array.of(0, 0, 0) },
      { ...constant, numbers: 0 },
    ],
  })
  expect(quantities).toMatchObject({ guesser: 'one for all', chance: 1 / 3 })
})

test('a claim without any error is inside of an interval of no width', () => {
  const task = { name: 'a', truth: Float64Array.of(1, 2), primary: 'MAE', guesses: [] } as const
  const covered = (claimed: number[], standardErrors: number[]) =>
    scoreQuantities({ ...task, claimed, standardErrors }).also.coverage95
  expect([covered([1, 2], [0, 0]), covered([1, 2.001], [0, 0]), covered([0, 2], [1, 1])]).toEqual([1, 0.5, 1])
})

describe('labels of a batch', () => {
  test('of one class alone: to name it is what anybody can', async () => {
    const table = tableOf(['x'], [[0], [1]], { labels: [0, 0] })
    const score = await labelsOf([0, 0], {}, { table })
    expect(score).toMatchObject({ value: 1, chance: 1, also: { cAcc: 1, classPrecision: 1 } })
  })

  test('of which nothing is named: how many of the named classes are right is not asked', async () => {
    expect((await labelsOf([], { classes: 2 })).also).not.toHaveProperty('classPrecision')
    expect((await labelsOf([1], { classes: 2 })).also.classPrecision).toBe(1)
  })
})

describe('labels of records that are known otherwise', () => {
  const each = (known: Known, claimed = [0, 1, 1]) => labelsOf(claimed, { records: own, ...known }, { round: null })
  const auxiliary = (rows: number[][], y: number[]) => tableOf(['x'], rows, { labels: y })

  test('auxiliary data of a single record give their label as a guess, those of none give nothing', async () => {
    expect((await each({ auxiliary: auxiliary([[7]], [1]) })).also.auxiliaryMean).toBeCloseTo(1 / 3, 12)
    expect((await each({ auxiliary: auxiliary([], []) })).also).not.toHaveProperty('auxiliaryMean')
    expect((await each({ auxiliary: auxiliary([[7]], [1]), classes: 2 })).also.majorityOfAuxiliary).toBe(2 / 3)
    expect((await each({ auxiliary: auxiliary([], []), classes: 2 })).also).not.toHaveProperty('majorityOfAuxiliary')
  })

  test('the class that a single output names begins above a half', async () => {
    const functions = functionsOf(linear({ inputs: 1, outputs: 1 }))
    const global = async (theta: number[]) =>
      (await each({ classes: 2, functions, lastGlobal: Float64Array.from(theta) })).also.lastGlobal
    // Outputs w x + b for x = 0, 1, 2, labels 0, 1, 1.
    expect(await global([0.5, 0.25])).toBe(1) // 0.25, 0.75, 1.25
    expect(await global([0.5, 0])).toBe(2 / 3) // 0, 0.5, 1: a half is not above
    expect(await global([0, 0.6])).toBe(2 / 3) // all above
  })
})

describe('rebuilt records', () => {
  test('the mean record is that of auxiliary data with these columns', () => {
    const mean = (rows: number[][], cols = 2) => meanRecord({ auxiliary: tableOf(['x', 'y'], rows) }, cols)
    expect(mean([[1, 2]])).toEqual(Float64Array.of(1, 2))
    expect(mean([[1, 2], [3, 6]])).toEqual(Float64Array.of(2, 4)) // biome-ignore format: a row each
    expect([mean([]), mean([[1, 2]], 3), meanRecord({}, 2)]).toEqual([undefined, undefined, undefined])
  })

  test('may come with several labels each where the truth has none to count by', async () => {
    const truth = truthOf({ clients: { c: tableOf(['x'], [[1], [2]]) } })
    const claim = (own: number[]) =>
      ({ kind: 'records', client: 'c', round: 0, features: [[1], [2]], labels: own }) as const
    expect(await records.grade(claim([1, 2, 3, 4]), { truth, known: {} })).toMatchObject({ value: 0 })
    await expect(records.grade(claim([1, 2, 3]), { truth, known: {} })).rejects.toThrow('3 labels are claimed for 2')
    await expect(records.grade(claim([1]), { truth, known: {} })).rejects.toThrow('one a record is needed')
  })
})
