import { describe, expect, test } from 'vitest'
import { type Node, node, sameShape, schedule, shapeText, sizeOf, unify } from './graph.js'

const shape = { rows: 2, cols: 3 }
const input = (name: string): Node => node('input', { name, sparse: false, picked: false }, [], shape)
const add = (a: Node, b: Node): Node => node('add', {}, [a, b], shape)

test('shapes', () => {
  expect([sizeOf(shape), shapeText(shape), sizeOf({ rows: 0, cols: 9 })]).toEqual([6, '[2 x 3]', 0])
  expect(sameShape(shape, { rows: 2, cols: 3 })).toBe(true)
  expect(sameShape(shape, { rows: 2, cols: 2 })).toBe(false)
  expect(sameShape(shape, { rows: 3, cols: 3 })).toBe(false)
})

describe('the order of nodes', () => {
  test('operands come before users, each once, from left to right', () => {
    const [a, b, c] = [input('a'), input('b'), input('c')]
    const ab = add(a, b)
    const all = add(ab, add(c, ab))
    expect(schedule([all])).toEqual([a, b, ab, c, all.inputs[1], all])
    expect(schedule([c, all, c, ab])).toEqual([c, a, b, ab, all.inputs[1], all])
    expect(schedule([])).toEqual([])
  })
  test('a chain longer than the stack of calls', () => {
    let last = input('a')
    for (let i = 0; i < 50_000; i++) last = node('relu', {}, [last], shape)
    expect(schedule([last])).toHaveLength(50_001)
  })
})

describe('equal nodes made one', () => {
  test('by what they do, to what, in which shape', () => {
    const [a, b] = [input('a'), input('b')]
    const [first, second] = unify([add(a, b), add(a, b)])
    expect(first).toBe(second)
    const apart = unify([add(a, b), add(b, a), node('sub', {}, [a, b], shape), node('scale', { by: 2 }, [a], shape), node('scale', { by: 3 }, [a], shape), node('slice', { offset: 0 }, [a], { rows: 1, cols: 6 }), node('slice', { offset: 0 }, [a], { rows: 6, cols: 1 })]) // biome-ignore format: a list
    expect(new Set(apart).size).toBe(7)
  })
  test('and what is made of them, while others stay the nodes that they are', () => {
    const a = input('a')
    const same = input('a')
    const sum = add(a, input('b'))
    const [one, other, kept] = unify([node('exp', {}, [add(a, a)], shape), node('exp', {}, [add(same, a)], shape), sum])
    expect(one).toBe(other)
    expect(kept).toBe(sum)
    const [, changed] = unify([a, node('exp', {}, [same], shape)])
    expect(changed).toMatchObject({ op: 'exp', rows: 2, cols: 3 })
    expect(changed!.inputs[0]).toBe(a)
  })
  test('lists of columns are told apart', () => {
    const a = input('a')
    const gathered = (index: number[]) => node('gatherCols', { index }, [a], { rows: 2, cols: 2 })
    const [x, y, z] = unify([gathered([0, 1]), gathered([1, 0]), gathered([0, 1])])
    expect(x).toBe(z)
    expect(x).not.toBe(y)
  })
})
