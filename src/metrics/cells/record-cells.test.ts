import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tableOf, truthOf } from '../../../test/hand-truth.js'
import type { AttributeClaim, Claim, OwnClaim } from '../../attacks/claim.js'
import { functionsOf } from '../../models/functions.js'
import { linear } from '../../models/linear.js'
import { logistic } from '../../models/logistic.js'
import { softmaxRegression } from '../../models/softmax.js'
import { add, removeFrom } from '../../registry.js'
import type { Sensitive } from '../../transcript/knowledge-file.js'
import { type Asked, defineMetric, type Known, needed } from '../grading.js'
import { metrics, scoreClaim } from '../index.js'
import type { Score } from '../score.js'
import type { Gradable } from './gradable.js'
import { gradable } from './index.js'

function ready(claim: Claim | OwnClaim, asked: Asked): Gradable {
  const found = gradable(claim, asked)
  if ('missing' in found) throw new Error(found.missing.join())
  return found
}
async function scored(claim: Claim, { table, known }: Asked): Promise<Score> {
  const score = await scoreClaim(claim, { truth: truthOf({ clients: { c: table } }), known })
  if ('missing' in score) throw new Error(score.missing.join())
  return score
}
const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i)

const colour: Sensitive = {
  name: 'colour',
  columns: ['r', 'g'],
  kind: 'categorical',
  values: [
    [0, 0],
    [1, 0],
    [0, 1],
  ],
}
const smoker: Sensitive = { name: 's', columns: ['s'], kind: 'binary', values: [[0], [1]] }
const age: Sensitive = { name: 'age', columns: ['age'], kind: 'continuous', range: [0, 100] }
const claimOf = (name: string, values: readonly number[], confidence?: readonly number[]): AttributeClaim => ({
  kind: 'attribute',
  client: 'c',
  name,
  values,
  ...(confidence && { confidence }),
})
const coloured = (truth: readonly number[], more: Known = {}): Asked => ({
  table: tableOf(
    ['r', 'g'],
    truth.map((level) => [...colour.values[level]!]),
  ),
  known: { sensitive: [colour], ...more },
})
const smokers = (truth: readonly number[], more: Known = {}): Asked => ({
  table: tableOf(
    ['s'],
    truth.map((s) => [s]),
  ),
  known: { sensitive: [smoker], ...more },
})

/** The macro AUC by its definition: every pair looked at. */
function plainAuc(truth: readonly number[], score: (row: number, level: number) => number, rows: readonly number[]) {
  const areas: number[] = []
  for (const level of [0, 1, 2]) {
    const ones = rows.filter((i) => truth[i] === level)
    const zeros = rows.filter((i) => truth[i] !== level)
    if (ones.length === 0 || zeros.length === 0) continue
    let sum = 0
    for (const i of ones) {
      for (const j of zeros)
        sum += score(i, level) > score(j, level) ? 1 : score(i, level) === score(j, level) ? 0.5 : 0
    }
    areas.push(sum / (ones.length * zeros.length))
  }
  return areas.length === 0 ? 0.5 : areas.reduce((a, b) => a + b, 0) / areas.length
}

const people = fc.array(
  fc.record({
    truth: fc.nat(2),
    value: fc.nat(2),
    confidence: fc.constantFrom(0, 0.2, 0.5, 0.9, 1),
    asked: fc.boolean(),
  }),
  { maxLength: 30 },
)

describe('a discrete attribute on any rows', () => {
  test('is graded by what a comparison of all pairs gives', () => {
    fc.assert(
      fc.property(people, (all) => {
        const truth = all.map((one) => one.truth)
        const rows = upTo(all.length).filter((i) => all[i]!.asked)
        const claim = claimOf(
          'colour',
          all.map(({ value }) => value),
          all.map(({ confidence }) => confidence),
        )
        const score = (i: number, level: number): number =>
          all[i]!.value === level ? all[i]!.confidence : (1 - all[i]!.confidence) / 2
        const cell = ready(claim, coloured(truth))
        expect(cell.on(rows)).toBeCloseTo(plainAuc(truth, score, rows), 12)
        expect(cell.on(rows.toReversed())).toBe(cell.on(rows))
        if (rows.length === 0) return
        const hits = rows.filter((i) => all[i]!.truth === all[i]!.value).length
        expect(cell.also!(rows).accuracy).toBeCloseTo(hits / rows.length, 12)
      }),
    )
  })
  test('does not depend on the order of the records', () => {
    fc.assert(
      fc.property(people, fc.nat(), (all, shift) => {
        const n = all.length
        const moved = upTo(n).map((i) => (i + shift) % Math.max(1, n))
        const cellOf = (order: readonly number[]): Gradable =>
          ready(
            claimOf(
              'colour',
              order.map((i) => all[i]!.value),
              order.map((i) => all[i]!.confidence),
            ),
            coloured(order.map((i) => all[i]!.truth)),
          )
        const rows = upTo(n).filter((i) => all[i]!.asked)
        const back = rows.map((i) => moved.indexOf(i))
        expect(cellOf(moved).on(back)).toBe(cellOf(upTo(n)).on(rows))
      }),
    )
  })
  test('on all rows has the figures of the score', async () => {
    const asked = smokers([0, 1, 1, 0, 1, 0, 0])
    const claim = claimOf('s', [0, 1, 0, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.7, 0.6, 0.9, 0.5])
    const score = await scored(claim, asked)
    const cell = ready(claim, asked)
    expect(cell).toMatchObject({ metric: 'AUC', better: 'higher', best: 1, of: 'records' })
    expect(cell.on(upTo(7))).toBeCloseTo(score.also.AUC ?? score.value, 14)
    expect(cell.also!(upTo(7)).balancedAccuracy).toBeCloseTo(score.also.balancedAccuracy!, 14)
    expect([...cell.right!]).toEqual([...(score.perRecord as Uint8Array)])
    expect([...cell.sure!]).toEqual([0.9, 0.8, 0.7, 0.7, 0.6, 0.9, 0.5])
  })
  test('by hand: ties count half, the advantage is the true less the false positive rate', () => {
    const cell = ready(claimOf('s', [1, 1, 0, 0, 1]), smokers([1, 0, 0, 0, 1]))
    // Members 0 and 4 score 1; others 1, 0, 0: 2 x (1/2 + 1 + 1) of 6 pairs.
    expect(cell.on(upTo(5))).toBeCloseTo(5 / 6, 14)
    expect(cell.also!(upTo(5)).advantage).toBeCloseTo(1 - 1 / 3, 14)
    expect(cell.on([0, 4])).toBe(0.5)
    expect(cell.on([])).toBe(0.5)
    expect(cell.on([2])).toBe(0.5)
    expect(cell.also!([])).toEqual({})
    expect(cell.on([0, 2])).toBe(1)
  })
  test('refuses NaN, wrong lengths, and what is no probability', () => {
    const asked = smokers([0, 1])
    expect(() => ready(claimOf('s', [0, Number.NaN]), asked)).toThrow('values[1] is NaN')
    expect(() => ready(claimOf('s', [0]), asked)).toThrow('2 are needed')
    expect(() => ready(claimOf('s', [0, 2]), asked)).toThrow('values[1] is 2')
    expect(() => ready(claimOf('s', [0, 1], [0.5, Number.NaN]), asked)).toThrow('confidence[1]')
    expect(() => ready(claimOf('s', [0, 1], [0.5, 1.5]), asked)).toThrow('0..1')
  })
  test('names what is missing', () => {
    expect(gradable(claimOf('other', [0]), smokers([0]))).toEqual({ missing: ['sensitive.other'] })
    const empty = { table: tableOf(['s'], [[Number.NaN]]), known: { sensitive: [smoker] } }
    expect(gradable(claimOf('s', [0]), empty)).toEqual({ missing: ['records.s'] })
  })
})

describe('numbers on any rows', () => {
  const asked: Asked = { table: tableOf(['age'], [[10], [20], [30], [60]]), known: { sensitive: [age] } }
  const claim = claimOf('age', [12, 20, 27, 40])
  test('are graded by the mean absolute error, with R2 beside it', async () => {
    const cell = ready(claim, asked)
    expect(cell).toMatchObject({ metric: 'MAE', better: 'lower', best: 0, of: 'records' })
    expect(cell.on([0, 2])).toBe(2.5)
    expect(cell.on([1])).toBe(0)
    expect(cell.on([])).toBeNaN()
    expect(cell.also!([1])).toEqual({})
    const score = await scored(claim, asked)
    expect(cell.also!(upTo(4)).R2).toBeCloseTo(score.value, 14)
    expect(cell.on(upTo(4))).toBeCloseTo(score.also.MAE!, 14)
  })
  test('labels of records are graded alike', async () => {
    const table = tableOf(['x'], [[0], [1], [2]], { labels: [1, 2, 4] })
    const labels: Claim = { kind: 'labels', client: 'c', labels: [1, 0, 3] }
    expect(ready(labels, { table, known: {} }).on(upTo(3))).toBe(1)
    expect((await scored(labels, { table, known: {} })).value).toBe(1)
    const classes = ready(labels, { table, known: { classes: 5 } })
    expect(classes.metric).toBe('AUC')
    // Class 1: found alone, 1. Classes 2 and 4: never named, all tied, 0.5.
    expect(classes.on(upTo(3))).toBeCloseTo(2 / 3, 14)
    expect([...classes.right!]).toEqual([1, 0, 0])
  })
})

describe('members', () => {
  const table = tableOf(
    ['x'],
    upTo(6).map((i) => [i]),
  )
  const asked: Asked = { table, known: { candidates: table } }
  test('are told from others by their scores, or by being named', () => {
    const claim = { kind: 'members', client: 'c', rows: [0, 1], scores: [3, 2, 2, 1, 5, 0] } as const
    const cell = ready(claim, asked)
    expect(cell.of).toBe('members')
    expect(cell.on([0, 1], [2, 3])).toBeCloseTo((1 + 1 + 0.5 + 1) / 4, 14)
    expect(cell.on([0, 1])).toBeCloseTo((3 + 0.5 + 2) / 8, 14)
    expect(cell.also!([0, 1], [2, 3])).toEqual({ tpr0: 0.5, finest: 0.5 })
    expect(ready({ kind: 'members', client: 'c', rows: [0, 1] }, asked).on([0, 2], [1, 3])).toBe(0.5)
    expect(cell.on([], [1])).toBe(0.5)
    expect(cell.on([1], [])).toBe(0.5)
  })
  test('refuse NaN', () => {
    const claim = { kind: 'members', client: 'c', rows: [], scores: [1, 2, Number.NaN, 1, 1, 1] } as const
    expect(() => ready(claim, asked)).toThrow('scores[2] is NaN')
  })
})

describe('a model', () => {
  test('has the mean of its losses, which on all rows is its loss', () => {
    const functions = functionsOf(linear({ inputs: 1, outputs: 1 }), { lossScale: 0.5 })
    const table = tableOf(['x'], [[0], [1], [2]], { labels: [1, 2, 5] })
    const theta = Float64Array.of(2, 1)
    const cell = ready({ kind: 'model', client: 'c', theta }, { table, known: { functions } })
    expect(cell).toMatchObject({ metric: 'loss', better: 'lower', best: null, of: 'records' })
    expect(cell.on([0])).toBe(0)
    expect(cell.on([1])).toBe(0.5)
    expect(cell.on([])).toBeNaN()
    expect(cell.on(upTo(3))).toBeCloseTo(functions.loss(theta, { features: table.features, labels: table.labels! }), 14)
    expect(cell.also!(upTo(3)).MAE).toBeCloseTo(1 / 3, 14)
  })
  test('has an accuracy where labels are classes', () => {
    const functions = functionsOf(softmaxRegression({ inputs: 1, outputs: 3 }))
    const table = tableOf(['x'], [[1], [1], [-1]], { labels: [0, 2, 1] })
    const theta = Float64Array.of(2, -2, 0, 0, 0, 0)
    const cell = ready({ kind: 'model', client: 'c', theta }, { table, known: { functions, classes: 3 } })
    expect(cell.also!([0, 1])).toEqual({ accuracy: 0.5 })
    expect(cell.also!(upTo(3)).accuracy).toBeCloseTo(2 / 3, 14)
    const one = (i: number) =>
      functions.loss(theta, { features: tableOf(['x'], [[i]]).features, labels: Float64Array.of(2) })
    expect(cell.on([1])).toBeCloseTo(one(1), 14)
  })
  test('of one output names the class above a half; an overflow is the worst loss; nobody has no loss', () => {
    const functions = functionsOf(logistic({ inputs: 1 }))
    const table = tableOf(['x'], [[-2], [1], [3]], { labels: [0, 1, 0] })
    const cell = ready(
      { kind: 'model', client: 'c', theta: Float64Array.of(1, 0) },
      { table, known: { functions, classes: 2 } },
    )
    expect(cell.also?.([0, 1, 2])).toEqual({ accuracy: 2 / 3 })
    expect(cell.on([0])).toBeCloseTo(Math.log1p(Math.exp(-2)), 10)
    const line = functionsOf(linear({ inputs: 1, outputs: 1 }))
    const asked: Asked = { table, known: { functions: line } }
    const worst = ready({ kind: 'model', client: 'c', theta: Float64Array.of(1e200, 0) }, asked)
    expect(worst.on([0])).toBe(Number.MAX_VALUE)
    expect(worst.on([0, 1, 2])).toBe(Number.MAX_VALUE)
    const fine = ready({ kind: 'model', client: 'c', theta: Float64Array.of(1, 0) }, asked)
    expect(fine.also?.([0, 1, 2])).toEqual({ R2: expect.closeTo(1 - 13 / (2 / 3), 12), MAE: 5 / 3 })
    const nobody: Asked = { table: tableOf(['x'], [], { labels: [] }), known: { functions: line } }
    const empty = ready({ kind: 'model', client: 'c', theta: Float64Array.of(1, 0) }, nobody)
    expect(empty.on([])).toBeNaN()
    expect(empty.also?.([])).toEqual({})
  })
  test('needs the functions and the labels', () => {
    const theta = Float64Array.of(0)
    expect(gradable({ kind: 'model', client: 'c', theta }, smokers([1]))).toEqual({ missing: ['model'] })
    const functions = functionsOf(linear({ inputs: 1, outputs: 1 }))
    expect(gradable({ kind: 'model', client: 'c', theta }, smokers([1], { functions }))).toEqual({
      missing: ['records.label'],
    })
  })
})

describe("a claim of a kind of one's own", () => {
  test('is graded by the cell that comes with its metric', () => {
    const grade = () => {
      throw new Error('not asked')
    }
    const cell = (claim: OwnClaim, { table }: Asked): Gradable => {
      const [labels] = needed(['records.label', table.labels])
      const on = (rows: ArrayLike<number>): number => Math.abs(Number(claim.value) - labels[rows[0]!]!)
      return { metric: 'error', better: 'lower', best: 0, of: 'batch', on }
    }
    add(metrics, defineMetric({ id: 'own-first', title: 'the first label', grade, cell }), 'a test')
    add(metrics, defineMetric({ id: 'own-other', title: 'without a cell', grade }), 'a test')
    try {
      const table = tableOf(['x'], [[1], [2]], { labels: [4, 7] })
      expect(ready({ kind: 'own-first', value: 5 }, { table, known: {} }).on([1])).toBe(2)
      expect(gradable({ kind: 'own-first', value: 5 }, smokers([1]))).toEqual({ missing: ['records.label'] })
      expect(gradable({ kind: 'own-other' }, smokers([1]))).toEqual({ missing: ['metric.own-other.cell'] })
      expect(() => gradable({ kind: 'own-unknown' }, smokers([1]))).toThrow('own-unknown')
    } finally {
      removeFrom('a test')
    }
  })
})
