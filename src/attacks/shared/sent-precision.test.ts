import { describe, expect, test } from 'vitest'
import type { Exchange } from '../../threat/granted-keys.js'
import type { AttackedUpdate } from './attacked-update.js'
import { precisionOf } from './sent-precision.js'
import { roundingOf } from './update-rounding.js'

/** n numbers from 1 on, each one unit in the last of `bits` places above the one before. */
const short = (bits: number, n: number) => Float64Array.from({ length: n }, (_, i) => 1 + (i + 1) * 2 ** (1 - bits))

describe('the precision of numbers', () => {
  test('is the shortest format that holds them all', () => {
    expect(precisionOf(short(8, 32))).toEqual({ name: 'bf16', rounding: 2 ** -8 })
    expect(precisionOf(short(9, 32))).toEqual({ name: 'f16', rounding: 2 ** -11 })
    expect(precisionOf(short(11, 32))).toEqual({ name: 'f16', rounding: 2 ** -11 })
    expect(precisionOf(short(12, 32))).toEqual({ name: 'f32', rounding: 2 ** -24 })
    expect(precisionOf(short(24, 32))).toEqual({ name: 'f32', rounding: 2 ** -24 })
    expect(precisionOf(short(25, 32))).toEqual({ name: 'f64', rounding: 2 ** -53 })
  })

  test('is short only of 32 numbers that are not 0', () => {
    expect(precisionOf(short(8, 31)).name).toBe('f32')
    expect(precisionOf(Float64Array.of(...short(8, 31), 0, -0)).name).toBe('f32')
    expect(precisionOf(Float64Array.of(...short(8, 32), 0)).name).toBe('bf16')
    expect(precisionOf(short(11, 31)).name).toBe('f32')
    expect(precisionOf(Float64Array.of(0.5)).name).toBe('f32')
    expect(precisionOf(new Float64Array(40)).name).toBe('f64')
    expect(precisionOf(new Float64Array(0)).name).toBe('f64')
  })

  test('is that of the one number that needs most, whatever its sign', () => {
    expect(precisionOf(Float64Array.of(...short(8, 40), -1 - 2 ** -23)).name).toBe('f32')
    expect(precisionOf(Float64Array.of(1 / 3, ...short(8, 40))).name).toBe('f64')
    expect(precisionOf(short(8, 32).map((v) => -v)).name).toBe('bf16')
  })

  test('is double of what no shorter format reaches', () => {
    for (const far of [2 ** 1000, 2 ** -1000, 2 ** 931, 2 ** -931, Number.POSITIVE_INFINITY, Number.NaN]) {
      expect(precisionOf(Float64Array.of(far)).name).toBe('f64')
    }
    expect(precisionOf(Float64Array.of(2 ** 900, -(2 ** -900))).name).toBe('f32')
  })
})

describe('the rounding of an update', () => {
  const grad = Float64Array.of(3, 4)
  const theta = Float64Array.of(6, 8)
  const rounding = (update: Exchange['update'], about: Partial<AttackedUpdate> = {}) =>
    roundingOf({ update } as Exchange, { grad, theta, unit: 0.5, ...about } as AttackedUpdate)

  test('of a gradient is its own', () => {
    expect(rounding({ kind: 'gradient', grad: Float64Array.of(0.5, 1) })).toBe(2 ** -24)
    expect(rounding({ kind: 'gradient', grad: Float64Array.of(0.1, 1) }, { theta: undefined })).toBe(2 ** -53)
  })

  test('of a model is that of its parameters, which the step magnifies', () => {
    // |theta| = 10 against 0.5 * 5.
    const after = Float64Array.of(5, 7)
    expect(rounding({ kind: 'parameters', theta: after })).toBe(4 * 2 ** -24)
    expect(rounding({ kind: 'parameters', theta: after }, { unit: -0.5 })).toBe(4 * 2 ** -24)
    expect(rounding({ kind: 'parameters', theta: Float64Array.of(5, 0.1) })).toBe(4 * 2 ** -53)
    // A change is that of the model behind it.
    expect(rounding({ kind: 'delta', dTheta: Float64Array.of(-1, -1) })).toBe(4 * 2 ** -24)
    expect(rounding({ kind: 'delta', dTheta: Float64Array.of(-1, -0.1) })).toBe(4 * 2 ** -53)
    const odd = { theta: Float64Array.of(0.1, 0), grad: Float64Array.of(0.2, 0) }
    expect(rounding({ kind: 'delta', dTheta: Float64Array.of(0.4, 0) }, odd)).toBe(2 ** -24)
  })

  test('is all of it where the size is not known', () => {
    const after = { kind: 'parameters', theta } as const
    expect(rounding(after, { theta: undefined })).toBe(1)
    expect(rounding(after, { unit: null })).toBe(1)
    expect(rounding(after, { grad: new Float64Array(2) })).toBeGreaterThan(1e300)
  })
})
