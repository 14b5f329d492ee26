import { describe, expect, test } from 'vitest'
import { type Matrix, matrix, matrixOf, multiply } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import { partsOf, patternsIn, recordIn } from './unit-patterns.js'

const identity = (n: number) => Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => +(i === j)))

/** A unit for each record alone and one for each two: no other zeros and ones lie in the span of their columns. */
function pairsOf(n: number): number[][] {
  const one = identity(n)
  const two = one.flatMap((a, i) => one.slice(0, i).map((b) => a.map((x, k) => x + b[k]!)))
  return [...one, ...two]
}

const columnsOf = (rows: readonly (readonly number[])[]) => rows[0]!.map((_, k) => rows.map((row) => row[k]!).join(''))
const texts = (choice: readonly Float64Array[]) => choice.map((s) => s.join('')).sort()

describe('patterns', () => {
  test.each([1, 2, 3, 5, 14])('%d records, alone and in pairs: the only choice', (n) => {
    const rows = pairsOf(n)
    const q = matrix(n, n + 3, rng(n).normals(n * (n + 3)))
    const { rank, choices } = patternsIn(multiply(matrixOf(rows), q), 1e-9)
    expect(rank).toBe(n)
    expect(choices.map(texts)).toEqual([columnsOf(rows).sort()])
  })

  test('of nothing there are none, and of more than the most none are tried', () => {
    expect(patternsIn(matrix(4, 3), 1e-9)).toEqual({ rank: 0, choices: [] })
    expect(patternsIn(matrixOf(pairsOf(15)), 1e-9)).toEqual({ rank: 15, choices: [] })
  })

  test('units with a record each leave every set of sums open; too many sets are not tried', () => {
    const { rank, choices } = patternsIn(matrixOf(identity(3)), 1e-9)
    expect([rank, choices.length, new Set(choices.map((one) => texts(one).join())).size]).toEqual([3, 35, 35])
    expect(choices.every((one) => one.length === 3)).toBe(true)
    expect(patternsIn(matrixOf(identity(4)), 1e-9)).toEqual({ rank: 4, choices: [] })
  })

  test('an entry may be off a zero or a one by a twentieth, and is nothing else', () => {
    const choices = (third: number[]) => patternsIn(matrixOf([[1, 0], [0, 1], third]), 1e-9).choices.map(texts)
    expect(choices([1.04, 0])).toHaveLength(3)
    expect(choices([1.06, 0])).toEqual([])
    expect(choices([1, 0.04])).toHaveLength(3)
    expect(choices([2, 0])).toEqual([])
    expect(choices([-1, 0])).toEqual([])
    expect(choices([0.5, 0.5])).toEqual([])
  })

  test('what lies below the tolerance adds no record', () => {
    const V = matrixOf([
      [1, 0],
      [1, 1e-4],
    ])
    expect(patternsIn(V, 1e-5).rank).toBe(2)
    expect(patternsIn(V, 1e-3)).toEqual({ rank: 1, choices: [[Float64Array.of(1, 1)]] })
  })
})

describe('parts', () => {
  const q = [
    [4, -2, 2],
    [3, 9, -3],
  ]
  const V: Matrix = multiply(
    matrixOf([
      [1, 0],
      [1, 1],
      [0, 1],
      [1, 1],
    ]),
    matrixOf(q),
  )

  test('a row a record, and from it the record and its share', () => {
    const Q = partsOf(V, [Float64Array.of(1, 1, 0, 1), Float64Array.of(0, 1, 1, 1)])!
    expect([Q.rows, Q.cols]).toEqual([2, 3])
    for (const [at, x] of q.flat().entries()) expect(Q.data[at]).toBeCloseTo(x, 12)
    expect(recordIn(matrixOf(q), 0)).toEqual({ x: Float64Array.of(2, -1), scale: 2 })
    expect(recordIn(matrixOf(q), 1)).toEqual({ x: Float64Array.of(-1, -3), scale: -3 })
  })

  test('every row counts, the first and the last', () => {
    const Q = partsOf(matrixOf([[3], [8]]), [Float64Array.of(1, 1), Float64Array.of(0, 1)])!
    for (const [k, x] of [3, 5].entries()) expect(Q.data[k]).toBeCloseTo(x, 12)
  })

  test('none of patterns that depend on each other', () => {
    const [a, b] = [Float64Array.of(1, 1, 0, 0), Float64Array.of(0, 0, 1, 1)]
    expect(partsOf(V, [a, b, Float64Array.of(1, 1, 1, 1)])).toBe(undefined)
    expect(partsOf(V, [a, a])).toBe(undefined)
  })
})
