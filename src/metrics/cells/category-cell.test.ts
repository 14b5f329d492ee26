import { describe, expect, test } from 'vitest'
import { categoryCell, claimedScore } from './category-cell.js'

const all = (n: number) => Int32Array.from({ length: n }, (_, i) => i)
/** Claims beside the truth, all of one confidence. */
function cellOf(claimed: readonly number[], truth: readonly number[], levels: number, p = 0.75) {
  const [named, sure] = [Int32Array.from(claimed), new Float64Array(claimed.length).fill(p)]
  return categoryCell({ claimed: named, truth: Int32Array.from(truth), levels, sure, score: claimedScore(named, sure, levels) }) // biome-ignore format: a line
}

test('what is not claimed is shared among the other values', () => {
  const score = claimedScore(Int32Array.of(0, 2), Float64Array.of(0.5, 0.8), 3)
  expect([...score(0)]).toEqual([0.5, (1 - 0.8) / 2])
  expect([...score(2)]).toEqual([0.25, 0.8])
  expect([...claimedScore(Int32Array.of(0), Float64Array.of(0.25), 1)(1)]).toEqual([0.75])
})

describe('a cell of values', () => {
  test('says what it is', () => {
    const { metric, better, best, of, right } = cellOf([0, 1, 1], [0, 1, 0], 2)
    expect({ metric, better, best, of }).toEqual({ metric: 'AUC', better: 'higher', best: 1, of: 'records' })
    expect([...right!]).toEqual([1, 1, 0])
  })

  test('of three values: accuracy, its mean over values, and how far from chance that is', () => {
    // Value 0: one of two is right; value 1: both; value 2: none of one.
    const cell = cellOf([0, 1, 1, 1, 0], [0, 0, 1, 1, 2], 3)
    const { accuracy, balancedAccuracy, advantage } = cell.also!(all(5))
    expect(accuracy).toBeCloseTo(3 / 5, 14)
    expect(balancedAccuracy).toBeCloseTo(1 / 2, 14)
    expect(advantage).toBeCloseTo((1 / 2 - 1 / 3) / (2 / 3), 14)
    const two = cell.also!(Int32Array.of(0, 1, 2)) // the third value does not occur
    expect(two.balancedAccuracy).toBeCloseTo(3 / 4, 14)
    expect(two.advantage).toBeCloseTo(1 / 2, 14)
  })

  test('of rows with one value: no advantage, and nothing to tell apart', () => {
    const cell = cellOf([0, 1, 0], [0, 0, 1], 2)
    expect(cell.also!(Int32Array.of(0, 1))).toEqual({ accuracy: 0.5, balancedAccuracy: 0.5 })
    expect(cell.on(Int32Array.of(0, 1))).toBe(0.5)
  })

  test('is the mean of the areas of values that occur beside others', () => {
    expect(cellOf([0, 0, 1, 1], [0, 0, 1, 1], 2).on(all(4))).toBe(1)
    expect(cellOf([1, 1, 0, 0], [0, 0, 1, 1], 2).on(all(4))).toBe(0)
    // Value 0 is found, values 1 and 2 are taken for each other: 1, 1/3 and 1/3; level 3 is nobody's.
    const cell = cellOf([0, 0, 2, 1], [0, 0, 1, 2], 4)
    expect(cell.on(all(4))).toBeCloseTo((1 + 1 / 3 + 1 / 3) / 3, 14)
  })
})
