import { describe, expect, test } from 'vitest'
import { tableOf } from '../../test/hand-truth.js'
import { rng } from '../numeric/random/rng.js'
import { predictLevels, predictNumbers, publicInputs } from './public-only.js'

/** Two columns of noise and a label; a level that is x > 10 y, and a number that is linear in both. */
function world(seed: number, n: number) {
  const draw = rng(seed).fork('world')
  const rows = Array.from({ length: n }, () => [draw.normal({ std: 10 }), draw.normal()])
  const labels = Array.from({ length: n }, () => draw.normal({ mean: 5 }))
  return {
    table: tableOf(['x', 'noise'], rows, { labels }),
    levels: Int32Array.from(rows, ([x], i) => Number(x! > 10 * (labels[i]! - 5))),
    numbers: Float64Array.from(rows, ([x], i) => 100 + 2 * x! - 4 * labels[i]!),
  }
}
const share = (a: Int32Array, b: Int32Array) => a.filter((v, i) => v === b[i]).length / a.length

describe('the public-only predictor', () => {
  const [train, test_] = [world(1, 300), world(2, 200)]
  const inputs = publicInputs(train.table, test_.table, { hidden: [], label: true })!

  test('learns levels from columns and label', () => {
    expect(share(predictLevels(inputs, train.levels, 2), test_.levels)).toBeGreaterThan(0.95)
  })
  test('takes each of several labels as a column', () => {
    const doubled = ({ table }: typeof train) => ({
      ...table,
      labels: Float64Array.from({ length: 2 * table.labels!.length }, (_, i) =>
        i % 2 === 0 ? i : table.labels![i >> 1]!,
      ),
    })
    const both = publicInputs(doubled(train), doubled(test_), { hidden: [], label: true })!
    expect([both.train.cols, both.test.cols]).toEqual([4, 4])
    expect(share(predictLevels(both, train.levels, 2), test_.levels)).toBeGreaterThan(0.93)
  })
  test('needs the label for it', () => {
    const without = publicInputs(train.table, test_.table, { hidden: [], label: false })!
    expect(without.train.cols).toBe(2)
    expect(share(predictLevels(without, train.levels, 2), test_.levels)).toBeLessThan(0.85)
  })
  test('learns numbers', () => {
    const found = predictNumbers(inputs, train.numbers)
    for (let i = 0; i < found.length; i++) expect(Math.abs(found[i]! - test_.numbers[i]!)).toBeLessThan(1)
  })
  test('never guesses a level that does not occur', () => {
    // Its weights run off to minus infinity but for the penalty.
    const guess = predictLevels(inputs, train.levels, 3)
    expect(guess.includes(2)).toBe(false)
  })
  test('gives the same every time', () => {
    expect(predictLevels(inputs, train.levels, 2)).toEqual(predictLevels(inputs, train.levels, 2))
  })
})

describe('the public columns', () => {
  const auxiliary = tableOf(
    ['b', 'a', 'same'],
    [
      [1, 10, 3],
      [3, 30, 3],
    ],
    { labels: [0, 1] },
  )

  test('are found by name, scaled by the auxiliary data, without those that do not vary or are hidden', () => {
    const records = tableOf(['a', 'same', 'b', 'other'], [[20, 3, 5, 1]])
    const { train, test: own } = publicInputs(auxiliary, records, { hidden: [], label: true })!
    expect([...train.data]).toEqual([-1, -1, 1, 1])
    expect([...own.data]).toEqual([0, 3])
    const fewer = publicInputs(auxiliary, records, { hidden: ['b'], label: true })!
    expect([...fewer.test.data]).toEqual([0])
  })
  test('leave out columns that the records lack', () => {
    const records = tableOf(['a', 'b'], [[20, Number.NaN]])
    expect(publicInputs(auxiliary, records, { hidden: [], label: true })!.test.cols).toBe(1)
    expect(publicInputs(auxiliary, records, { hidden: ['a'], label: true })).toBeUndefined()
  })
  test('predict a constant where the auxiliary truth is one', () => {
    const inputs = publicInputs(auxiliary, tableOf(['a'], [[20]]), { hidden: [], label: false })!
    expect([...predictNumbers(inputs, Float64Array.of(7, 7))]).toEqual([7])
    expect([...predictLevels(inputs, Int32Array.of(1, 1), 2)]).toEqual([1])
  })
})
