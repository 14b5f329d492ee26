import { describe, expect, test } from 'vitest'
import { matrixOf, rowOf } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import { type SupposedView, supposedRecords } from './supposed-records.js'

const columns = ['x', 's']
const table = (rows: readonly (readonly number[])[]) => ({ columns, features: matrixOf(rows) })
const binary = { name: 's', columns: ['s'], kind: 'binary', values: [[-1], [3]], words: ['no', 'yes'] } as const
/** Twelve records in two heaps: s is 3 and the label is 7 where x is large, s is -1 and the label is 1 else. */
const heaps = Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? [100 + i, 3] : [i, -1]))
const auxiliary = { auxiliary: table(heaps), 'auxiliary.label': Float64Array.from(heaps, ([, s]) => (s === 3 ? 7 : 1)) }
const records = table([[104.5, Number.NaN], [6, Number.NaN], [105, Number.NaN]]) // biome-ignore format: one line
const supposed = (view: SupposedView, count = 4) => supposedRecords(view, count, rng(3))
const rowsOf = ({ features }: { features: ReturnType<typeof matrixOf> }) =>
  Array.from({ length: features.rows }, (_, i) => [...rowOf(features, i)])

describe('records of which something is not known', () => {
  test('borrow it, and their label, from those that are alike', () => {
    const found = supposed({ records, sensitive: [binary], ...auxiliary })!
    expect(found).toMatchObject({ own: true, blind: false, samples: 3 })
    expect(found.guesses).toHaveLength(4)
    for (const guess of found.guesses) {
      expect(rowsOf(guess)).toEqual([[104.5, 3], [6, -1], [105, 3]]) // biome-ignore format: one line
      expect([...guess.labels]).toEqual([7, 1, 7])
    }
  })

  test('are alike in their label, too, where it is known, as much as in all else', () => {
    // x says the lower heap by 40 of 106, the label says the upper one.
    const between = table([[40, Number.NaN]])
    const lent = (labels?: Float64Array) => {
      const view = { records: between, sensitive: [binary], ...auxiliary, ...(labels && { 'records.label': labels }) }
      return new Set(supposed(view, 12)!.guesses.map(({ features }) => features.data[1]!))
    }
    expect(lent()).toEqual(new Set([-1]))
    expect(lent(Float64Array.of(7))).toEqual(new Set([3]))
    expect(lent(Float64Array.of(1))).toEqual(new Set([-1]))
  })

  test('keep the label that is known of them, and borrow from one of five neighbours', () => {
    const many = Array.from({ length: 20 }, (_, i) => [i, i])
    const view = {
      records: table([[0, Number.NaN]]),
      'records.label': Float64Array.of(2.5),
      sensitive: [{ ...binary, kind: 'continuous', range: [0, 20] } as never],
      auxiliary: table(many),
      'auxiliary.label': new Float64Array(20),
    }
    const { guesses } = supposed(view, 60)!
    expect([...new Set(guesses.map(({ features }) => features.data[1]!))].sort()).toEqual([0, 1, 2, 3, 4])
    for (const { labels } of guesses) expect([...labels]).toEqual([2.5])
  })

  test('are drawn blindly where nobody can lend what is not known', () => {
    const label = { 'records.label': Float64Array.of(7, 1, 7) }
    expect(supposed({ records, sensitive: [binary], ...label })).toMatchObject({ own: true, blind: true })
    expect(supposed({ records, ...label })).toMatchObject({ blind: false })
    expect(supposed({ ...auxiliary, samples: 4 })).toMatchObject({ own: false, blind: false })
  })

  test('are in as many hands as are told, but no fewer than are known', () => {
    const view = { records, sensitive: [binary], ...auxiliary }
    expect(supposed({ ...view, samples: 10 })!.samples).toBe(10)
    expect(supposed({ ...view, samples: 2 })!.samples).toBe(3)
  })

  test('stay as they are where all is known', () => {
    const whole = table([[1, 3], [2, -1]]) // biome-ignore format: one line
    const { guesses } = supposed({ records: whole, 'records.label': Float64Array.of(5, 6) })!
    for (const guess of guesses) {
      expect(rowsOf(guess)).toEqual([[1, 3], [2, -1]]) // biome-ignore format: one line
      expect([...guess.labels]).toEqual([5, 6])
    }
  })
})

describe('without records alike', () => {
  const n = 2000
  const own = { records: table(Array.from({ length: n }, () => [1, Number.NaN])), 'records.label': new Float64Array(n) }
  const drawn = (sensitive: unknown) => {
    const { guesses } = supposed({ ...own, sensitive: [sensitive as never] }, 1)!
    return Array.from({ length: n }, (_, i) => guesses[0]!.features.data[2 * i + 1]!)
  }
  test('one of two values is as common as a mean of zero makes it', () => {
    const values = drawn(binary) // -1 and 3: three of four are -1
    expect(new Set(values)).toEqual(new Set([-1, 3]))
    expect(Math.abs(values.filter((v) => v === -1).length / n - 0.75)).toBeLessThan(0.04)
    const turned = drawn({ ...binary, values: [[3], [-1]] })
    expect(Math.abs(turned.filter((v) => v === -1).length / n - 0.75)).toBeLessThan(0.04)
  })
  test('values that no mean of zero can have, or more than two, are all as common', () => {
    expect(Math.abs(drawn({ ...binary, values: [[0], [4]] }).filter((v) => v === 0).length / n - 0.5)).toBeLessThan(
      0.04,
    )
    const three = drawn({ ...binary, kind: 'categorical', values: [[-1], [1], [2]] })
    for (const value of [-1, 1, 2])
      expect(Math.abs(three.filter((v) => v === value).length / n - 1 / 3)).toBeLessThan(0.04)
  })
  test('a number lies anywhere in its range', () => {
    const values = drawn({ ...binary, kind: 'continuous', range: [2, 6] })
    expect(Math.min(...values)).toBeGreaterThanOrEqual(2)
    expect(Math.min(...values)).toBeLessThan(2.1)
    expect(Math.max(...values)).toBeLessThan(6)
    expect(Math.max(...values)).toBeGreaterThan(5.9)
  })
  test('labels are those of anybody, where columns are others', () => {
    const other = { ...auxiliary, auxiliary: { ...auxiliary.auxiliary, columns: ['x', 'other'] } }
    const { guesses } = supposed({ records: own.records, sensitive: [binary], ...other }, 1)!
    expect(guesses[0]!.labels.length).toBe(n)
    expect(Math.abs(guesses[0]!.labels.filter((y) => y === 7).length / n - 0.5)).toBeLessThan(0.04)
    expect(new Set(guesses[0]!.labels)).toEqual(new Set([1, 7]))
  })
})

describe('where no record is known', () => {
  test('auxiliary records stand in for them, whole', () => {
    const found = supposed({ ...auxiliary, samples: 30 }, 3)!
    expect(found).toMatchObject({ own: false, samples: 30 })
    for (const guess of found.guesses) {
      expect(guess.features.rows).toBe(30)
      for (const [i, [x, s]] of rowsOf(guess).entries()) {
        expect(s).toBe(x! >= 100 ? 3 : -1)
        expect(guess.labels[i]).toBe(s === 3 ? 7 : 1)
      }
    }
    expect(found.guesses[0]).not.toEqual(found.guesses[1])
    expect(supposed(auxiliary)!.samples).toBe(12)
    expect(supposed({ ...auxiliary, records: table([]) })?.own).toBe(false)
  })

  test('and none of them either, or one that is no number, nothing can be supposed', () => {
    const bad = {
      ...auxiliary,
      'auxiliary.label': auxiliary['auxiliary.label'].map((y, i) => (i === 3 ? Number.NaN : y)),
    }
    const broken = { ...auxiliary, auxiliary: table([...heaps.slice(1), [1, Number.POSITIVE_INFINITY]]) }
    for (const view of [{}, { records }, { auxiliary: auxiliary.auxiliary }, bad, broken]) {
      expect(supposed(view as SupposedView)).toBeUndefined()
    }
  })
})
