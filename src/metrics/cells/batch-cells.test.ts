import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tableOf, truthOf } from '../../../test/hand-truth.js'
import type { Claim } from '../../attacks/claim.js'
import type { Asked } from '../grading.js'
import { scoreClaim } from '../index.js'
import type { Score } from '../score.js'
import { contributionGradable, propertyGradable } from './client-cells.js'
import type { Gradable } from './gradable.js'
import { gradable } from './index.js'
import { recordsCell } from './records-cell.js'

function ready(claim: Claim, asked: Asked): Gradable {
  const found = gradable(claim, asked)
  if ('missing' in found) throw new Error(found.missing.join())
  return found
}
/** The score of the same claim where these rows are the batch. */
async function scored(claim: Claim, { table, known }: Asked, rows: readonly number[]): Promise<Score> {
  const truth = truthOf({ clients: { c: table }, batches: [{ round: 0, client: 'c', rows }] })
  const score = await scoreClaim(claim, { truth, known })
  if ('missing' in score) throw new Error(score.missing.join())
  return score
}
const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i)
const at = { client: 'c', round: 0 } as const

const records = [
  [0, 1],
  [2, 2],
  [5, -1],
  [1, 1],
  [0, 0],
]
const table = tableOf(['x', 'y'], records, { labels: [0, 1, 2, 1, 1], metaclasses: [0, 0, 1, 1, 2] })
const asked: Asked = { table, known: { classes: 3, metaclasses: ['a', 'b', 'c'] } }
const batches = [upTo(5), [3, 1], [2], [4, 0, 2]]

const claims: readonly Claim[] = [
  { kind: 'label-mean', ...at, value: 0.7 },
  { kind: 'metaclass-means', ...at, values: [1, 2, 0.5] },
  { kind: 'labels', ...at, labels: [1, 1, 0] },
  { kind: 'labels', ...at, labels: [1, 2], once: true },
  {
    kind: 'records',
    ...at,
    features: [
      [0, 1],
      [4, -1],
      [9, 9],
    ],
    labels: [],
  },
]

describe('a claim about a batch has on any rows the figure of its score', () => {
  for (const claim of claims) {
    test.each(batches)(`${claim.kind}: %j`, async (...rows) => {
      const cell = ready(claim, asked)
      const score = await scored(claim, asked, rows)
      expect(cell.of).toBe('batch')
      expect(cell.on(rows)).toBeCloseTo(score.value, 12)
      expect([cell.metric, cell.better]).toEqual([score.metric, score.better])
      expect(cell.on(rows.toReversed())).toBeCloseTo(score.value, 12)
      for (const [name, figure] of Object.entries(cell.also?.(rows) ?? {})) {
        // PSNR has another peak: that of the records asked about, which are all of the client's here.
        expect([name, figure]).toEqual([name, expect.closeTo(score.also[name]!, 10)])
      }
    })
    test(`${claim.kind}: no rows, no figure`, () => {
      expect(ready(claim, asked).on([])).toBeNaN()
    })
  }
  test('one label', async () => {
    const claim: Claim = { kind: 'label', ...at, value: 0.7 }
    expect(ready(claim, asked).on([2])).toBeCloseTo((await scored(claim, asked, [2])).value, 14)
  })
  test('counts that sum to the number of rows', async () => {
    const labels: Claim = { kind: 'label-counts', ...at, counts: [1, 2, 0] }
    const groups: Claim = { kind: 'metaclass-counts', ...at, values: [0.5, 1.5, 1] }
    for (const claim of [labels, groups]) {
      const [cell, score] = [ready(claim, asked), await scored(claim, asked, [4, 0, 2])]
      expect(cell.on([4, 0, 2])).toBeCloseTo(score.value, 14)
      expect(cell.also!([4, 0, 2]).ASR).toBeCloseTo(score.also.ASR!, 14)
    }
  })
})

describe('by hand', () => {
  test('counts of a smaller batch are scaled to the rows', () => {
    const cell = ready({ kind: 'label-counts', ...at, counts: [1, 1, 0] }, asked)
    // 2.5, 2.5, 0 against 1, 3, 1
    expect(cell.on(upTo(5))).toBeCloseTo((1.5 + 0.5 + 1) / 3, 14)
    expect(ready({ kind: 'label-counts', ...at, counts: [0, 0, 0] }, asked).on([0])).toBeCloseTo(1 / 3, 14)
  })
  test('a metaclass of which nothing is claimed is left out, and no figure is left where that was all', () => {
    const cell = ready({ kind: 'metaclass-means', ...at, values: [0.5, Number.NaN, 1] }, asked)
    expect(cell.on([0, 1, 2])).toBe(0)
    expect(cell.also!([0, 1, 2])).toEqual({ present: 2, claimed: 1 })
    expect(cell.on([2, 3])).toBeNaN()
    const wrong: Claim = { kind: 'metaclass-means', ...at, values: [0.5, Number.POSITIVE_INFINITY, 1] }
    expect(() => ready(wrong, asked)).toThrow('values[1] is Infinity')
    expect(() => ready({ kind: 'metaclass-means', ...at, values: [1] }, asked)).toThrow('there are 3 metaclasses')
  })
  test('exact records have no error on their own rows, and the first of too many count', () => {
    const cell = ready({ kind: 'records', ...at, features: [records[2]!, records[0]!], labels: [] }, asked)
    expect(cell.on([0, 2])).toBe(0)
    expect(cell.on([2])).toBe(0)
    // Only the first claimed record counts: [5, -1] against [0, 1] of length 1.
    expect(cell.on([0])).toBeCloseTo(Math.sqrt(29), 12)
    expect(cell.on([4])).toBeCloseTo(Math.sqrt(26), 12)
    expect(() => ready({ kind: 'records', ...at, features: [[Number.NaN, 0]], labels: [] }, asked)).toThrow('is NaN')
  })
  test('of several labels of a record the mean counts', () => {
    const two = tableOf(['x'], [[0], [1], [2]], { labels: [1, 3, 0, 6, 5, 5], metaclasses: [0, 1, 0] })
    const several: Asked = { table: two, known: {} } // means 2, 3, 5
    expect(ready({ kind: 'label-mean', ...at, value: 3 }, several).on([0, 1, 2])).toBeCloseTo(1 / 3, 14)
    const means = ready({ kind: 'metaclass-means', ...at, values: [3, 5] }, several)
    expect(means.on([0, 1, 2])).toBe((0.5 + 2) / 2)
    expect(means.also?.([1])).toEqual({ present: 1, claimed: 1 })
  })
  test('classes that nobody counted are those that occur in labels, claim or auxiliary data', () => {
    const uncounted = (labels: readonly number[], auxiliary?: readonly number[]): Asked => ({
      table: tableOf(['x'], [[0], [1], [2]], { labels }),
      known: auxiliary === undefined ? {} : { auxiliary: tableOf(['x'], [[0]], { labels: auxiliary }) },
    })
    const claim: Claim = { kind: 'labels', ...at, labels: [4, 1, 1] }
    const cell = ready(claim, uncounted([0, 1, 1]))
    expect(cell.on([0, 1, 2])).toBeCloseTo(2 / 3, 14)
    expect(cell.also?.([0, 1, 2])).toEqual({ cAcc: 1 / 2, classPrecision: 1 / 2 })
    expect(ready(claim, uncounted([4, 1, 1], [7])).on([0, 1, 2])).toBe(1)
    expect(ready({ kind: 'labels', ...at, labels: [0] }, uncounted([9, 0, 0])).on([1])).toBe(1)
  })
  test('what the records lack is named', () => {
    const bare: Asked = { table: tableOf(['x'], [[1]]), known: {} }
    expect(gradable({ kind: 'label-mean', ...at, value: 1 }, bare)).toEqual({ missing: ['records.label'] })
    expect(gradable({ kind: 'metaclass-counts', ...at, values: [1] }, bare)).toEqual({ missing: ['records.metaclass'] })
    expect(gradable({ kind: 'contribution', clients: [] }, bare)).toHaveProperty('missing')
  })
  test('values that are no numbers are refused', () => {
    expect(() => ready({ kind: 'label-mean', ...at, value: Number.NaN }, asked)).toThrow('value[0] is NaN')
    expect(() => ready({ kind: 'labels', ...at, labels: [Number.NaN] }, asked)).toThrow('labels[0] is NaN')
    expect(() => ready({ kind: 'label-counts', ...at, counts: [1, Number.NaN, 1] }, asked)).toThrow('counts[1] is NaN')
  })
})

describe('claims about clients', () => {
  const ids = ['a', 'b', 'c', 'd']
  const clients = [
    { id: 'a', probability: 0.9, positive: true },
    { id: 'b', probability: 0.2, positive: false },
    { id: 'c', probability: 0.2, positive: false },
  ]
  test('a property is ranked over the clients, who are denied where nothing is said of them', () => {
    const grade = propertyGradable({ clients }, ids)
    expect(grade(new Set(['a']))).toBe(1)
    expect(grade(new Set(['b']))).toBeCloseTo(1.5 / 3, 14)
    expect(grade(new Set(['d']))).toBe(0)
    expect(grade(new Set())).toBe(0.5)
    expect(grade(new Set(ids))).toBe(0.5)
    const odd = [{ id: 'a', probability: Number.NaN, positive: true }]
    expect(() => propertyGradable({ clients: odd }, ids)).toThrow('probability[0] is NaN')
  })
  test('swapping who has it and who has not turns the AUC round', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(4), fc.boolean()), { minLength: 2 }), (all) => {
        const names = all.map((_, i) => `c${i}`)
        const grade = propertyGradable(
          { clients: all.map(([p], i) => ({ id: names[i]!, probability: p / 4, positive: false })) },
          names,
        )
        const having = new Set(names.filter((_, i) => all[i]![1]))
        const others = new Set(names.filter((name) => !having.has(name)))
        expect(grade(having) + grade(others)).toBeCloseTo(1, 12)
      }),
    )
  })
  test('contributions by their order', () => {
    const grade = contributionGradable({ clients: ids.map((id, i) => ({ id, score: i })) })
    const truth = (values: readonly number[]) => new Map(ids.map((id, i) => [id, values[i]!]))
    expect(grade(truth([1, 5, 7, 100]))).toBe(1)
    expect(grade(truth([4, 3, 2, 1]))).toBe(-1)
    expect(grade(truth([1, 1, 1, 1]))).toBe(0)
    expect(() => grade(new Map([['a', 1]]))).toThrow('client "b" is not known')
  })
})

test('rebuilt records are graded as a batch, lower is better, and nothing is left at best', () => {
  const features = { rows: 2, cols: 2, data: Float64Array.of(3, 4, 0, 0) }
  const cell = recordsCell({ features: [[0, 0], [3, 4]] }, { table: { columns: ['a', 'b'], features }, known: {} }) // biome-ignore format: a line
  const { metric, better, best, of } = cell
  expect({ metric, better, best, of }).toEqual({ metric: 'normalised error', better: 'lower', best: 0, of: 'batch' })
  expect(cell.on(Int32Array.of(0, 1))).toBe(0)
  expect(cell.on(Int32Array.of(0))).toBe(1) // of more records than rows the first count
  expect(cell.on(Int32Array.of(1))).toBe(0)
  expect(cell.on(new Int32Array(0))).toBeNaN()
  const other = recordsCell({ features: [[3, 3]] }, { table: { columns: ['a', 'b'], features }, known: {} })
  expect(other.on(Int32Array.of(0, 1))).toBe(0.2)
  expect(other.also!(Int32Array.of(0, 1)).PSNR).toBeCloseTo(10 * Math.log10((16 * 2 * 2) / 1), 10)
})
