import { describe, expect, test } from 'vitest'
import { optimizerOf, optimizers, ownNames } from './index.js'
import { raised } from './optimizer.js'

/** Where theta is after steps of given gradients, and what the optimizer then remembers. */
function stepped(spec: Parameters<typeof optimizerOf>[0], start: number[], grads: readonly number[][]) {
  const { entry, values } = optimizerOf(spec)
  const theta = Float64Array.from(start)
  const memory = Array.from({ length: entry.remembers }, () => new Float64Array(start.length))
  for (const [i, grad] of grads.entries()) {
    entry.step!({ theta, grad: Float64Array.from(grad), memory, learningRate: 0.5, count: i + 1 }, values)
  }
  return { theta: [...theta], memory: memory.map((one) => [...one]) }
}

test('powers by squaring are exact where they can be', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7, 13].map((t) => raised(3, t))).toEqual([1, 3, 9, 27, 81, 243, 729, 2187, 1594323])
  expect([raised(0.5, 10), raised(0, 0), raised(0, 3), raised(2, 31)]).toEqual([2 ** -10, 1, 0, 2147483648])
})

describe('steps by hand', () => {
  test('Adagrad divides by the root of the sum of squares', () => {
    // Sums of squares 9, then 25; 16, then 16.
    const { theta, memory } = stepped(
      { name: 'adagrad', tiny: 1 },
      [10, 20],
      [
        [3, -4],
        [4, 0],
      ],
    )
    expect(memory).toEqual([[25, 16]])
    expect(theta).toEqual([10 - 1.5 / 4 - 2 / 6, 20 + 2 / 5])
  })

  test('RMSprop divides by the root of the running mean square', () => {
    // 0.75 * 0 + 0.25 * 16 = 4, then 0.75 * 4 + 0.25 * 24^2 = 147 and 0.75 * 4 + 0.25 * 4 = 4.
    const { theta, memory } = stepped(
      { name: 'rmsprop', decay: 0.75, tiny: 2 },
      [1, 1],
      [
        [4, 4],
        [24, -2],
      ],
    )
    expect(memory).toEqual([[147, 4]])
    expect(theta).toEqual([1 - 2 / 4 - 12 / (Math.sqrt(147) + 2), 1 - 2 / 4 + 1 / 4])
  })

  test.each(['adam', 'adamw'])('%s takes the start of both means out', (name) => {
    const one = stepped({ name, beta1: 0.5, beta2: 0.75, tiny: 0 }, [1, 1, 1], [[4, -0.25, 1e-3]])
    // Whatever a first gradient is long, its step is as long as the learning rate.
    expect(one.theta).toEqual([0.5, 1.5, 0.5])
    expect(one.memory).toEqual([
      [2, -0.125, 0.5e-3],
      [4, 0.015625, 0.25e-6],
    ])
    const two = stepped({ name, beta1: 0.5, beta2: 0.75, tiny: 1 }, [1], [[4], [8]])
    // m = 0.5 * 2 + 0.5 * 8 = 5 over 1 - 0.25, v = 0.75 * 4 + 0.25 * 64 = 19 over 1 - 0.75^2.
    expect(two.memory).toEqual([[5], [19]])
    expect(two.theta[0]).toBeCloseTo(1 - (0.5 * 4) / (4 + 1) - (0.5 * (5 / 0.75)) / (Math.sqrt(19 / 0.4375) + 1), 14)
  })
})

test('the parameters are those of PyTorch unless told', () => {
  const defaults = Object.fromEntries(Object.keys(optimizers).map((name) => [name, optimizerOf({ name }).values]))
  const adam = { beta1: 0.9, beta2: 0.999, tiny: 1e-8 }
  expect(defaults).toEqual({
    sgd: {},
    adam,
    adamw: adam,
    adagrad: { tiny: 1e-10 },
    rmsprop: { decay: 0.99, tiny: 1e-8 },
  })
})

test('what each remembers, and whose weight decay stands beside the step', () => {
  const said = Object.values(optimizers).map((one) => {
    const { id, remembers, decoupled = false, step } = one as ReturnType<typeof optimizerOf>['entry']
    return [id, remembers, decoupled, step !== undefined]
  })
  expect(said).toEqual([
    ['sgd', 0, false, false],
    ['adam', 2, false, true],
    ['adamw', 2, true, true],
    ['adagrad', 1, false, true],
    ['rmsprop', 1, false, true],
  ])
})

test('shares that are kept lie from 0 to below 1, and what is added to roots is not negative', () => {
  for (const [name, param] of [
    ['adam', 'beta1'],
    ['adam', 'beta2'],
    ['adamw', 'beta1'],
    ['rmsprop', 'decay'],
  ] as const) {
    expect(optimizerOf({ name, [param]: 0 }).values).toMatchObject({ [param]: 0 })
    for (const value of [-1e-9, 1]) expect(() => optimizerOf({ name, [param]: value })).toThrow(param)
  }
  for (const name of ['adam', 'adagrad', 'rmsprop']) {
    expect(optimizerOf({ name, tiny: 0 }).values).toMatchObject({ tiny: 0 })
    expect(() => optimizerOf({ name, tiny: -1e-12 })).toThrow('tiny')
  }
})

test("PyTorch's names become ours, and nothing is made up where they are absent", () => {
  expect(ownNames({ name: 'adam', betas: [0.8, 0.95], eps: 1e-6 })).toEqual({
    name: 'adam',
    beta1: 0.8,
    beta2: 0.95,
    tiny: 1e-6,
  })
  expect(ownNames({ name: 'adam', betas: [0.8] })).toEqual({ name: 'adam', beta1: 0.8 })
  expect(ownNames({ name: 'adam', betas: 0.8 })).toEqual({ name: 'adam' })
  expect(ownNames({ name: 'rmsprop', alpha: 0.9 })).toEqual({ name: 'rmsprop', decay: 0.9 })
  const own = { name: 'rmsprop', decay: 0, tiny: 0 }
  expect(ownNames(own)).toEqual(own)
  expect(Object.keys(ownNames({ name: 'sgd' }))).toEqual(['name'])
})
