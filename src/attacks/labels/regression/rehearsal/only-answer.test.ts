import { describe, expect, test } from 'vitest'
import { distinct, onlyAnswer, startsOf } from './only-answer.js'
import type { Solution } from './rehearsal-stage.js'

const end = (misfit: number, c: readonly number[], settled = true): Solution => ({
  c: Float64Array.from(c),
  grad: new Float64Array(0),
  misfit,
  settled,
})

describe('the search begins', () => {
  const start = Float64Array.of(1, 7)
  const lists = (steps: number, shown: number) => startsOf({ start, steps, size: 5 }, shown).map((one) => [...one])

  test('where the labels are, for one step', () => {
    expect(lists(1, 2)).toEqual([[1, 7]])
  })
  test('with larger constants too for several, or with one of the usual size where none is shown', () => {
    expect(lists(2, 2)).toEqual([[1, 7], [2, 7], [6, 7], [20, 7]]) // biome-ignore format: a line
    expect(lists(2, -0.5)).toEqual([[1, 7], [-0.5, 7], [-1.5, 7], [-5, 7]]) // biome-ignore format: a line
    expect(lists(2, 0)).toEqual([[1, 7], [5, 7]]) // biome-ignore format: a line
    expect(lists(9, Number.NaN)).toEqual([[1, 7], [5, 7]]) // biome-ignore format: a line
  })
})

test('ends near each other are one, and those that ran away none', () => {
  const [a, near, far, lost] = [end(1, [200, 0]), end(0.5, [200, 3]), end(2, [200, 3.001]), end(Number.NaN, [0, 0])]
  expect(distinct([lost, a, near, far], 100)).toEqual([a, far]) // 1 % of 200 and 1 % of 100
  expect(distinct([a, near, far], 101)).toEqual([a])
  expect(distinct([a, near, far], 99)).toEqual([a, near])
  expect(distinct([end(1 / 0, [1])], 1)).toEqual([])
})

describe('the answer', () => {
  test('leaves least, the first of equals, of those that settled', () => {
    const [first, second] = [end(4, [0, 1]), end(4, [0, 2])]
    expect(onlyAnswer([end(1, [0], false), end(9, [0]), first, second], 1)).toBe(first)
    expect(onlyAnswer([second, first, end(Number.NaN, [0])], 1)).toBe(second)
  })

  test('is refused where nothing settled', () => {
    expect(() => onlyAnswer([], 1)).toThrow('no errors were found')
    expect(() => onlyAnswer([end(1, [0], false), end(Number.NaN, [0])], 1)).toThrow('no errors were found')
  })

  test('is refused where another constant leaves less than a quarter more', () => {
    const best = end(4, [0, 12])
    const beside = (c: number, misfit: number) => () => onlyAnswer([best, end(misfit, [c, 0])], 8) // of size 12 + 8
    expect(beside(1.01, 4.99)).toThrow('mean errors of 0 and of 1.01 explain the turn alike')
    expect(beside(-1.01, 4.99)).toThrow('mean errors of 0 and of -1.01')
    expect(beside(1, 4.99)()).toBe(best) // no further than a twentieth
    expect(beside(1.01, 5)()).toBe(best)
  })
})
