import { describe, expect, test } from 'vitest'
import { conditionNumber } from '../../numeric/linalg/condition.js'
import { matrix, rowsOf } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import { selectAtRandom, selectByCondition } from './select-messages.js'

const drawn = (n: number, k: number, seed = 1) => matrix(n, k, rng(seed).normals(n * k))

describe('select by condition', () => {
  test.each([
    [1, 1],
    [5, 1],
    [3, 3],
    [40, 3],
    [120, 9],
    [300, 12],
  ])('%d messages of %d columns: distinct rows, their own condition number', (n, k) => {
    const A = drawn(n, k)
    const { rows, condition } = selectByCondition(A)
    expect(new Set(rows).size).toBe(k)
    expect(Math.max(...rows)).toBeLessThan(n)
    expect(condition).toBe(conditionNumber(rowsOf(A, rows)))
  })

  test.each([1, 2, 3])('is better conditioned than the best of 20,000 random sets (seed %d)', (seed) => {
    const A = drawn(200, 8, seed)
    // What messages look like: columns of very different spread, and ones.
    for (let i = 0; i < 200; i++) {
      for (let j = 0; j < 7; j++) A.data[i * 8 + j]! *= 10 ** -j
      A.data[i * 8 + 7] = 1
    }
    const best = selectAtRandom(A, { draws: 20_000, rng: rng(seed) })
    expect(selectByCondition(A).condition).toBeLessThanOrEqual(best.condition)
  })

  test('finds the only rows that are independent', () => {
    const A = matrix(50, 3)
    for (let i = 0; i < 50; i++) A.data.set([1, 2, 3], 3 * i)
    A.data.set([0, 1, 0], 3 * 17)
    A.data.set([0, 0, 1], 3 * 31)
    const { rows, condition } = selectByCondition(A)
    expect([...rows]).toEqual(expect.arrayContaining([17, 31]))
    expect(condition).toBeLessThan(100)
  })

  test('says infinity of rows that are all alike', () => {
    const A = matrix(
      6,
      2,
      Float64Array.from({ length: 12 }, (_, i) => 1 + (i % 2)),
    )
    expect(selectByCondition(A).condition).toBeGreaterThan(1e15)
  })

  test('refuses fewer rows than columns', () => {
    expect(() => selectByCondition(drawn(3, 4))).toThrow('a square system needs at least 4')
  })
})

describe('select at random', () => {
  test('more draws of one stream are never worse, and the same stream gives the same set', () => {
    const A = drawn(60, 5)
    const few = selectAtRandom(A, { draws: 50, rng: rng(4) })
    const many = selectAtRandom(A, { draws: 3000, rng: rng(4) })
    expect(many.condition).toBeLessThanOrEqual(few.condition)
    expect(selectAtRandom(A, { draws: 3000, rng: rng(4) })).toEqual(many)
    expect(many.condition).toBeCloseTo(conditionNumber(rowsOf(A, many.rows)), 9)
  })

  test('tells how far it is', () => {
    const seen: number[] = []
    selectAtRandom(drawn(30, 3), { draws: 2500, rng: rng(1), tick: (done) => seen.push(done) })
    expect(seen).toEqual([1000, 2000, 2500])
  })

  test.each([
    [0, []],
    [1, [1]],
    [1000, [1000]],
    [1001, [1000, 1001]],
  ])('%d draws are so many, and no batch is empty', (draws, told) => {
    const seen: number[] = []
    const { rows } = selectAtRandom(drawn(30, 3), { draws, rng: rng(1), tick: (done) => seen.push(done) })
    expect(seen).toEqual(told)
    expect(rows).toHaveLength(draws === 0 ? 0 : 3)
  })
})
