import { describe, expect, test } from 'vitest'
import { seriesOf } from '../../../test/linear-federation.js'
import type { Exchange } from '../../threat/granted-keys.js'
import { messagesOf } from './turn-matrices.js'

const third = 1 / 3
const doubles = Float64Array.of(third, 2 * third, -5 * third)
const singles = doubles.map(Math.fround)
const received = Float64Array.of(0.7, -0.1, 3.3)

const read = (update: Exchange['update'], more: Partial<Exchange> = {}) =>
  messagesOf({ exchanges: seriesOf([{ round: 0, received, learningRate: 0.5, update, ...more }]), target: 'x' })

describe('the precision in which a client computed', () => {
  test('double, of parameters: half a unit in the last place of the largest that it was sent', async () => {
    const { bits, rounding } = await read({ kind: 'parameters', theta: doubles })
    expect(bits).toBe(53)
    expect(rounding / (3.3 * 2 ** -53)).toBeCloseTo(1, 6)
  })

  test('single, of parameters', async () => {
    const { bits, rounding } = await read({ kind: 'parameters', theta: singles })
    expect(bits).toBe(24)
    expect(rounding / (3.3 * 2 ** -24)).toBeCloseTo(1, 6)
  })

  test('single, of a difference in doubles from a model in singles', async () => {
    const sent = Float64Array.of(0.5, -0.125, 3.25)
    const near = sent.map((v, j) => singles[j]! - v)
    const found = await read({ kind: 'delta', dTheta: near }, { received: sent })
    expect(found.bits).toBe(24)
    expect(found.rounding / (3.25 * 2 ** -24)).toBeCloseTo(1, 6)
  })

  test('of a gradient: that of its own largest number', async () => {
    const of = (grad: Float64Array, more: Partial<Exchange> = {}) => read({ kind: 'gradient', grad }, more)
    const unknown = await of(doubles, { learningRate: null })
    expect(unknown.bits).toBe(53)
    expect(unknown.rounding / (5 * third * 2 ** -53)).toBeCloseTo(1, 6)
    const coarse = await of(singles, { learningRate: null })
    expect([coarse.bits, coarse.rounding / (Math.abs(singles[2]!) * 2 ** -24)]).toEqual([24, 1])
    // The model that it makes is of single precision: rounding of that, over the rate.
    const made = await of(
      Float64Array.of(0.5, -0.125, 3.25).map((v, j) => (v - singles[j]!) / 0.25),
      { received: Float64Array.of(0.5, -0.125, 3.25), learningRate: 0.25 },
    )
    expect(made.bits).toBe(24)
    expect(made.rounding / (3.25 * 2 ** -24 * 4)).toBeCloseTo(1, 6)
  })

  test('of rounds of either kind: single where all that came back is, at the largest that was sent', async () => {
    const of = async (...exchanges: Partial<Exchange>[]) => {
      const made = exchanges.map((one, round) => ({ round, received, learningRate: 0.5, ...one }) as Exchange)
      const { bits, rounding } = await messagesOf({ exchanges: seriesOf(made), target: 'x' })
      return [bits, rounding * 2 ** 24]
    }
    const sent = Float64Array.of(0.5, -0.125, 3.25)
    const whole = { received: Float64Array.of(100, 0.5, 0.25), update: { kind: 'parameters', theta: singles } } as const
    const apart = { received: sent, update: { kind: 'delta', dTheta: sent.map((v, j) => singles[j]! - v) } } as const
    expect(await of(whole, apart)).toEqual([24, 100])
    const silent = { learningRate: null, update: { kind: 'gradient', grad: doubles } } as const
    expect((await of(whole, silent))[0]).toBe(53)
  })

  test('numbers on a grid are half a step off', async () => {
    const theta = Float64Array.from({ length: 40 }, (_, j) => Math.round(Math.sin(j) * 50) / 64)
    const { rounding } = await messagesOf({
      exchanges: seriesOf([
        { round: 0, received: theta.map((v) => v / 3), learningRate: 1, update: { kind: 'delta', dTheta: theta } },
      ]),
      target: 'x',
    })
    expect(rounding).toBe(1 / 128)
  })
})

test('what is not finite, received or descended, is named with its place', async () => {
  const broken = (value: number) => Float64Array.of(1, value, 2)
  await expect(read({ kind: 'delta', dTheta: broken(Number.NaN) })).rejects.toThrow(
    'round 0: value 1 is NaN; the training diverged',
  )
  const sent = { received: broken(Number.POSITIVE_INFINITY) }
  await expect(read({ kind: 'gradient', grad: doubles }, sent)).rejects.toThrow('round 0: value 1 is Infinity')
  const sizes = 'round 0 holds 3 and 2 values, not 3'
  await expect(read({ kind: 'delta', dTheta: Float64Array.of(1, 2) })).rejects.toThrow(sizes)
  await expect(read({ kind: 'gradient', grad: Float64Array.of(1, 2, 3, 4) })).rejects.toThrow('3 and 4 values, not 3')
})

test('rates: rounds that do not say theirs stay as they are, and gradients do not hang on it', async () => {
  const theta = Float64Array.of(1)
  const one = (round: number, learningRate: number | null): Exchange => ({
    ...{ round, received: Float64Array.of(3), learningRate, update: { kind: 'parameters', theta } },
  })
  const of = async (...exchanges: Exchange[]) => {
    const { descent, warnings } = await messagesOf({ exchanges: seriesOf(exchanges), target: 'x' })
    return [[...descent.data], warnings.length]
  }
  expect(await of(one(0, null), one(1, 0.5), one(2, 0.25))).toEqual([[2, 2, 4], 1])
  expect(await of(one(0, 0.5), one(1, 0.25), one(2, 0.5))).toEqual([[2, 4, 2], 1])
  expect(await of(one(0, 0.5), one(1, null), one(2, 0.5))).toEqual([[2, 2, 2], 0])
  expect(await of(one(0, null), one(1, null))).toEqual([[2, 2], 0])
  const shared: Exchange = { ...one(1, 0.25), update: { kind: 'gradient', grad: Float64Array.of(7) } }
  expect(await of(one(0, 0.5), shared)).toEqual([[2, 7], 0])
})
