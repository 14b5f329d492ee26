import { describe, expect, test } from 'vitest'
import { tableOf, truthOf } from '../../test/hand-truth.js'
import { functionsOf } from '../models/functions.js'
import { linear } from '../models/linear.js'
import type { Known } from './grading.js'
import { metaclassMeans } from './metaclass-means-score.js'
import type { Score } from './score.js'
import { label, labelMean } from './single-label-score.js'

const at = { client: 'c', round: 3 }
/** Labels 1, 3, 8, 100; the batch of round 3 is the first three, of metaclasses 0, 0, 2. */
const clients = { c: tableOf(['x'], [[0], [0], [0], [0]], { labels: [1, 3, 8, 100], metaclasses: [0, 0, 2, 1] }) }
const truth = truthOf({ clients, batches: [{ ...at, rows: [0, 1, 2] }] })
/** Labels 2, 4, 6 with mean 4; y = 10 x + 1 predicts 11, 21, 31 with mean 21. */
const auxiliary = tableOf(['x'], [[1], [2], [3]], { labels: [2, 4, 6], metaclasses: [0, 2, 2] })
const functions = functionsOf(linear({ inputs: 1, outputs: 1 }))
const predicting: Known = { auxiliary, functions, roundGlobal: Float64Array.of(10, 1) }

describe('the mean label', () => {
  const claim = { kind: 'label-mean', ...at, value: 4.5 } as const

  test('against the auxiliary mean', async () => {
    const score = await labelMean.grade(claim, { truth, known: { auxiliary } })
    expect(score).toMatchObject({ metric: 'MAE', value: 0.5, chance: 0, lift: null, also: { truth: 4 } })
    const off = tableOf(['x'], [[1]], { labels: [6] })
    expect(await labelMean.grade(claim, { truth, known: { auxiliary: off } })).toMatchObject({ chance: 2, lift: 0.75 })
  })

  test('against what the model predicts for auxiliary data; the better of the two counts', async () => {
    const both = await labelMean.grade(claim, { truth, known: predicting })
    expect(both).toMatchObject({ chance: 0, also: { auxiliaryMean: 0, auxiliaryPrediction: 17 } })
    const { labels: _, ...unlabelled } = auxiliary
    const one = await labelMean.grade(claim, { truth, known: { ...predicting, auxiliary: unlabelled } })
    expect(one).toMatchObject({ chance: 17, guesser: expect.stringContaining("the round's global model predicts") })
    const { roundGlobal, ...rest } = predicting
    const last = { ...rest, auxiliary: unlabelled, lastGlobal: roundGlobal }
    expect(await labelMean.grade(claim, { truth, known: last })).toMatchObject({
      guesser: expect.stringContaining('the last global model predicts'),
    })
  })

  test('without auxiliary data there is no chance level', async () => {
    expect(await labelMean.grade(claim, { truth, known: {} })).toMatchObject({ value: 0.5, chance: null, lift: null })
  })

  test('without a batch the whole file made the update', async () => {
    expect(await labelMean.grade({ ...claim, round: 4 }, { truth, known: {} })).toMatchObject({ also: { truth: 28 } })
  })

  test('a client without labels or an empty batch is missing; a row beyond the file is an error', async () => {
    const bare = truthOf({ clients: { c: tableOf(['x'], [[1]]) } })
    expect(await labelMean.grade(claim, { truth: bare, known: {} })).toEqual({ missing: ['clients.c.label'] })
    const empty = truthOf({ clients, batches: [{ ...at, rows: [] }] })
    expect(await labelMean.grade(claim, { truth: empty, known: {} })).toEqual({ missing: ['batches.3.c'] })
    const beyond = truthOf({ clients, batches: [{ ...at, rows: [4] }] })
    await expect(labelMean.grade(claim, { truth: beyond, known: {} })).rejects.toThrow('holds row 4')
  })
})

describe('one label', () => {
  const single = truthOf({ clients, batches: [{ ...at, rows: [2] }] })

  test('of a batch of one', async () => {
    const score = await label.grade({ kind: 'label', ...at, value: 9 }, { truth: single, known: { auxiliary } })
    expect(score).toMatchObject({ metric: 'MAE', value: 1, chance: 4, lift: 0.75 })
  })
  test('of a larger batch is an error', async () => {
    await expect(label.grade({ kind: 'label', ...at, value: 9 }, { truth, known: {} })).rejects.toThrow('has 3')
  })
})

describe('means per metaclass', () => {
  const known: Known = { metaclasses: ['a', 'b', 'c'], auxiliary }
  const claim = (...values: number[]) => ({ kind: 'metaclass-means', ...at, values }) as const

  test('over those present: truth 2 and 8, auxiliary 2 and 5', async () => {
    // The second metaclass has no record in the batch, so 77 is not graded.
    const score = await metaclassMeans.grade(claim(3, 77, 8), { truth, known })
    expect(score).toMatchObject({ metric: 'MAE', value: 0.5, chance: 1.5, also: { present: 2, claimed: 2 }, notes: [] })
    expect(score).toMatchObject({ guesser: 'the mean label of the auxiliary data, per metaclass' })
  })

  test('what is not claimed is counted, and chance is that of the rest', async () => {
    const score = await metaclassMeans.grade(claim(Number.NaN, Number.NaN, 8), { truth, known })
    expect(score).toMatchObject({ value: 0, chance: 3, lift: 1, also: { present: 2, claimed: 1 } })
    expect(score).toMatchObject({ notes: ['1 metaclasses present are not claimed'] })
  })

  test('a metaclass that the auxiliary data lack gets their mean', async () => {
    const auxiliary = tableOf(['x'], [[1], [2]], { labels: [3, 5], metaclasses: [1, 1] })
    const score = await metaclassMeans.grade(claim(2, 0, 8), { truth, known: { ...known, auxiliary } })
    expect(score).toMatchObject({ value: 0, chance: 3 }) // |4 - 2| and |4 - 8|
  })

  test('the prediction per metaclass: 11, and the mean of 21 and 31', async () => {
    const score = await metaclassMeans.grade(claim(2, 0, 8), { truth, known: { ...known, ...predicting } })
    expect(score).toMatchObject({ also: { auxiliaryPrediction: (9 + 18) / 2 } })
  })

  test('another number of means, infinite ones, and none at all are errors', async () => {
    await expect(metaclassMeans.grade(claim(1, 2), { truth, known })).rejects.toThrow('there are 3 metaclasses')
    await expect(metaclassMeans.grade(claim(1, 2, Infinity), { truth, known })).rejects.toThrow('values[2] is Infinity')
    await expect(metaclassMeans.grade(claim(NaN, 2, NaN), { truth, known })).rejects.toThrow('nothing is claimed')
  })

  test('of several labels a record the mean counts, of the batch, of auxiliary data and of predictions', async () => {
    const client = tableOf(['x'], [[0], [1], [2]], { labels: [1, 3, 0, 6, 5, 5], metaclasses: [0, 1, 0] })
    const others = tableOf(['x'], [[0], [1]], { labels: [2, 4, 5, 7], metaclasses: [0, 1] })
    const functions = functionsOf(linear({ inputs: 1, outputs: 2 }))
    // (x, 3 x) + (1, 2): 1.5 and 3.5 in the mean.
    const lastGlobal = Float64Array.of(1, 3, 1, 2)
    const known = { metaclasses: ['a', 'b'], auxiliary: others, functions, lastGlobal }
    const own = truthOf({ clients: { [at.client]: client } })
    // Means 2, 3 and 5: 3.5 and 3 by metaclass.
    const score = await metaclassMeans.grade(claim(3, 3), { truth: own, known })
    expect(score).toMatchObject({ value: 0.25, also: { auxiliaryMean: 1.75, auxiliaryPrediction: 1.25 } })
    const mean = await labelMean.grade({ kind: 'label-mean', ...at, value: 4 }, { truth: own, known })
    expect(mean).toMatchObject({ also: { truth: 10 / 3 } })
    expect((mean as Score).also.auxiliaryPrediction).toBeCloseTo(10 / 3 - 2.5, 12)
    // Of classes an output is no label.
    const classes = { ...known, auxiliary: tableOf(['x'], [[0], [1]], { labels: [0, 1], metaclasses: [0, 1] }) }
    const other = await metaclassMeans.grade(claim(3, 3), { truth: own, known: classes })
    expect((other as Score).also).not.toHaveProperty('auxiliaryPrediction')
  })

  test('auxiliary data without metaclasses give no chance level', async () => {
    const { metaclasses: _, ...plain } = auxiliary
    const score = await metaclassMeans.grade(claim(2, 0, 8), { truth, known: { ...known, auxiliary: plain } })
    expect(score).toMatchObject({ chance: null, lift: null })
  })
})
