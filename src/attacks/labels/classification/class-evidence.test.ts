import { describe, expect, test } from 'vitest'
import { matrixOf } from '../../../numeric/linalg/matrix.js'
import { Inapplicable } from '../../attack.js'
import { evidenceOf } from './class-evidence.js'
import type { ClassHead } from './class-head.js'

/** The gradient of a last layer of one input, by class. */
const headOf = (rows: readonly number[], gradB?: readonly number[]) =>
  ({
    gradW: matrixOf(rows.map((x) => [x])),
    ...(gradB !== undefined && { gradB: Float64Array.from(gradB) }),
  }) as unknown as ClassHead
const opaque = { model: { kind: 'opaque' } } as never
const signed = (rows: readonly number[], gradB?: readonly number[]) => evidenceOf(headOf(rows, gradB), opaque, 'signed')

describe('what the gradient says of each class', () => {
  test('positive activations: the rows as they are', () => {
    const { rows, from } = evidenceOf(headOf([1, -3, 2], [5, 6, 7]), opaque, 'positive')
    expect([from, [...rows.data]]).toEqual(['weights', [1, -3, 2]])
  })

  test("signed ones: the bias's gradient", () => {
    const { rows, from } = signed([1, -3, 2], [5, 6, -11])
    expect([from, [...rows.data]]).toEqual(['bias', [5, 6, -11]])
  })

  test('without a bias: turned so that few classes are low and many high', () => {
    // One class below zero, whichever way the input points.
    for (const sign of [1, -1]) {
      const { rows, from, weigh, warnings } = signed([-1, 0.5, 0.3, 0.2].map((x) => sign * x))
      expect(from).toBe('projection')
      expect([...rows.data]).toEqual([-1, 0.5, 0.3, 0.2])
      expect(weigh(Float64Array.of(2))).toBe(2 * sign)
      expect(warnings[0]).toContain('a guess')
    }
    // Two low ones outweigh a longer one above: nothing is turned.
    const many = [1, ...new Array<number>(8).fill(0.1), -0.9, -0.9]
    expect([...signed(many).rows.data]).toEqual(many)
    expect([...signed(many.map((x) => -x)).rows.data]).toEqual(many)
    // Where neither outweighs the other, the longest row that comes first is above.
    expect([...signed([1, -1, 0]).rows.data]).toEqual([1, -1, 0])
    expect([...signed([-1, 1, 0]).rows.data]).toEqual([1, -1, 0])
  })

  test('zeros say nothing, and of two classes either fits', () => {
    expect(() => signed([0, 0, 0])).toThrow(Inapplicable)
    expect(() => signed([0, 0, 0], [0, 0, 0])).toThrow(Inapplicable)
    expect(() => signed([1, -1])).toThrow('the signs of their gradients fit either')
    expect(signed([0, 0, 0], [1, -1, 0]).from).toBe('bias')
    expect(evidenceOf(headOf([0, 0], [1, -1]), opaque, 'positive').from).toBe('bias')
  })
})
