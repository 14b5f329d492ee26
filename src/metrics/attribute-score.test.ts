import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { tableOf, truthOf } from '../../test/hand-truth.js'
import { describeWithShared, sharedFolder } from '../../test/shared.js'
import type { AttributeClaim } from '../attacks/claim.js'
import { columnAt } from '../numeric/linalg/matrix.js'
import { rng } from '../numeric/random/rng.js'
import type { Sensitive } from '../transcript/knowledge-file.js'
import { attribute } from './attribute-score.js'
import { aucInterval } from './auc.js'
import type { Grading, Known } from './grading.js'
import { perfectOrder } from './ranked-figures.js'
import type { Score } from './score.js'

const NONE = Number.NaN
const smoker: Sensitive = { name: 's', columns: ['s'], kind: 'binary', values: [[0], [1]], words: ['no', 'yes'] }
const claimOf = (values: ArrayLike<number>, more: Partial<AttributeClaim> = {}): AttributeClaim => ({
  kind: 'attribute',
  client: 'c',
  name: 's',
  values,
  ...more,
})
const graded = (rows: number[][], { labels, ...known }: Known & { labels?: number[] } = {}): Grading => ({
  truth: truthOf({ clients: { c: tableOf(['x', 's'], rows, labels && { labels }) } }),
  known: { sensitive: [smoker], ...known },
})
async function scored(claim: AttributeClaim, at: Grading): Promise<Score> {
  const score = await attribute.grade(claim, at)
  if ('missing' in score) throw new Error(score.missing.join())
  return score
}
/** Ten records: x = 0 .. 9, s = 1 for the last three. */
const ten = Array.from({ length: 10 }, (_, i) => [i, Number(i >= 7)])
const open = tableOf(
  ['x', 's'],
  ten.map(([x]) => [x!, NONE]),
)

describe('a binary attribute', () => {
  test("AUC with DeLong's interval; accuracy with its exact one, and who is right", async () => {
    const score = await scored(claimOf([0, 0, 0, 0, 0, 0, 1, 1, 1, 1]), graded(ten))
    expect(score).toMatchObject({ metric: 'auc', accuracy: 0.9, chance: 0.5, better: 'higher', intervalKind: 'DeLong' })
    // Of 21 pairs 18 are in order and 3 are tied.
    expect(score.value).toBeCloseTo(19.5 / 21, 12)
    expect(score.lift).toBeCloseTo(2 * (19.5 / 21) - 1, 12)
    expect(score.guesser).toBe('one value for all')
    expect(score.also).toMatchObject({ bestConstantInHindsight: 0.7, chanceAccuracy: 0.5 })
    const same = aucInterval({ scores: [0, 0, 0, 0, 0, 0, 1, 1, 1, 1], positive: ten.map(([, s]) => s!) })!
    expect(score.interval).toEqual(same)
    // Clopper-Pearson of 9 in 10, from any table: 0.5550 to 0.9975
    expect(score.also.lowAccuracy).toBeCloseTo(0.555, 4)
    expect(score.also.highAccuracy).toBeCloseTo(0.9975, 4)
    expect([...(score.perRecord as Uint8Array)]).toEqual([1, 1, 1, 1, 1, 1, 0, 1, 1, 1])
    expect(score.also.balancedAccuracy).toBeCloseTo((6 / 7 + 1) / 2, 12)
  })

  test('the threshold may be on the second of two labels', async () => {
    const mixed = ten.map(([, s], i) => [(7 * i) % 10, s!])
    const labels = ten.flatMap((_, i) => [(3 * i) % 10, i])
    const { notes } = await scored(claimOf(ten.map(() => 0)), graded(mixed, { labels }))
    expect(notes).toEqual(['"label 2 > 6.5: yes, else no", chosen in hindsight, has an accuracy of 1.000'])
  })

  test('the threshold in hindsight is printed with its threshold', async () => {
    const { also, notes } = await scored(claimOf(ten.map(() => 0)), graded(ten, { labels: ten.map(() => 5) }))
    expect(also).toMatchObject({ thresholdAccuracy: 1, threshold: 6.5 })
    expect(notes).toEqual(['"x > 6.5: yes, else no", chosen in hindsight, has an accuracy of 1.000'])
  })

  test('the majority of the auxiliary data is the chance level, though hindsight would do better', async () => {
    const auxiliary = tableOf(['x', 's'], [[0, 0], [1, 0], [2, 1]]) // biome-ignore format: a row each
    const right = await scored(claimOf(ten.map(() => 0)), graded(ten, { auxiliary }))
    expect(right).toMatchObject({ chance: 0.5, guesser: 'the majority class of the auxiliary data', lift: 0 })
    expect(right).toMatchObject({ accuracy: 0.7, also: { chanceAccuracy: 0.7 } })
    const other = tableOf(['x', 's'], [[0, 1], [1, 1]]) // biome-ignore format: a row each
    const wrong = await scored(claimOf(ten.map(() => 0)), graded(ten, { auxiliary: other }))
    expect(wrong.also.chanceAccuracy).toBeCloseTo(0.3, 12)
    expect(wrong.guesser).toBe('the majority class of the auxiliary data')
    expect(wrong.also).toMatchObject({
      majorityOfAuxiliary: wrong.also.chanceAccuracy,
      bestConstantInHindsight: 0.7,
    })
  })

  test('a standardised encoding reveals the majority', async () => {
    const p = 0.3
    const values = [[-p / Math.sqrt(p * (1 - p))], [(1 - p) / Math.sqrt(p * (1 - p))]]
    const rows = ten.map(([x, s]) => [x!, values[s!]![0]!])
    const at = graded(rows, { sensitive: [{ ...smoker, values } as Sensitive] })
    const score = await scored(claimOf(ten.map(([, s]) => s!)), at)
    expect(score).toMatchObject({ value: 1, chance: 0.5, lift: 1, also: { majorityImplied: 0.7, chanceAccuracy: 0.7 } })
    // Perfect order has no variance to see.
    expect(score).toMatchObject({ intervalKind: 'exact', interval: [perfectOrder(3, 7), 1] })
    expect(score.guesser).toContain('standardised encoding reveals')
  })

  test('who has auxiliary data and the records predicts, and is then the chance level', async () => {
    const auxiliary = tableOf(
      ['x', 's'],
      Array.from({ length: 40 }, (_, i) => [i / 4, Number(i / 4 > 6.6)]),
    )
    const score = await scored(claimOf([0, 0, 0, 0, 0, 0, 0, 0, 1, 1]), graded(ten, { auxiliary, records: open }))
    expect(score).toMatchObject({ accuracy: 0.9, chance: 1, lift: null, also: { publicOnly: 1, publicOnlyAUC: 1 } })
    expect(score.guesser).toBe('softmax regression on the public columns, trained on auxiliary data')
    const labels = ten.map(([x]) => x!)
    const both = { auxiliary: { ...auxiliary, labels: columnAt(auxiliary.features, 0) }, records: { ...open, labels } }
    const withLabel = await scored(claimOf([0, 0, 0, 0, 0, 0, 0, 0, 1, 1]), graded(ten, { ...both, labels } as never))
    expect(withLabel.guesser).toBe('softmax regression on the public columns and the label, trained on auxiliary data')
    const unseen = await scored(claimOf([0, 0, 0, 0, 0, 0, 0, 0, 1, 1]), graded(ten, { auxiliary }))
    expect(unseen.also.publicOnly).toBeUndefined()
  })

  test('confidences: AUC of the attribute and calibration', async () => {
    // Scores for "yes": 0.2 x 7 (claimed no at 0.8), 0.6, 0.9 and 0.1 (claimed no at 0.9) for the three that are.
    const confidence = [0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.6, 0.9, 0.9]
    const { value, also } = await scored(claimOf([0, 0, 0, 0, 0, 0, 0, 1, 1, 0], { confidence }), graded(ten))
    expect(value).toBeCloseTo(2 / 3, 12)
    // Bin 0.8: 7 at 0.8, all right; 0.6: right; 0.9: 1.8 of confidence, one right.
    expect(also.calibrationError).toBeCloseTo((1.4 + 0.4 + 0.8) / 10, 12)
  })

  test('constant truth and single records rank nobody', async () => {
    const auxiliary = tableOf(['x', 's'], [[0, 1]])
    for (const rows of [[[1, 1]], ten.map(([x]) => [x!, 1])]) {
      const right = await scored(claimOf(rows.map(() => 1)), graded(rows, { auxiliary }))
      expect(right).toMatchObject({ value: 0.5, accuracy: 1, lift: 0, interval: null })
      expect(right.also).toMatchObject({ balancedAccuracy: 1, chanceAccuracy: 1 })
      const wrong = await scored(claimOf(rows.map(() => 0)), graded(rows, { auxiliary }))
      expect(wrong).toMatchObject({ value: 0.5, accuracy: 0, lift: 0 })
    }
  })

  test.each([
    ['too few', claimOf([0, 1]), 'values holds 2 values'],
    ['no level', claimOf([...ten.map(() => 0).slice(1), 2]), 'values[9] is 2'],
    ['between levels', claimOf([...ten.map(() => 0).slice(1), 0.5]), 'values[9] is 0.5'],
    [
      'a confidence above 1',
      claimOf(
        ten.map(() => 0),
        { confidence: ten.map(() => 1.5) },
      ),
      'confidence[0] is 1.5',
    ],
    [
      'too few confidences',
      claimOf(
        ten.map(() => 0),
        { confidence: [1] },
      ),
      'confidence holds 1 values',
    ],
  ])('%s is an error', async (_, claim, message) => {
    await expect(attribute.grade(claim, graded(ten))).rejects.toThrow(message)
  })

  test('known records that are not the true ones are an error', async () => {
    const records = tableOf(['x', 's'], [[1, NONE]])
    await expect(attribute.grade(claimOf(ten.map(() => 0)), graded(ten, { records }))).rejects.toThrow(
      'known records are 1',
    )
  })

  test('a truth without records or without the column is missing', async () => {
    expect(await attribute.grade(claimOf([]), graded([]))).toEqual({ missing: ['clients.c.records'] })
    const truth = truthOf({ clients: { c: tableOf(['x'], [[1]]) } })
    expect(await attribute.grade(claimOf([0]), { truth, known: { sensitive: [smoker] } })).toEqual({
      missing: ['clients.c.s'],
    })
  })
})

test('a perfect order is as good as its chance where nothing is known, and more records say more', () => {
  // 39 and 1: one order of 40, 2.5 %, at an AUC of a half.
  expect(perfectOrder(1, 39)).toBeLessThanOrEqual(0.5)
  expect(perfectOrder(39, 1)).toBe(perfectOrder(1, 39))
  // Two of ten: 1 in 45 < 2.5 %.
  expect(perfectOrder(2, 8)).toBeGreaterThan(0.5)
  expect(perfectOrder(1, 8)).toBeLessThan(0.5)
  expect(perfectOrder(20, 20)).toBeGreaterThan(perfectOrder(10, 10))
  expect(perfectOrder(200, 200)).toBeGreaterThan(0.98)
  // One of each: the chance of the order is the AUC itself.
  expect(perfectOrder(1, 1)).toBeCloseTo(0.025, 12)
})

test('the interval of the accuracy covers the rate at least as often as it says', async () => {
  // Somebody who is right with probability 0.85, 40 records, 400 worlds; exact intervals err on the wide side.
  const draw = rng(5).fork('coverage')
  let covered = 0
  for (let run = 0; run < 400; run++) {
    const rows = Array.from({ length: 40 }, (_, i) => [0, i % 2])
    const values = rows.map(([, s]) => (draw.uniform() < 0.85 ? s! : 1 - s!))
    const { also } = await scored(claimOf(values), graded(rows))
    if (also.lowAccuracy! <= 0.85 && 0.85 <= also.highAccuracy!) covered++
  }
  expect(covered / 400).toBeGreaterThanOrEqual(0.95 - 3 * Math.sqrt((0.05 * 0.95) / 400))
  expect(covered).toBeLessThan(400)
})

test('a categorical attribute: levels by their nearest encoding', async () => {
  const region: Sensitive = {
    name: 's',
    columns: ['s', 't'],
    kind: 'categorical',
    values: [[0, 0], [1, 0], [0, 1]], // biome-ignore format: a row each
  }
  const truth = truthOf({
    clients: { c: tableOf(['s', 't'], [[0, 0], [0.999999, 0], [0, 1.000001], [0, 1]]) }, // biome-ignore format: a row each
  })
  const score = await scored(claimOf([0, 1, 2, 1]), { truth, known: { sensitive: [region] } })
  expect(score).toMatchObject({ metric: 'auc', accuracy: 0.75, chance: 0.5, intervalKind: 'bootstrap' })
  // First value 1; second: one of three pairs tied, 5/6; third: one of two found, 3/4.
  expect(score.value).toBeCloseTo((1 + 5 / 6 + 3 / 4) / 3, 12)
  expect(score.also).toMatchObject({ bestConstantInHindsight: 0.5, chanceAccuracy: 1 / 3 })
  const turned = await scored(claimOf([1, 2, 1, 0]), {
    truth: truthOf({ clients: { c: tableOf(['s', 't'], [[0, 1], [0, 1], [1, 0], [0, 0]]) } }), // biome-ignore format: a row each
    known: { sensitive: [region] },
  })
  expect(turned.value).toBe(score.value)
  expect(turned.interval).toEqual(score.interval)
  expect(score.also.balancedAccuracy).toBeCloseTo((1 + 1 + 0.5) / 3, 12)
})

describe('a continuous attribute', () => {
  const bmi: Sensitive = { name: 's', columns: ['s'], kind: 'continuous', range: [0, 10] }
  const rows = [1, 2, 3, 6].map((s) => [s * 10, s])
  const at = (known: Known = {}) => graded(rows, { sensitive: [bmi], ...known })

  test('R2 against the mean of the auxiliary data, MAE beside it', async () => {
    // Mean 3, spread 4 + 1 + 0 + 9 = 14; claimed off by 1, 0, 0, 2: R2 = 1 - 5/14. An auxiliary mean of 3: R2 = 0.
    const auxiliary = tableOf(['x', 's'], [[0, 1], [1, 5]]) // biome-ignore format: a row each
    const known = at({ auxiliary })
    const score = await scored(claimOf([2, 2, 3, 4]), known)
    expect(score).toMatchObject({ metric: 'R2', chance: 0, better: 'higher', intervalKind: 'bootstrap' })
    expect(score.guesser).toBe('the mean of the auxiliary data')
    expect(score.value).toBeCloseTo(9 / 14, 12)
    expect(score.lift).toBeCloseTo(9 / 14, 12)
    expect(score.also.MAE).toBeCloseTo(3 / 4, 12)
    expect([...(score.perRecord as Float64Array)]).toEqual([1, 0, 0, 2])
    expect((await scored(claimOf([3, 3, 3, 3]), known)).lift).toBe(0)
    expect(await scored(claimOf([1, 2, 3, 6]), known)).toMatchObject({ value: 1, lift: 1 })
    const alone = await scored(claimOf([2, 2, 3, 4]), at())
    expect(alone).toMatchObject({ chance: null, lift: null, also: { bestConstantInHindsight: 0 } })
  })

  test('who can regress on public columns is the chance level', async () => {
    const auxiliary = tableOf(
      ['x', 's'],
      Array.from({ length: 50 }, (_, i) => [i, i / 10]),
    )
    const records = tableOf(
      ['x', 's'],
      rows.map(([x]) => [x!, NONE]),
    )
    const score = await scored(claimOf([1, 2, 3, 6]), at({ auxiliary, records }))
    expect(score.guesser).toBe('ridge regression on the public columns, trained on auxiliary data')
    expect(score.chance).toBeGreaterThan(0.99)
    expect(score.also.meanOfAuxiliary).toBeLessThan(0)
  })

  test('neither figure nor interval depends on the order of the records', async () => {
    const straight = Array.from({ length: 25 }, (_, i) => i)
    const inOrder = (order: readonly number[]) =>
      scored(
        claimOf(order.map((i) => i + Math.sin(i))),
        graded(
          order.map((i) => [0, i]),
          { sensitive: [bmi] },
        ),
      )
    const { value, interval } = await inOrder(straight)
    const other = await inOrder(straight.map((i) => (7 * i) % 25))
    expect(other.value).toBeCloseTo(value, 12)
    expect(other.interval![0]).toBeCloseTo(interval![0], 12)
    expect(other.interval![1]).toBeCloseTo(interval![1], 12)
  })

  test('standard errors: how many truths lie within two', async () => {
    const { also } = await scored(claimOf([2, 2, 3, 4], { confidence: [0.5, 1, 1, 1.1] }), at())
    expect(also.coverage95).toBe(3 / 4) // 1 > 0.98, 2 < 2.16
  })

  test('constant truth and single records are graded by MAE', async () => {
    for (const same of [
      [[0, 0.1]],
      [
        [0, 0.1],
        [1, 0.1],
        [2, 0.1],
      ],
    ]) {
      const score = await scored(claimOf(same.map(() => 0.3)), graded(same, { sensitive: [bmi] }))
      expect(score).toMatchObject({ metric: 'MAE', better: 'lower', chance: null, lift: null })
      expect(score.also.bestConstantInHindsight).toBe(0)
      expect(score.value).toBeCloseTo(0.2, 12)
    }
  })
})

describeWithShared('medical data', () => {
  test('has the trivial baselines that were measured: majority 79.5, "charges > 16,100" 93.0', async () => {
    const lines = readFileSync(`${sharedFolder()}/data/medical/insurance.csv`, 'utf8').trim().split(/\r?\n/).slice(1)
    const cells = lines.map((line) => line.split(','))
    const rows = cells.map((cell) => [Number(cell[0]), Number(cell[4] === 'yes')])
    const labels = cells.map((cell) => Number(cell[6]))
    const { also, notes } = await scored(claimOf(rows.map(() => 0)), graded(rows, { labels }))
    expect(also.bestConstantInHindsight).toBeCloseTo(1064 / 1338, 12)
    expect(also.thresholdAccuracy).toBeCloseTo(0.93, 2)
    expect(Math.abs(also.threshold! - 16_100)).toBeLessThan(500)
    expect(notes[0]).toContain('"label > 1')
  })
})
