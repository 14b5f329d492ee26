import { describe, expect, test } from 'vitest'
import { protocolOf } from '../../../../test/label-views.js'
import { functionsOf } from '../../../models/functions.js'
import { createModel, type ModelSpec } from '../../../models/index.js'
import { initialise } from '../../../models/initialise.js'
import { type Matrix, matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import type { View } from '../../../threat/granted-keys.js'
import { problemOf, type RateMode } from './linear-problem.js'
import { solveExactly } from './one-step-shares.js'

interface Told {
  readonly values?: readonly number[]
  readonly rate?: RateMode
  /** What the message is multiplied with. */
  readonly factor?: number
  readonly rounds?: number
  readonly records?: number
  /** Each number of the message is off by up to this. */
  readonly off?: number
  /** What the loss is multiplied with. */
  readonly lossScale?: number
  readonly model?: ModelSpec
}
const network: ModelSpec = { kind: 'mlp', inputs: 3, outputs: 1, hidden: [12], activation: 'tanh' }

/** One step on all records, whose true values are drawn. */
function solved({
  values = [-0.5, 2],
  rate = 'known',
  factor = 1,
  rounds = 1,
  records: n = 6,
  off = 0,
  lossScale = 1,
  model: spec = network,
}: Told = {}) {
  const model = createModel(spec)
  const functions = functionsOf(model, { loss: 'mse', lossScale })
  const known = matrix(n, 3, rng(1).normals(3 * n))
  const filled = (value: (i: number) => number): Matrix =>
    matrix(n, 3, known.data.map((v, at) => (at % 3 === 1 ? value(Math.floor(at / 3)) : v))) // biome-ignore format: one line
  const truth = Int32Array.from({ length: n }, (_, i) => rng(2).fork(i).integer(values.length))
  const labels = rng(3).normals(n)
  const real = filled((i) => values[truth[i]!]!)
  const turns = Array.from({ length: rounds }, (_, round) => {
    const at = initialise(model, rng(4).fork(round))
    const { grad } = functions.gradient(at, { features: real, labels })
    const draw = rng(5).fork(round)
    const mean = grad.map((g) => factor * g + off * (2 * draw.uniform() - 1))
    return { round, theta: at, rate: 1, at, mean, rounding: new Float64Array(at.length).fill(off) }
  })
  const candidates = { records: n, features: values.map((value) => filled(() => value)), labels }
  const stated = { outputActivation: 'identity', bias: true, ...spec } as View<'model'>['model']
  const view = { model: stated, loss: 'mse', protocol: protocolOf({ lossScale }) } as const
  const input = { view, functions, candidates, places: [1], turns: { rounds: turns, steps: 1 }, samples: n, rate }
  return { truth, found: solveExactly(problemOf(input)) }
}

describe('one step on all records', () => {
  test.each<Told>([
    {},
    { values: [1, 0, -2] },
    { rounds: 3 },
    { rate: 'one', factor: 2 },
    { rate: 'one', factor: 0.25, rounds: 3, values: [1, 0, -2] },
    { records: 30, rounds: 6 },
  ])('gives every value, and the factor of the message: %o', (told) => {
    const { truth, found } = solved(told)
    const { guesses, p, misfit, open, rate, confidence, excess } = found!
    expect(guesses).toEqual(truth)
    const n = truth.length
    for (const [c, share] of p.entries()) {
      expect(share).toBeCloseTo(Number(truth[c % n] === Math.floor(c / n) + 1), 5)
    }
    expect(rate).toBeCloseTo(1 / (told.factor ?? 1), 8)
    expect(misfit).toBeLessThan(1e-12)
    expect(open).toBe(0)
    expect(excess).toBeLessThan(1)
    for (const sure of confidence) expect(sure).toBeGreaterThan(0.999)
  })

  test('takes as many messages as it needs for half as many equations again as unknowns', () => {
    const { equations } = solved({ rounds: 6 }).found! // 61 numbers a message; of 6 unknowns 4 * 6 + 16 of them
    expect(equations).toBe(40)
    expect(solved({ rounds: 6, records: 60 }).found!.equations).toBe(2 * 61)
    expect(solved({ rounds: 6, records: 60, values: [1, 0, -2] }).found!.equations).toBe(3 * 61)
    expect(solved({ rounds: 1, records: 62 }).found).toBeUndefined()
  })

  test('leaves of the equations what the rounding of the message explains', () => {
    const excesses = [1e-5, 1e-4].map((off) => solved({ off, rounds: 3, records: 12 }).found!.excess)
    for (const excess of excesses) {
      expect(excess).toBeGreaterThan(0.7)
      expect(excess).toBeLessThan(1.3)
    }
    // Numbers that are as exact as doubles are, but were off.
    const { found, truth } = solved({ off: 1e-3, records: 12, rounds: 3 })
    expect(found!.guesses).toEqual(truth)
    expect(found!.misfit).toBeGreaterThan(1e-4)
    expect(found!.misfit).toBeLessThan(1e-1)
  })

  test('misses a share of the message, however small all of its numbers are', () => {
    const told = { off: 1e-3, records: 12, rounds: 3 }
    const small = solved({ ...told, off: 1e-3 * 2 ** -40, lossScale: 2 ** -40 }).found!
    expect(small.misfit / solved(told).found!.misfit).toBeCloseTo(1, 6)
  })

  test('is not solved where messages hold too little', () => {
    const linear: ModelSpec = { kind: 'linear', inputs: 3, outputs: 1 }
    const { truth, found } = solved({ model: linear, records: 4 }) // 4 numbers for 4
    expect(found!.guesses).toEqual(truth)
    expect(solved({ model: linear, records: 5 }).found).toBeUndefined()
    expect(solved({ model: linear, records: 4, rate: 'one' }).found).toBeUndefined() // and the factor
    expect(solved({ model: linear, records: 12, rounds: 2 }).found).toBeUndefined()
  })
})
