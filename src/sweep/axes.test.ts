import { describe, expect, test } from 'vitest'
import { axesOf, withValue } from './axes.js'

const axis = (input: unknown, search?: object, name = 'x') =>
  axesOf({ axes: { [name]: input }, ...(search !== undefined && { search }) } as never, 'f')[0]!
const shown = (input: unknown) => axis(input).places!.map((place) => place.shown)
const range = { from: 1, to: 9, scale: 'linear', whole: false }

describe('an axis', () => {
  test('is a list of values, or of variants', () => {
    const list = axis([1, 'a', null])
    expect(list.places).toEqual([1, 'a', null].map((value) => ({ shown: value, set: { x: value } })))
    expect(list.at(1)).toEqual({ shown: 'a', set: { x: 'a' } })
    expect(axis({ variants: { one: { a: 1 }, two: { b: 2 } } }).at('1')).toEqual({ shown: 'two', set: { b: 2 } })
    expect(() => axis([1, 2, 1])).toThrow('f: axes.x has a value twice')
    expect(() => axis({ variants: {} })).toThrow('f: axes.x has no variants')
  })

  test('or steps of a range, both ends among them', () => {
    expect(shown({ ...range, steps: 3 })).toEqual([1, 5, 9])
    expect(shown({ ...range, steps: 5 })).toEqual([1, 3, 5, 7, 9])
    expect(shown({ ...range, steps: 1 })).toEqual([1])
    const logs = shown({ ...range, scale: 'log', steps: 3 }) as number[]
    expect([logs[0], logs[2]]).toEqual([1, 9])
    expect(logs[1]).toBeCloseTo(3, 12)
    expect(shown({ ...range, to: 3, whole: true, steps: 9 })).toEqual([1, 2, 3])
    expect(axis({ ...range, steps: 3 }).at(1)).toEqual({ shown: 5, set: { x: 5 } })
  })

  test('which are exactly its ends, whatever rounding does between them', () => {
    for (let to = 2; to < 100; to++) {
      const logs = shown({ from: 1 / to, to, scale: 'log', whole: false, steps: 3 })
      expect([logs[0], logs[2]]).toEqual([1 / to, to])
    }
  })

  test('or a range that a search draws from', () => {
    expect(() => axis(range)).toThrow('f: axes.x is a range without steps')
    const drawn = axis(range, { method: 'random' })
    expect(drawn.places).toBeUndefined()
    expect(drawn.at(4.5)).toEqual({ shown: 4.5, set: { x: 4.5 } })
    expect(drawn.dimension).toMatchObject({ low: 1, high: 9 })
    expect(axis({ ...range, whole: true }, {}).dimension.kind).not.toBe(drawn.dimension.kind)
    expect(axis({ ...range, scale: 'log' }, {}).dimension).not.toEqual(drawn.dimension)
    expect(axis({ ...range, scale: 'log', whole: true }, {}).dimension).not.toEqual(axis({ ...range, whole: true }, {}).dimension) // biome-ignore format: a line
  })

  test('has a name that no column has', () => {
    expect(() => axis([1], undefined, 'seed')).toThrow('an axis is called "seed", as a column of the results is')
  })
})

describe('a value in a scenario', () => {
  test('takes the place of another, or a new one', () => {
    const json = { training: { rounds: 3 }, models: [{ kind: 'a' }, { kind: 'b' }] }
    expect(withValue(json, 'training.rounds', 5)).toEqual({ ...json, training: { rounds: 5 } })
    expect(withValue(json, 'seed', 5)).toEqual({ ...json, seed: 5 })
    expect(withValue(json, 'a.b.c', 5)).toEqual({ ...json, a: { b: { c: 5 } } })
    expect(withValue(json, 'models.1.kind', 'c')).toEqual({ ...json, models: [{ kind: 'a' }, { kind: 'c' }] })
    expect(withValue(json, 'models.0', 'c')).toEqual({ ...json, models: ['c', { kind: 'b' }] })
    expect(withValue({ x: 3 }, 'x.y', 1)).toEqual({ x: { y: 1 } })
    expect(withValue(null, 'x', 1)).toEqual({ x: 1 })
    expect(withValue({}, 'toString.x', 1)).toEqual({ toString: { x: 1 } })
    expect(json.training.rounds).toBe(3)
  })

  test('not beyond a list', () => {
    const json = { models: [1, 2] }
    for (const at of ['2', '-1', 'x', '1.5x', '01x'])
      expect(() => withValue(json, `models.${at.replace('.', '')}`, 1)).toThrow('of a list of 2')
  })
})
