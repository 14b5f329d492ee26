import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attributeAccuracyFloor } from './prop1.js'

/** Records of a linear model with the given residuals, attacked by least squared error; accuracy and mean square. */
function attacked(adds: readonly number[], records: readonly { level: number; residual: number }[]) {
  const right = records.filter(({ level, residual }) => {
    const y = adds[level]! + residual // the public part is subtracted on both sides
    const losses = adds.map((a) => (y - a) ** 2)
    return losses.indexOf(Math.min(...losses)) === level
  })
  const E = records.reduce((sum, { residual }) => sum + residual ** 2, 0) / records.length
  return { accuracy: right.length / records.length, E }
}

const some = fc.integer({ min: -300, max: 300 }).map((x) => x / 100)
const recordsOf = (levels: number) =>
  fc.array(fc.record({ level: fc.integer({ min: 0, max: levels - 1 }), residual: some }), {
    minLength: 1,
    maxLength: 30,
  })

describe('the floor under the accuracy', () => {
  test('holds for a binary attribute in any encoding', () => {
    fc.assert(
      fc.property(some, some, some, recordsOf(2), (theta, v0, v1, records) => {
        const { accuracy, E } = attacked([theta * v0, theta * v1], records)
        const floor = attributeAccuracyFloor({ meanSquaredError: E, weights: [theta], values: [[v0], [v1]] })
        expect(accuracy).toBeGreaterThanOrEqual(floor - 1e-9)
      }),
    )
  })

  test('holds for three levels in two columns', () => {
    const values = [
      [0, 0],
      [1, 0],
      [0, 1],
    ]
    fc.assert(
      fc.property(some, some, recordsOf(3), (a, b, records) => {
        const { accuracy, E } = attacked([0, a, b], records)
        const floor = attributeAccuracyFloor({ meanSquaredError: E, weights: [a, b], values })
        expect(accuracy).toBeGreaterThanOrEqual(floor - 1e-9)
      }),
    )
  })

  test('is reached: every wrong record at just half the gap', () => {
    // Gap 2: one of four records off by 1 goes to the other level. E = 1/4, floor 1 - 4 (1/4) / 4 = 3/4.
    const { accuracy, E } = attacked(
      [0, 2],
      [
        { level: 1, residual: -1 },
        { level: 1, residual: 0 },
        { level: 0, residual: 0 },
        { level: 0, residual: 0 },
      ],
    )
    expect(accuracy).toBe(0.75)
    expect(attributeAccuracyFloor({ meanSquaredError: E, weights: [1], values: [[0], [2]] })).toBe(0.75)
  })

  test('counts the encoding: standardised values widen or narrow the gap', () => {
    const at = (v0: number, v1: number) =>
      attributeAccuracyFloor({ meanSquaredError: 0.01, weights: [1], values: [[v0], [v1]] })
    expect(at(0, 1)).toBeCloseTo(0.96, 12) // the paper's {0, 1}
    expect(at(-0.5, 1.5)).toBeCloseTo(0.99, 12)
  })

  test('takes the nearest pair of levels', () => {
    const floor = attributeAccuracyFloor({
      meanSquaredError: 0.01,
      weights: [3, 3.5],
      values: [
        [0, 0],
        [1, 0],
        [0, 1],
      ],
    })
    expect(floor).toBeCloseTo(1 - 0.04 / 0.25, 12)
  })

  test('says nothing for a weight of zero or a poor fit, and all for one level', () => {
    expect(attributeAccuracyFloor({ meanSquaredError: 0, weights: [0], values: [[0], [1]] })).toBe(0)
    expect(attributeAccuracyFloor({ meanSquaredError: 9, weights: [1], values: [[0], [1]] })).toBe(0)
    expect(attributeAccuracyFloor({ meanSquaredError: 9, weights: [1], values: [[0]] })).toBe(1)
  })

  test('refuses what is no error or does not fit', () => {
    expect(() => attributeAccuracyFloor({ meanSquaredError: Number.NaN, weights: [1], values: [[0], [1]] })).toThrow(
      'mean squared error of NaN',
    )
    expect(() => attributeAccuracyFloor({ meanSquaredError: 1, weights: [1, 2], values: [[0], [1]] })).toThrow(
      'values[0] has 1 columns',
    )
  })
})
