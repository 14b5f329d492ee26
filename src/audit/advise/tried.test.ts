import { expect, test } from 'vitest'
import { cheaper, front, keeps, safer, type Tried } from './tried.js'

const one = (id: string, size: number | null, more: Partial<Record<string, unknown>> = {}): Tried =>
  ({ id, worst: size === null ? null : { size }, open: [], useLost: 0, changes: [], cost: { messages: 1, localSteps: 1 }, ...more }) as unknown as Tried // biome-ignore format: a line
const cost = (messages: number | null, localSteps: number | null) => ({ cost: { messages, localSteps } })

test('a target is kept where every step was tested and none is larger', () => {
  expect(keeps(one('a', 0.1), 0.1)).toBe(true)
  expect(keeps(one('a', 0.11), 0.1)).toBe(false)
  expect(keeps(one('a', null), 0.1)).toBe(false)
  expect(keeps(one('a', 0.05, { open: ['x'] }), 0.1)).toBe(false)
})

test('the cheaper by use, then messages, then steps, then changes', () => {
  const sign = (a: object, b: object) => Math.sign(cheaper(one('a', 0, a), one('b', 0, b)))
  expect(sign({ useLost: 0.02 }, { useLost: 0.01 })).toBe(1)
  expect(sign({ useLost: 0.012 }, { useLost: 0.008 })).toBe(0)
  expect(sign({ useLost: -0.5 }, { useLost: 0 })).toBe(0)
  expect(sign({ useLost: null }, { useLost: 0.02 })).toBe(-1)
  expect(sign(cost(2, 1), cost(1, 5))).toBe(1)
  expect(sign(cost(1, 2), cost(1, 5))).toBe(-1)
  expect(sign(cost(null, null), cost(1, 1))).toBe(-1)
  expect(sign(cost(1, null), cost(1, 1))).toBe(-1)
  expect(sign({ changes: [1, 2] }, { changes: [1] })).toBe(1)
  expect(sign({ useLost: 0.02, ...cost(1, 1) }, { useLost: 0, ...cost(9, 9) })).toBe(1)
})

test('the safer by what is open, then by what is over the target, then the cheaper', () => {
  const order = (...list: Tried[]) => list.sort(safer(0.1)).map(({ id }) => id)
  expect(order(one('open', 0, { open: ['x'] }), one('leaks', 0.9))).toEqual(['leaks', 'open'])
  expect(order(one('more', 0.3), one('less', 0.2))).toEqual(['less', 'more'])
  expect(order(one('dear', 0.05, cost(3, 1)), one('cheap', 0.1))).toEqual(['cheap', 'dear'])
  expect(order(one('untested', null), one('leaks', 5))).toEqual(['leaks', 'untested'])
})

test('the front: nobody both leaks less and loses less', () => {
  const ids = (...list: Tried[]) => front(list).map(({ id }) => id)
  const [a, b, c] = [one('a', 0.5), one('b', 0.2, { useLost: 0.1 }), one('c', 0.3, { useLost: 0.2 })]
  expect(ids(b, a, c)).toEqual(['a', 'b'])
  expect(ids(a, one('same', 0.5))).toEqual(['a', 'same'])
  expect(ids(a, one('as good, less use', 0.5, { useLost: 0.1 }))).toEqual(['a'])
  expect(ids(a, one('leaks more', 0.6))).toEqual(['a'])
  expect(ids(one('open', 0, { open: ['x'] }), one('none', null), c)).toEqual(['c'])
  expect(ids(one('unknown', 0.5, { useLost: null }), one('gains', 0.6, { useLost: -0.1 }))).toEqual(['gains', 'unknown'])
}) // biome-ignore format: lists
