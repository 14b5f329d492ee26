import { describe, expect, test } from 'vitest'
import { tableOf, truthOf } from '../../test/hand-truth.js'
import { functionsOf } from '../models/functions.js'
import { linear } from '../models/linear.js'
import { softmaxRegression } from '../models/softmax.js'
import { labels } from './batch-labels-score.js'
import type { Known } from './grading.js'

const client = (rows: number[][], own: number[]) => truthOf({ clients: { c: tableOf(['x'], rows, { labels: own }) } })
const unlabelled = (own: readonly number[]) => own.map((y) => [y])

describe('the labels of a batch', () => {
  const own = [3, 3, 3, 1, 7]
  const truth = client(unlabelled(own), own)
  const claim = (...guess: number[]) => ({ kind: 'labels', client: 'c', round: 0, labels: guess }) as const
  const known: Known = { classes: 10 }

  test('as multisets: instances and classes', async () => {
    // 3, 3 and 7 are right of 3, 3, 3, 1, 7; of the classes 1, 3, 7 two are found, of the claimed 2, 3, 7 two are right.
    const score = await labels.grade(claim(7, 2, 3, 3, 2), { truth, known })
    expect(score).toMatchObject({ metric: 'iAcc', value: 3 / 5, also: { cAcc: 2 / 3, classPrecision: 2 / 3 } })
  })

  test('uniform proportions: any five of ten, on average', async () => {
    // Each class is named once with probability 1/2: 3 of the 5 labels are first copies.
    const score = await labels.grade(claim(3, 3, 3, 1, 7), { truth, known })
    expect(score).toMatchObject({ value: 1, chance: 3 / 2 / 5, lift: 1, also: { chanceCAcc: 1 / 2 } })
    expect(score).toMatchObject({ guesser: expect.stringContaining('uniform proportions') })
  })

  test('auxiliary proportions: the best five', async () => {
    // All 3: five threes, of which three are there.
    const auxiliary = tableOf(['x'], [[0], [0]], { labels: [3, 3] })
    const score = await labels.grade(claim(3, 3, 3, 1, 7), { truth, known: { ...known, auxiliary } })
    expect(score).toMatchObject({ chance: 3 / 5, lift: 1, also: { chanceCAcc: 1 / 3 } })
    expect(await labels.grade(claim(3, 3, 3, 3, 3), { truth, known: { ...known, auxiliary } })).toMatchObject({
      lift: 0,
    })
  })

  test('claiming more than the batch holds does not pay; claiming nothing scores nothing', async () => {
    const more = await labels.grade(claim(3, 3, 3, 1, 7, 0, 2, 4, 5, 6), { truth, known })
    expect(more).toMatchObject({ value: 0.5, also: { cAcc: 1, classPrecision: 3 / 8 } })
    expect(await labels.grade(claim(), { truth, known })).toMatchObject({ value: 0, also: { cAcc: 0 } })
  })

  test('classes, each named once, are graded as such: to name all of them is what anybody can', async () => {
    const classes = (...guess: number[]) => labels.grade({ ...claim(...guess), once: true }, { truth, known })
    // Of 1, 3, 7 two; who names two of ten classes finds a fifth of them.
    expect(await classes(3, 7)).toMatchObject({ metric: 'cAcc', value: 2 / 3, also: { iAcc: 2 / 5 } })
    expect(await classes(3, 7)).toMatchObject({ chance: expect.closeTo(1 / 5, 12) })
    expect(await classes(3, 7, 1, 2)).toMatchObject({ value: 1, lift: 1 })
    expect(await classes(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)).toMatchObject({ value: 1, lift: null })
    const auxiliary = tableOf(['x'], [[0], [0], [0]], { labels: [3, 3, 1] })
    const informed = await labels.grade({ ...claim(3, 7), once: true }, { truth, known: { ...known, auxiliary } })
    expect(informed).toMatchObject({ value: 2 / 3, chance: 2 / 3, lift: 0 })
    expect(informed).toMatchObject({ guesser: 'the 2 likeliest classes by auxiliary proportions' })
  })

  test('one record of one of ten classes: chance is a tenth', async () => {
    const one = client([[0]], [4])
    expect(await labels.grade(claim(4), { truth: one, known })).toMatchObject({ value: 1, chance: 0.1, lift: 1 })
  })

  test('without a number of classes, those of truth and auxiliary data', async () => {
    expect(await labels.grade(claim(3), { truth: client([[0]], [3]), known: {} })).toMatchObject({ chance: 1 / 4 })
    const auxiliary = tableOf(['x'], [[0]], { labels: [0] })
    const at = { truth: client([[0]], [3]), known: { auxiliary } }
    expect(await labels.grade(claim(99), at)).toMatchObject({ value: 0, chance: 0 })
  })

  test('labels that are no classes are errors', async () => {
    await expect(labels.grade(claim(0.5), { truth, known })).rejects.toThrow('labels[0] is 0.5')
    await expect(labels.grade(claim(10), { truth, known })).rejects.toThrow('labels[0] is 10')
    await expect(labels.grade(claim(1), { truth: client([[0]], [2.5]), known })).rejects.toThrow('is 2.5')
  })
})

describe('one label per record', () => {
  const claim = (...guess: number[]) => ({ kind: 'labels', client: 'c', labels: guess }) as const

  test('of a regression: MAE against the best of the guessers', async () => {
    // Labels 0, 1, 5: median 1 off by 0 + 1 + 4.
    const truth = client([[0], [1], [2]], [0, 1, 5])
    const plain = await labels.grade(claim(0, 1, 2), { truth, known: {} })
    expect(plain).toMatchObject({ metric: 'MAE', value: 1, chance: null, intervalKind: 'bootstrap' })
    expect(plain).toMatchObject({ also: { bestConstantInHindsight: 5 / 3 } })
    // y = 2 x off by 0, 1, 1.
    const known: Known = {
      lastGlobal: Float64Array.of(2, 0),
      functions: functionsOf(linear({ inputs: 1, outputs: 1 })),
      records: tableOf(['x'], [[0], [1], [2]]),
    }
    const score = await labels.grade(claim(0, 1, 2), { truth, known })
    expect(score).toMatchObject({ chance: 2 / 3, guesser: "the last global model's predictions" })
    // Auxiliary data on the line y = 3 x - 1/2 teach it but for the penalty, which shrinks the slope by 20/21:
    // 28 + 20/7 (x - 19/2) is off by 6/7, 19/7 and 11/7. Their mean is 28, that of the truth 2.
    const auxiliary = tableOf(
      ['x'],
      Array.from({ length: 20 }, (_, i) => [i]),
      { labels: Array.from({ length: 20 }, (_, i) => 3 * i - 0.5) },
    )
    const learned = await labels.grade(claim(0, 1, 2), { truth, known: { ...known, auxiliary } })
    if ('missing' in learned) throw new Error('missing')
    expect(learned.also.auxiliaryMean).toBeCloseTo(28 - 2, 12)
    expect(learned.also.publicOnly).toBeCloseTo(12 / 7, 10)
  })

  test('of a classification: accuracy against the best of the guessers', async () => {
    const truth = client([[-2], [-1], [1], [2], [3]], [0, 0, 1, 1, 1])
    const plain = await labels.grade(claim(0, 0, 1, 1, 0), { truth, known: { classes: 2 } })
    expect(plain).toMatchObject({ metric: 'accuracy', value: 0.8, chance: 0.5, intervalKind: 'exact' })
    expect(plain).toMatchObject({ also: { bestConstantInHindsight: 0.6 } })
    const known: Known = {
      classes: 2,
      records: tableOf(['x'], [[-2], [-1], [1], [2], [3]]),
      functions: functionsOf(softmaxRegression({ inputs: 1, outputs: 2 })),
      lastGlobal: Float64Array.of(0, 1, 1.5, 0), // class 1 where x > 1.5
      auxiliary: tableOf(['x'], [[-3], [-2], [2], [3], [-1]], { labels: [0, 0, 1, 1, 0] }),
    }
    const score = await labels.grade(claim(0, 0, 1, 1, 0), { truth, known })
    expect(score).toMatchObject({ chance: 1, also: { lastGlobal: 0.8, publicOnly: 1, majorityOfAuxiliary: 0.4 } })
  })

  test('records with empty columns are no input of the model', async () => {
    const known: Known = {
      lastGlobal: Float64Array.of(2, 0),
      functions: functionsOf(linear({ inputs: 1, outputs: 1 })),
      records: tableOf(['x'], [[Number.NaN]]),
    }
    const score = await labels.grade(claim(1), { truth: client([[0]], [2]), known })
    expect(score).toMatchObject({ value: 1, chance: null, lift: null, also: { bestConstantInHindsight: 0 } })
  })
})
