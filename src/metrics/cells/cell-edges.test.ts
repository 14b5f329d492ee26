import { describe, expect, test } from 'vitest'
import { tableOf } from '../../../test/hand-truth.js'
import { functionsOf } from '../../models/functions.js'
import { linear } from '../../models/linear.js'
import type { Sensitive } from '../../transcript/knowledge-file.js'
import type { Asked } from '../grading.js'
import { orMissing } from '../grading.js'
import { inClaimedGroups } from './claimed-clusters.js'
import { propertyGradable, rankedClients } from './client-cells.js'
import { labelCountsCell } from './counts-cell.js'
import { guessesFor } from './guesses.js'
import { trueClasses } from './labels-cell.js'
import { membersCell } from './members-cell.js'
import { modelCell } from './model-cell.js'
import { determinationOn } from './number-cell.js'
import { rankTest } from './rank-test.js'
import { aucBetween, ordered } from './roc.js'

const asked = (rows: readonly (readonly number[])[], labels?: readonly number[], known: Asked['known'] = {}): Asked => {
  const columns = rows[0]?.map((_, j) => `x${j}`) ?? ['x0']
  return { table: tableOf(columns, rows, labels && { labels }), known }
}

describe('groups that an attack made itself', () => {
  const groups = (rows: number[][], centres: number[][], scales = [1]) => [
    ...inClaimedGroups({ clusters: { centres, scales } }, asked(rows)).table.metaclasses!,
  ]

  test('hold the records nearest to their centre, the first of equals, however near all of them lie', () => {
    expect(groups([[0], [1], [2]], [[2], [0]])).toEqual([1, 0, 0])
    expect(groups([[0]], [[1e-10], [0]])).toEqual([1])
    expect(groups([[0, 3], [2, 0]], [[0, 0], [1, 3]], [0.1, 100])).toEqual([0, 1]) // biome-ignore format: a row each
  })

  test('ask for records with the columns that were clustered', () => {
    const of = () => inClaimedGroups({ clusters: { centres: [[0], [0, 1]], scales: [1, 1] } }, asked([[0]]))
    expect(orMissing(of)).toEqual({ missing: ['records with the columns that were clustered'] })
  })
})

describe('clients that are ranked', () => {
  const named = (probability: number | null, score?: number, id = 'a') => ({ id, positive: false, probability, ...(score !== undefined && { score }) }) // biome-ignore format: a line

  test('a client of whom nothing is said has a probability of 0, or less than the least score', () => {
    expect(rankedClients([named(0.2), named(0, undefined, 'b')])).toEqual({
      stated: Float64Array.of(0.2, 0),
      denied: 0,
    })
    const { denied } = rankedClients([named(null, -5), named(null, -3, 'b')])
    expect(denied).toBeLessThan(-5)
    const { stated } = rankedClients([named(null), named(0.3, undefined, 'b')])
    expect([...stated]).toEqual([0, 0.3])
  })

  test('a client with a probability of 0 ties with one that is not mentioned; a score of 0 lies above it', () => {
    const one = (clients: ReturnType<typeof named>[]) => propertyGradable({ clients }, ['a', 'other'])(new Set(['a']))
    expect([one([named(0)]), one([named(null, 0)]), one([named(null, -7)]), one([named(0.1)])]).toEqual([0.5, 1, 1, 1])
  })

  test('a number that is none is named after what it was', () => {
    expect(() => rankedClients([named(Number.NaN)])).toThrow('probability[0] is NaN')
    expect(() => rankedClients([named(null, Number.NaN)])).toThrow('score[0] is NaN')
  })
})

describe('claimed counts', () => {
  const cell = (counts: number[], labels: number[]) =>
    labelCountsCell(
      { counts },
      asked(
        labels.map(() => [0]),
        labels,
      ),
    )

  test('below zero match nothing, and what is claimed beyond the rows counts against the rest', () => {
    const found = cell([-1, 4], [1, 1, 1])
    expect(found.on([0, 1, 2])).toBe(1)
    expect(found.also!([0, 1, 2])).toEqual({ ASR: 3 / 4 })
  })

  test('that sum to nothing are taken as they are; no rows have no figures', () => {
    expect(cell([-2, 0], [1, 1]).on([0, 1])).toBe(2)
    expect(cell([1, 1], [1, 1]).also!([])).toEqual({})
    expect(cell([1, 1], [1, 1]).on([])).toBeNaN()
  })
})

test('classes are as many as labels name, and at least one', () => {
  expect(trueClasses(asked([[0], [0]], [0, 0]))).toEqual({ truth: Int32Array.of(0, 0), classes: 1 })
  expect(trueClasses(asked([[0]], [0]), [3]).classes).toBe(4)
  const auxiliary = tableOf(['x0'], [[0]], { labels: [5] })
  expect(trueClasses(asked([[0]], [2], { auxiliary }), [3]).classes).toBe(6)
})

test('a model that overflows to no number at all has the largest loss there is', () => {
  const known = { functions: functionsOf(linear({ inputs: 2, outputs: 1 })) }
  const cell = modelCell({ theta: [1e308, -1e308, 0] }, asked([[1e9, 1e9], [0, 0]], [0, 0], known)) // biome-ignore format: a line
  expect([cell.on([0]), cell.on([1])]).toEqual([Number.MAX_VALUE, 0])
})

test('the share explained is of rows that differ: of a single row there is none', () => {
  const of = (truth: number[], rows: number[]) =>
    determinationOn(Float64Array.of(1, 0, 0), Float64Array.from(truth), rows)
  expect([of([5, 5, 5], [0]), of([5, 5, 5], [0, 1]), of([5, 7, 5], [0, 1])]).toEqual([undefined, undefined, 0.5])
  expect(of([5, 7, 7], [0, 1, 2])).toBeCloseTo(1 - 1 / (8 / 3), 12)
})

test('among scores a single one has a place of its own', () => {
  expect(ordered([5])).toEqual({ places: Int32Array.of(0), count: 1, ones: Float64Array.of(0), zeros: Float64Array.of(0) }) // biome-ignore format: a line
  expect(aucBetween(ordered([5]), [0], [0])).toBe(0.5)
  expect(ordered([]).count).toBe(0)
})

test('one record beside the members shows a false-positive rate of 1 at the finest', () => {
  const cell = membersCell({ kind: 'members', client: 'c', rows: [0] }, asked([[0], [1], [2]]))
  expect(cell.also!([0, 1]).finest).toBe(1)
  expect(cell.also!([0]).finest).toBe(1 / 2)
  expect(cell.also!([0, 1, 2]).finest).toBeUndefined()
})

test('no share of choices is above 1', () => {
  for (let n = 2; n <= 40; n++) {
    // The m least: every choice ranks as high.
    for (const m of [1, Math.floor(n / 2), n - 1]) {
      const scores = Array.from({ length: n }, (_, i) => i)
      const { p, auc } = rankTest(scores, scores.map((i) => i < m))! // biome-ignore format: a line
      expect(p).toBeLessThanOrEqual(1)
      expect(p).toBeCloseTo(1, 12)
      expect(auc).toBe(0)
    }
  }
})

test('a column that is not told of the records is no input of a guess, though the grader has it', () => {
  const secret: Sensitive = { name: 's', columns: ['x1'], kind: 'binary', values: [[0], [1]] }
  const bits = [0, 1, 0, 1, 1, 0, 1, 0]
  // The last column gives the secret away, the first says nothing.
  const rows = bits.map((s, i) => [i % 3, s, 5 * s])
  const table = tableOf(['x0', 'x1', 'x2'], rows)
  const area = (told: readonly number[]) => {
    const seen = rows.map((row) => row.map((x, j) => (told.includes(j) ? x : Number.NaN)))
    const known = { auxiliary: table, sensitive: [secret], records: tableOf(table.columns, seen) }
    const [learned] = guessesFor({ kind: 'attribute', name: 's' }, { table, known })
    return learned!.gradable.on(bits.map((_, i) => i))
  }
  expect(area([0, 2])).toBe(1)
  expect(area([0])).toBeLessThan(0.9)
})
