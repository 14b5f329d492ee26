import { describe, expect, test } from 'vitest'
import { matrixOf } from '../../../numeric/linalg/matrix.js'
import type { Solved } from './metaclass-solvers.js'
import { clipped, onSimplex, wholeCounts } from './whole-counts.js'

const of = (...values: number[]) => Float64Array.from(values)

test('clipped: nothing below 0, the rest in its proportions; equal where nothing is left', () => {
  expect([...clipped(of(1, -5, 3), 8)]).toEqual([2, 0, 6])
  expect([...clipped(of(-1, -2, 0, 0), 8)]).toEqual([2, 2, 2, 2])
  expect([...clipped(of(0, 0.5), 3)]).toEqual([0, 3])
})

describe('on the simplex', () => {
  const found = (b: readonly number[], columns: readonly number[], { beta = 0, K = 2 } = {}) => {
    const scaled = { A: matrixOf([[1, 0], [0, 1]]), b: Float64Array.from(b), columns: Float64Array.from(columns) } // biome-ignore format: one line
    return onSimplex({ scaled, beta } as unknown as Solved, K)
  }
  const near = (values: Float64Array, expected: readonly number[]) => {
    for (const [i, v] of expected.entries()) expect(values[i]!).toBeCloseTo(v, 9)
  }

  test('the nearest numbers that sum to K, none below 0', () => {
    near(found([1.2, 1.4], [1, 1]), [0.9, 1.1])
    near(found([3, 0.5], [1, 1]), [2, 0])
    near(found([3, 0.5], [1, 1], { K: 5 }), [3.75, 1.25])
  })

  test('the sum is of the unknowns in their own units', () => {
    // (2 x - 1)^2 + (y - 1)^2 with x + y = 2: 2 (2 x - 1) = y - 1.
    near(found([1, 1], [2, 1]), [0.6, 1.4])
  })

  test('a penalty on the scaled unknowns counts as they do', () => {
    // beta 1: (4 x)^2 and (2 y)^2 by half more: 8 x - 2 + 0 = 4 y / 2 - 1 + 0, so 16 x - 4 = 4 y - 2.
    near(found([1, 1], [2, 1], { beta: 1 }), [0.5, 1.5])
    // beta 4 over x + y = 2 of (2, 0): x - 2 + 4 x = y + 4 y.
    near(found([2, 0], [1, 1], { beta: 4 }), [1.2, 0.8])
  })
})

test('whole: rounded down, the largest remainders up, the first of equals', () => {
  expect([...wholeCounts(of(1.5, 1.2, 0.3), 3)]).toEqual([2, 1, 0])
  expect([...wholeCounts(of(0.25, 1.25, 1.5), 3)]).toEqual([0, 1, 2])
  expect([...wholeCounts(of(0.5, 0.5, 1), 2)]).toEqual([1, 0, 1])
  expect([...wholeCounts(of(2, 1), 3)]).toEqual([2, 1])
  expect([...wholeCounts(of(0.9, 0.8), 5)]).toEqual([3, 2])
  expect([...wholeCounts(of(1.4, 1.3), 2.6)]).toEqual([2, 1])
})
