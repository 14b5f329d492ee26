import { describe, expect, test } from 'vitest'
import { createEngine } from '../numeric/engine/engine.js'
import { begin, type DescentOptions, descend, descent, releaseDescent, shorten } from './descent.js'

/** A way down of two values, what it holds, and steps by given gradients. */
function wayOf(options: DescentOptions, start: readonly number[] = [1, -2]) {
  const engine = createEngine()
  const precision = 'f64'
  const [theta, grad] = [engine.allocate(16), engine.allocate(16)]
  const before = engine.inUse()
  const way = descent(options, { engine, precision, theta, d: 2 })
  const read = (at: number) => [...engine.view(precision, at, 2)]
  const load = (values: readonly number[]) => {
    engine.view(precision, theta.address, 2).set(values)
    begin(way)
  }
  load(start)
  let count = 0
  const step = (values: readonly number[], learningRate = 0.5) => {
    engine.view(precision, grad.address, 2).set(values)
    descend(way, grad.address, { learningRate, count: ++count })
    return read(theta.address)
  }
  const clipped = (values: readonly number[]) => {
    engine.view(precision, grad.address, 2).set(values)
    shorten(way, grad.address)
    return read(grad.address)
  }
  return { way, engine, before, step, load, clipped }
}
const near = (found: readonly number[], wanted: readonly number[]): void => {
  for (const [i, x] of wanted.entries()) expect(found[i]).toBeCloseTo(x, 13)
}

describe('steps by hand', () => {
  test('plain, and with momentum that a new turn forgets', () => {
    expect(wayOf({}).step([2, 4])).toEqual([0, -4])
    const { step, load } = wayOf({ momentum: 0.5 })
    expect(step([2, 4])).toEqual([0, -4])
    // Velocities of 1 + 2 and 2 + 0.
    expect(step([2, 0])).toEqual([-1.5, -5])
    load([1, -2])
    expect(step([2, 4])).toEqual([0, -4])
  })
  test('pulled back to where the turn began', () => {
    const { step, load } = wayOf({ proxMu: 0.25 })
    expect(step([2, 4])).toEqual([0, -4])
    // Gradients of 0 + 0.25 (0 - 1) and 0 + 0.25 (-4 + 2).
    expect(step([0, 0])).toEqual([0.125, -3.75])
    load([0, 0])
    expect(step([0, 0])).toEqual([0, 0])
  })
  test('with weight decay in the gradient, or beside the step', () => {
    // Gradients of 2 + 0.5 and 4 - 1.
    expect(wayOf({ weightDecay: 0.5 }).step([2, 4])).toEqual([-0.25, -3.5])
    const { step } = wayOf({ weightDecay: 0.5, optimizer: { name: 'adamw', tiny: 0 } })
    // Shrunk to 3/4, then a step of the learning rate.
    near(step([2, -4]), [0.75 - 0.5, -1.5 + 0.5])
  })
  test('by an optimizer of its own, whose memory a new turn forgets', () => {
    const { step, load } = wayOf({ optimizer: { name: 'adagrad', tiny: 0 } })
    near(step([3, -3]), [0.5, -1.5])
    near(step([4, 0]), [0.5 - 0.4, -1.5])
    load([1, -2])
    near(step([3, -3]), [0.5, -1.5])
    const counted = wayOf({ optimizer: { name: 'adam', beta1: 0.5, beta2: 0.5, tiny: 0 } })
    near(counted.step([2, 2]), [0.5, -2.5])
    near(counted.step([2, 2]), [0, -3])
    counted.load([1, -2])
    near(counted.step([7, -7]), [0.5, -1.5])
  })
  test("by Adam, whose moments outlive a turn, with the paper's settings unless told", () => {
    const { step, load } = wayOf({ adam: { beta1: 0.5, beta2: 0.75, tiny: 1 } })
    near(step([4, -4]), [1 - 0.4, -2 + 0.4])
    load([1, 1])
    // m = 0.5 * 2 + 0.5 * 8 over 0.75, v = 0.75 * 4 + 0.25 * 64 over 1 - 0.75^2.
    const moved = (0.5 * (5 / 0.75)) / (Math.sqrt(19 / 0.4375) + 1)
    near(step([8, -8]), [1 - moved, 1 + moved])
    const usual = wayOf({ adam: {} })
    near(usual.step([3, 1e-8]), [1 - 0.5 * (3 / (3 + 1e-8)), -2 - 0.25])
    const m = 0.9 * 0.3 + 0.1 * 1
    const v = 0.999 * 0.009 + 0.001
    const second = (0.5 * (m / (1 - 0.81))) / (Math.sqrt(v / (1 - 0.999 ** 2)) + 1e-8)
    near(usual.step([1, 0]).slice(0, 1), [1 - 0.5 * (3 / (3 + 1e-8)) - second])
  })
})

describe('gradients that are too long', () => {
  test('are shortened to the norm, less what PyTorch adds', () => {
    const { clipped } = wayOf({ clipNorm: 2 })
    const by = 2 / (5 + 1e-6)
    near(clipped([3, -4]), [3 * by, -4 * by])
    expect(clipped([1.2, -1.6 + 1e-5])).toEqual([1.2, -1.6 + 1e-5])
    expect(wayOf({}).clipped([3, -4])).toEqual([3, -4])
    expect(wayOf({ clipNorm: null }).clipped([3, -4])).toEqual([3, -4])
    near(wayOf({ clipNorm: 2 }).step([3, -4]), [1 - 1.5 * by, -2 + 2 * by])
  })
})

test('a gradient need not be written down where nothing is done with it but a step', () => {
  const direct = (options: DescentOptions) => wayOf(options).way.direct
  expect([{}, { optimizer: { name: 'sgd' } }, { momentum: 0, proxMu: 0, weightDecay: 0, clipNorm: null }].map(direct)).toEqual([true, true, true]) // biome-ignore format: a list
  const others = [{ momentum: 0.1 }, { proxMu: 0.1 }, { weightDecay: 0.1 }, { clipNorm: 1 }, { adam: {} }, { optimizer: { name: 'rmsprop' } }] // biome-ignore format: a list
  expect(others.map(direct)).toEqual(others.map(() => false))
})

test('all memory comes back, and only what is needed is taken', () => {
  const lines = (options: DescentOptions) => {
    const { way, engine, before } = wayOf(options)
    const taken = engine.inUse() - before
    releaseDescent(way)
    expect(engine.inUse()).toBe(before)
    return taken / 64
  }
  // Nine settings take two lines of a cache, every vector of two values one.
  const needs = [{}, { momentum: 0.1 }, { proxMu: 1 }, { adam: {} }, { optimizer: { name: 'adam' } }, { momentum: 0.1, proxMu: 1 }] // biome-ignore format: a list
  expect(needs.map(lines)).toEqual([2, 3, 4, 3, 3, 5])
})

describe('what means nothing is refused', () => {
  test.each([
    [{ momentum: 1 }, 'momentum is 1; a number from 0 to below 1 is needed'],
    [{ momentum: -0.1 }, 'momentum is -0.1'],
    [{ momentum: 0.1, adam: {} }, 'momentum is 0.1 beside Adam; Adam has moments of its own: choose one'],
    [{ momentum: 0.1, optimizer: { name: 'adam' } }, 'momentum is 0.1 beside the optimizer adam; momentum is for sgd'],
    [{ adam: {}, optimizer: { name: 'rmsprop' } }, 'Adam beside the optimizer rmsprop'],
    [{ weightDecay: -1 }, 'weightDecay is -1; a number from 0 is needed'],
    [{ weightDecay: Number.POSITIVE_INFINITY }, 'weightDecay is Infinity'],
    [{ clipNorm: 0 }, 'clipNorm is 0; a positive number or null is needed'],
    [{ clipNorm: Number.NaN }, 'clipNorm is NaN'],
    [{ proxMu: -1 }, 'proxMu is -1; a number from 0 is needed'],
    [{ proxMu: Number.POSITIVE_INFINITY }, 'proxMu is Infinity'],
    [{ optimizer: { name: 'lucky' } }, 'lucky'],
  ] as const)('%j', (options, message) => expect(() => wayOf(options)).toThrow(message))
  test('and nothing else', () => {
    for (const options of [{ momentum: 0.999 }, { momentum: 0, adam: {} }, { momentum: 0.1, optimizer: { name: 'sgd' } }, { adam: {}, optimizer: { name: 'sgd' } }, { clipNorm: 1e-9 }]) expect(() => wayOf(options)).not.toThrow() // biome-ignore format: a list
  })
})
