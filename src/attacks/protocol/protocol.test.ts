import { describe, expect, test } from 'vitest'
import { simulatedSources } from '../../../test/simulated-sources.js'
import { functionsOf } from '../../models/functions.js'
import { createModel } from '../../models/index.js'
import { rng } from '../../numeric/random/rng.js'
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import { grant } from '../../threat/grant.js'
import { heardNeeds, heardProtocol, heardUses, wordsOf } from '../shared/heard-protocol.js'
import { marksOf } from '../shared/message-marks.js'
import { scheduleHeard } from '../shared/rate-schedule.js'
import { type Recipe, replayer, stepsOf } from '../shared/replayed-turn.js'

const world = (training: object, more: object = {}): ScenarioInput =>
  ({
    heldBack: 0,
    data: { name: 'cps-wages', params: { wage: 'log' }, auxiliary: 0.3, rows: 300 },
    partition: { name: 'iid', params: { clients: 3 } },
    models: [{ kind: 'linear' }],
    training: { rounds: 8, batchSize: 16, learningRate: 0.02, ...training },
    knowledge: { sensitive: ['union'] },
    ...more,
  }) as ScenarioInput

async function viewOf(input: ScenarioInput) {
  const { sources, truth } = await simulatedSources(input)
  const { view } = await grant(sources, 'eavesdropper', [...heardNeeds, 'target', 'model', 'loss'], heardUses)
  return { view: view!, truth }
}

/** As the federation did it, to rounding: no draws are left where batches are whole. */
describe('a turn played over is the turn', () => {
  const one = { batchSize: null, localEpochs: 3, precision: 'f64' }
  test.each([
    ['sgd', {}],
    ['momentum', { momentum: 0.9 }],
    ['adam', { optimizer: { name: 'adam', params: { beta1: 0.8 } } }],
    ['adamw', { optimizer: { name: 'adamw' }, weightDecay: 0.2 }],
    ['adagrad', { optimizer: { name: 'adagrad' } }],
    ['rmsprop', { optimizer: { name: 'rmsprop' }, weightDecay: 0.2 }],
    ['clipped', { clipNorm: 0.1 }],
    ['fedprox', { algorithm: 'fedprox', proxMu: 0.5 }],
    ['top-k', { compression: { name: 'top-k', params: { share: 0.3 } } }],
    ['quantised', { compression: { name: 'quantised', params: { bits: 6 } } }],
    ['by a schedule', { schedule: { name: 'exponential', params: { factor: 0.5 } } }],
    [
      'a gradient',
      { algorithm: 'fedsgd', share: 'gradient', clipNorm: 0.2, batchSize: undefined, localEpochs: undefined },
    ],
  ])('%s', async (_, training) => {
    const { view, truth } = await viewOf(world({ ...one, ...training, rounds: 3 }))
    const table = (await truth.client('0'))!
    const replay = replayer(view, view.protocol)
    const records = replay.hold({ features: table.features, labels: table.labels! })
    for (const round of view.exchanges.rounds) {
      const { received, update, learningRate } = await view.exchanges.read(round)
      const change = replay.play({ theta: received!, records, learningRate, rng: rng(1).fork(round) })
      const sent =
        update.kind === 'gradient'
          ? update.grad.map((g) => -g)
          : update.kind === 'parameters'
            ? update.theta.map((v, j) => v - received![j]!)
            : update.dTheta
      for (const [j, v] of change.entries()) expect(Math.abs(v - sent[j]!)).toBeLessThan(1e-12)
    }
    records.release()
    replay.release()
  })
})

describe('steps of a turn', () => {
  const recipe = (own: Partial<Recipe>): Recipe =>
    ({ share: 'parameters', localEpochs: 2, localSteps: null, batchSize: 4, ...own }) as Recipe
  test.each([
    [{}, 10, 6],
    [{ dropLast: true }, 10, 4],
    [{ dropLast: true }, 3, 2],
    [{ localSteps: 5 }, 10, 5],
    [{ batchSize: null }, 10, 2],
    [{ share: 'gradient' as const }, 10, 1],
  ])('%j of %i records', (own, n, steps) => expect(stepsOf(recipe(own), n).steps).toBe(steps))
})

describe('what values betray', () => {
  const draws = rng(4)
  const dense = Array.from({ length: 4 }, (_, k) => draws.fork(k).normals(60))
  const heard = (changes: Float64Array[]) => marksOf(changes.map((change) => ({ change })))
  test('nothing, where they are of all sizes', () => {
    expect(heard(dense)).toEqual({ sparse: undefined, lattice: undefined })
    // A dead unit leaves zeros, and small values elsewhere.
    expect(heard(dense.map((one) => one.map((v, j) => (j < 20 ? 0 : v)))).sparse).toBeUndefined()
    // A few large values make all others small, and no lattice of few bits.
    expect(heard(dense.map((one) => one.map((v, j) => (j === 0 ? 500 : v)))).lattice).toBeUndefined()
  })
  test('that only the largest were sent', () => {
    const largest = dense.map((one) => {
      const least = [...one].map(Math.abs).sort((a, b) => b - a)[11]!
      return one.map((v) => (Math.abs(v) >= least ? v : 0))
    })
    expect(heard(largest).sparse).toEqual({ share: 0.2 })
  })
  test('the bits that they were rounded to', () => {
    for (const bits of [3, 8, 12]) {
      const levels = Math.round(2 ** (bits - 1)) - 1
      const rounded = dense.map((one) => {
        const step = one.reduce((most, v) => Math.max(most, Math.abs(v)), 0) / levels
        return one.map((v) => step * Math.round(v / step))
      })
      expect(heard(rounded).lattice).toEqual({ bits })
    }
  })
})

test('rates that were heard follow a schedule, or none', () => {
  const heard = (rate: (round: number) => number) =>
    scheduleHeard([0, 1, 2, 4, 7, 11, 15, 19].map((round) => ({ round, rate: rate(round) })))
  expect(heard((round) => 0.1 + 0.001 * (round % 2)).schedule).toBeNull()
  const falling = heard((round) => 0.2 * 0.9 ** round)
  expect(falling.schedule).toMatchObject({ kind: 'exponential', factor: expect.closeTo(0.9, 6) })
  expect(falling.learningRate).toBeCloseTo(0.2, 6)
  expect(heard((round) => 0.2 * 0.5 ** Math.floor(round / 5)).schedule).toMatchObject({ kind: 'step', every: 5 })
})

describe('what is heard', () => {
  const hear = async (training: object, states: object) => {
    const { view } = await viewOf(world(training, { knowledge: { sensitive: ['union'], states } }))
    return heardProtocol(view, { rng: rng(2), rounds: 6, plays: 12 })
  }
  test('a right statement is left as it is', async () => {
    for (const training of [{}, { optimizer: { name: 'adam' } }]) {
      const { p, heard, stated } = await hear(training, {})
      expect(p).toBeGreaterThan(0.05)
      expect(wordsOf(heard)).toBe(wordsOf(stated))
    }
  })
  test('Adam that is stated as SGD', async () => {
    const { p, heard, heardP, stated, excess, evidence } = await hear(
      { optimizer: { name: 'adam' }, learningRate: 0.01 },
      { optimizer: 'sgd', learningRate: 0.02 },
    )
    expect(wordsOf(stated)).toBe('SGD 0.02')
    expect(p).toBeLessThan(0.01)
    expect(heard.optimizer?.name).toBe('adam')
    expect(heard.learningRate! / 0.01).toBeGreaterThan(0.75)
    expect(heard.learningRate! / 0.01).toBeLessThan(1.25)
    expect(heardP).toBeGreaterThan(0.05)
    expect(excess!.heard).toBeLessThan(excess!.stated)
    expect(evidence[0]).toMatch(/^SGD 0\.02 does not explain .+ \(p = [\d.e-]+\)$/)
    expect(evidence.at(-1)).toMatch(/^adam 0\.0\d+: misfit \S+ of what is expected \(p = 0\.\d+\)$/)
  })
  test('a rate that nobody states', async () => {
    const { heard, heardP } = await hear({}, { learningRate: null })
    expect(heard.learningRate! / 0.02).toBeGreaterThan(0.75)
    expect(heard.learningRate! / 0.02).toBeLessThan(1.25)
    expect(heardP).toBeGreaterThan(0.05)
  })
  const about = (value: number) => (x: unknown) => Number(x) > 0.75 * value && Number(x) < 1.25 * value
  test.each([
    ['weight decay', { weightDecay: 0.5 }, { weightDecay: 0 }, ({ weightDecay }) => about(0.5)(weightDecay)],
    ['momentum', { momentum: 0.9 }, { momentum: 0 }, ({ momentum }) => momentum === 0.9],
    ['clipping', { clipNorm: 0.05 }, { clipNorm: null }, ({ clipNorm }) => about(0.05)(clipNorm)],
    [
      'a schedule',
      { schedule: { name: 'exponential', params: { factor: 0.7 } } },
      { schedule: 'constant', learningRate: 0.02 },
      ({ schedule }) => (schedule as { kind?: string } | null)?.kind === 'exponential',
    ],
    ['more passes', { localEpochs: 5 }, { localEpochs: 1 }, ({ localEpochs }) => localEpochs === 5],
    // Eight times as many steps go about as far as steps of eight times the rate.
    ['smaller batches', { batchSize: 4 }, { batchSize: 32 }, ({ learningRate }) => about(0.16)(learningRate)],
  ] as [string, object, object, (heard: Readonly<Record<string, unknown>>) => boolean][])(
    '%s, not stated: heard, and nothing is left to explain',
    async (_, training, states, right) => {
      const { p, heard, heardP } = await hear(training, states)
      expect(p).toBeLessThan(0.002)
      expect(right(heard as never), JSON.stringify(heard)).toBe(true)
      expect(heardP).toBeGreaterThan(0.05)
    },
  )
  test('top-k by its zeros, whatever is stated', async () => {
    const { heard } = await hear({ compression: { name: 'top-k', params: { share: 0.25 } } }, { compression: 'none' })
    expect(heard.compression).toEqual({ kind: 'top-k', share: 0.25 })
  })
})

test('dropout of a network changes its training and not what it says', () => {
  const [plain, dropping] = [0, 0.5].map((dropout) =>
    createModel({ kind: 'mlp', inputs: 2, outputs: 1, hidden: [3, 4], dropout }),
  )
  expect(plain!.dropout).toBeUndefined()
  expect(dropping!.dropout).toEqual({ rate: 0.5, units: 4 })
  const theta = rng(3).normals(functionsOf(plain!).size)
  const x = { rows: 1, cols: 2, data: Float64Array.of(0.3, -1) }
  expect(functionsOf(dropping!).predict(theta, x)).toEqual(functionsOf(plain!).predict(theta, x))
})
