import { describe, expect, test } from 'vitest'
import { problemIn } from '../../../../../test/attribute-problem.js'
import { type WorldOptions, world } from '../../../../../test/attribute-world.js'
import { engine } from '../../../../numeric/engine/engine.js'
import { roundsFor, stageOf } from './replay-stage.js'

test('four equations for each unknown are looked at, of three rounds at least', () => {
  expect([roundsFor(10, 5), roundsFor(1, 100), roundsFor(7, 8), roundsFor(6, 8), roundsFor(8, 8), roundsFor(9, 8)]).toEqual([8, 3, 4, 3, 4, 5]) // biome-ignore format: a line
})

async function made(options: WorldOptions) {
  const w = world({ batchSize: null, localEpochs: 3, noise: 1, ...options })
  return { w, problem: await problemIn(w), guesses: Int32Array.from(w.true[0]!) }
}

const net = { kind: 'mlp', inputs: 4, outputs: 1, hidden: [3], activation: 'tanh' } as const

describe.each<[string, WorldOptions]>([
  ['a line in single precision, by moments', { precision: 'f32', records: 8 }],
  ['a line in double precision, step by step', { precision: 'f64', records: 8 }],
  ['a line of few records', { precision: 'f32', records: 2 }],
  ['a network', { precision: 'f64', records: 6, model: net }],
])('%s', (_, options) => {
  test('what is left is what a turn with these values moves less than was heard, in units of rounding', async () => {
    const { w, problem, guesses } = await made({ rounds: 11, ...options })
    const P = problem.gradients.size
    const stage = stageOf(problem)
    const count = Math.min(11, roundsFor(guesses.length, P))
    const used = Array.from({ length: count }, (_, t) => problem.rounds[Math.floor((t * 11) / count)]!)
    expect(stage.thetas).toEqual(used.map(({ theta }) => theta))
    expect([...stage.heard]).toEqual(used.flatMap(({ mean }) => [...mean]))
    const unit = options.precision === 'f32' ? 2 ** -24 : 2 ** -53
    for (const [t, { mean, rounding, theta, rate }] of used.entries()) {
      const size = Math.sqrt(mean.reduce((sum, x) => sum + x * x, 0) / P)
      const moved = w.turn(theta, t).map((x, j) => x - theta[j]!)
      const left = stage.leftBy(guesses)
      for (let j = 0; j < P; j++) {
        const slack = Math.hypot(rounding[j]! / Math.sqrt(3), 32 * unit * size)
        expect(stage.slack[t * P + j]! / slack).toBeCloseTo(1, 12)
        // The client's own turn ends where it did: both sides are rounding.
        expect(Math.abs(mean[j]! + moved[j]! / (3 * rate))).toBeLessThan(5 * slack)
        expect(Math.abs(left[t * P + j]!)).toBeLessThan(5)
      }
    }
    stage.release()
  })

  test('other values are told apart, and asked for again are not played again', async () => {
    const { problem, guesses } = await made({ rounds: 3, ...options })
    const before = engine().inUse()
    const stage = stageOf(problem)
    const other = guesses.map((v, i) => (i === 1 ? 1 - v : v))
    const left = stage.leftBy(other)
    expect(Math.max(...left.map(Math.abs))).toBeGreaterThan(100)
    expect(stage.leftBy(other)).toBe(left)
    stage.release()
    expect(engine().inUse()).toBe(before)
    const again = stageOf(problem)
    expect(again.leftBy(other.slice())).toBe(left)
    again.release()
  })
})
