import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalMatrix } from '../../../test/matrices.js'
import { type Matrix, matrix, matrixOf, transpose } from '../linalg/matrix.js'
import { assignment } from './assignment.js'

/** Least cost over all injections of the shorter side. */
function byBruteForce(cost: Matrix): number {
  if (cost.rows > cost.cols) return byBruteForce(transpose(cost))
  const used = new Set<number>()
  const from = (i: number): number => {
    if (i === cost.rows) return 0
    let least = Infinity
    for (let j = 0; j < cost.cols; j++) {
      if (used.has(j)) continue
      used.add(j)
      least = Math.min(least, cost.data[i * cost.cols + j]! + from(i + 1))
      used.delete(j)
    }
    return least
  }
  return from(0)
}

function expectPairs(cost: Matrix): number {
  const { columnOfRow, totalCost } = assignment(cost)
  const taken = [...columnOfRow].filter((j) => j >= 0)
  expect(columnOfRow.length).toBe(cost.rows)
  expect(taken.length).toBe(Math.min(cost.rows, cost.cols))
  expect(new Set(taken).size).toBe(taken.length)
  expect(taken.every((j) => j < cost.cols)).toBe(true)
  const sum = columnOfRow.reduce((total, j, i) => total + (j < 0 ? 0 : cost.data[i * cost.cols + j]!), 0)
  expect(totalCost).toBeCloseTo(sum, 12)
  return totalCost
}

test('as cheap as the cheapest of all, up to 7 x 7, ties and negative costs included', () => {
  const size = fc.integer({ min: 0, max: 7 })
  const kinds = fc.constantFrom('ties', 'normal')
  fc.assert(
    fc.property(fc.integer(), size, size, kinds, (seed, rows, cols, kind) => {
      const drawn = normalMatrix({ seed, rows, cols })
      const cost = kind === 'normal' ? drawn : matrix(rows, cols, drawn.data.map(Math.round))
      expect(expectPairs(cost)).toBeCloseTo(byBruteForce(cost), 12)
    }),
    { numRuns: 150 },
  )
})

test('no exchange in a ring makes 60 x 80 cheaper', () => {
  const [rows, cols] = [60, 80]
  const cost = normalMatrix({ seed: 7, rows, cols })
  expectPairs(cost)
  const { columnOfRow } = assignment(cost)
  const owner = new Int32Array(cols).fill(-1)
  columnOfRow.forEach((j, i) => {
    owner[j] = i
  })
  // Bellman-Ford on rows: row i takes the column of row k, or a free column, and gives up its own.
  const saved = new Float64Array(rows + 1) // the last node: free columns
  for (let pass = 0; pass <= rows + 1; pass++) {
    let changed = false
    for (let i = 0; i < rows; i++) {
      const own = cost.data[i * cols + columnOfRow[i]!]!
      for (let j = 0; j < cols; j++) {
        const to = owner[j]! < 0 ? rows : owner[j]!
        const next = saved[i]! + cost.data[i * cols + j]! - own
        if (to !== i && next < saved[to]! - 1e-12) {
          saved[to] = next
          changed = true
        }
      }
      // giving one's column to the free ones costs nothing, so a path may end at any row
      if (saved[rows]! < saved[i]! - 1e-12) {
        saved[i] = saved[rows]!
        changed = true
      }
    }
    if (!changed) return
  }
  expect.unreachable('a ring of exchanges saves cost')
})

test('adding a constant to a row changes the cost by it and the pairs not at all', () => {
  const cost = normalMatrix({ seed: 3, rows: 12, cols: 12 })
  const plain = assignment(cost)
  const raised = assignment(
    matrix(
      12,
      12,
      cost.data.map((c, i) => c + (i < 12 ? 1e6 : 0)),
    ),
  )
  expect([...raised.columnOfRow]).toEqual([...plain.columnOfRow])
  expect(raised.totalCost - 1e6).toBeCloseTo(plain.totalCost, 8)
})

test('known cases and edges', () => {
  expect(
    assignment(
      matrixOf([
        [4, 1, 3],
        [2, 0, 5],
        [3, 2, 2],
      ]),
    ),
  ).toEqual({ columnOfRow: Int32Array.of(1, 0, 2), totalCost: 5 })
  expect([...assignment(matrixOf([[1], [0], [2]])).columnOfRow]).toEqual([-1, 0, -1])
  expect([...assignment(matrixOf([[5, 5, 5]])).columnOfRow]).toEqual([0])
  expect(assignment(matrix(0, 3)).totalCost).toBe(0)
  expect([...assignment(matrix(2, 0)).columnOfRow]).toEqual([-1, -1])
  expect(() => assignment(matrixOf([[NaN]]))).toThrow(/cost\[0, 0\] is NaN/)
})
