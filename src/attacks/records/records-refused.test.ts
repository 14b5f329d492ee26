import { describe, expect, test } from 'vitest'
import { attackOn, only } from '../../../test/attack-context.js'
import { mlpSpec, modelView, protocolOf, truthOf } from '../../../test/label-views.js'
import { functionsOf } from '../../models/functions.js'
import { initialise } from '../../models/initialise.js'
import { mlp } from '../../models/mlp.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { dot } from '../../numeric/linalg/vector.js'
import { rng } from '../../numeric/random/rng.js'
import type { Exchange } from '../../threat/granted-keys.js'
import { attackedUpdate } from '../shared/attacked-update.js'
import { matchingOf } from './gradient-matching.js'
import { permutedUpdate, plantedRecords } from './record-controls.js'
import { recordsClosedForm } from './records-closed-form.js'

const d = 4

function world(K: number, shape: Partial<Parameters<typeof mlpSpec>[0]> = {}, seed = 2) {
  const model = mlpSpec({ inputs: d, hidden: [24], outputs: 1, ...shape })
  const made = mlp(model)
  const theta = initialise(made, rng(seed))
  const features = matrix(
    K,
    d,
    rng(seed)
      .fork('x')
      .normals(K * d),
  )
  const labels = rng(seed)
    .fork('y')
    .normals(K * model.outputs, { std: 3 })
  const batch = { features, labels }
  return { made, theta, batch, view: modelView({ model, theta, batch, loss: 'mse' }) }
}

const refused = async (view: object, params = {}) => {
  const outcome = await attackOn(recordsClosedForm, view, { params })
  if (outcome.status === 'claimed') throw new Error('claimed')
  return `${outcome.missing.join()}: ${outcome.why}`
}

describe('whole records are not claimed', () => {
  test('of other steps than plain ones, of several on a batch, of more records than are attempted', async () => {
    const { view } = world(3)
    const stated = (change: object) => ({ ...view, protocol: { ...view.protocol, ...change } })
    expect(await refused(stated({ optimizer: { name: 'adam' } }))).toMatch('plain steps: the protocol has adam')
    expect(await refused(view, { largest: 2 })).toBe('a batch of at most 2 records: the update is of 3')
    expect((await attackOn(recordsClosedForm, view, { params: { largest: 3 } })).status).toBe('claimed')
    const several = { ...stated({ algorithm: 'fedavg', share: 'parameters', localSteps: 5, learningRate: 0.1 }) }
    const theta = world(3).theta
    const exchange: Exchange = {
      ...{
        round: 3,
        received: theta,
        learningRate: 0.1,
        update: { kind: 'parameters', theta: theta.map((v) => 0.9 * v) },
      },
    }
    const exchanges = { rounds: [3], read: async () => exchange }
    expect(await refused({ ...several, exchanges })).toBe('a single local step: 5 steps on a batch')
  })

  test('where the units tell fewer or more apart than there are', async () => {
    const { view } = world(3)
    const units = 'units that tell the records apart'
    expect(await refused({ ...view, batchSize: 4 })).toBe(
      `${units}: the units tell 3 of 4 records apart: what they hold may be mixtures`,
    )
    expect(await refused({ ...view, batchSize: 2 })).toBe(
      `${units}: the rows hold 3 records or more, not 2: the protocol is not as stated`,
    )
  })

  test('of a single record where one unit is all that there is, or none moved, or units say different things', async () => {
    const single = world(1)
    expect((await attackOn(recordsClosedForm, single.view)).status).toBe('claimed')
    const narrow = world(1, { hidden: [1], activation: 'tanh' })
    expect(await refused(narrow.view)).toBe(
      'several units in the first layer: one unit holds a mixture as well as a record',
    )
    const pair = world(1, { hidden: [2], activation: 'tanh' })
    expect((await attackOn(recordsClosedForm, pair.view)).status).toBe('claimed')
    const heard = (grad: Float64Array) => {
      const exchange: Exchange = {
        round: 3,
        received: single.theta,
        learningRate: null,
        update: { kind: 'gradient', grad },
      }
      return { ...single.view, exchanges: { rounds: [3], read: async () => exchange } }
    }
    const { grad } = functionsOf(single.made, { loss: 'mse' }).gradient(single.theta, single.batch)
    expect(await refused(heard(new Float64Array(grad.length)))).toMatch('the units tell 0 of 1 records apart')
    const live = grad.findIndex((v) => v !== 0)
    expect(await refused(heard(grad.map((v, j) => (j === live ? 2 * v : v))))).toMatch('a single record')
  })

  test('what was found is told: all of a batch with their labels, played over', async () => {
    const { view, batch } = world(3)
    const outcome = await attackOn(recordsClosedForm, view)
    const { labels, fit } = only(outcome, 'records')
    expect(labels).toHaveLength(3)
    for (const y of batch.labels) expect(Math.min(...Array.from(labels, (v) => Math.abs(v - y)))).toBeLessThan(1e-6)
    expect(fit).toMatchObject({ p: 1 })
    expect(outcome).toMatchObject({ details: { recordCount: 3, found: 3, toldApart: 3, replayed: true } })
    expect(await attackOn(recordsClosedForm, world(1).view)).toMatchObject({
      details: { recordCount: 1, found: 1, toldApart: 1, replayed: true },
    })
  })
})

describe('controls of one update', () => {
  const { view, batch, made, theta } = world(3)
  const scaled = {
    ...view,
    protocol: protocolOf({ share: 'parameters', algorithm: 'fedavg', learningRate: 0.5, lossScale: 4 }),
  }
  const round = (number: number): Exchange => ({
    ...{
      round: number,
      received: theta,
      learningRate: 0.5,
      update: { kind: 'parameters', theta: theta.map((v) => v * 0.5) },
    },
  })
  const exchanges = { rounds: [2, 3], read: async (number: number) => round(number) }
  const several = { ...scaled, exchanges }

  test('planted: the gradient of the true batch at parameters between -0.5 and 0.5, in the update alone', async () => {
    const planted = (await plantedRecords({ view: several, truth: truthOf(batch), rng: rng(3) })).view
    const { theta: drawn, grad } = await attackedUpdate(planted, { size: 'known' })
    expect(drawn).toEqual(
      rng(3)
        .fork('theta')
        .uniforms(theta.length)
        .map((u) => u - 0.5),
    )
    const asked = functionsOf(made, { loss: 'mse' }).gradient(drawn!, batch).grad
    for (const [j, g] of asked.entries()) expect(grad[j]).toBeCloseTo(g, 12)
    expect(await planted.exchanges.read(2)).toEqual(round(2))
  })

  test('shuffled: the same numbers in another order, in the update alone', async () => {
    const before = (await attackedUpdate(several, { size: 'known' })).grad
    const shuffled = (await permutedUpdate({ view: several, rng: rng(5) })).view
    const { grad, theta: received } = await attackedUpdate(shuffled, { size: 'known' })
    const order = rng(5).permutation(before.length)
    for (const [j, g] of grad.entries()) expect(g).toBeCloseTo(before[order[j]!]!, 12)
    expect(received).toEqual(theta)
    expect(await shuffled.exchanges.read(2)).toEqual(round(2))
  })
})

describe('gradients matched', () => {
  test('the squared distance over the square of what was heard, and its slopes', () => {
    const { made, theta, batch } = world(2, { hidden: [3], activation: 'tanh' })
    const functions = functionsOf(made, { loss: 'mse' })
    const target = functions.gradient(theta, batch).grad
    const problem = { functions, loss: 'mse' as const, theta, grad: target, recordCount: 2 }
    const [free, given] = [matchingOf(problem), matchingOf({ ...problem, givenLabels: batch.labels })]
    expect([free.size, given.size]).toEqual([2 * d + 2, 2 * d])
    const sought = rng(6).normals(2 * d + 2)
    expect(free.features(sought).map((x) => [...x])).toEqual(
      [0, 1].map((k) => Array.from(sought.slice(k * d, (k + 1) * d))),
    )
    expect(free.labels(sought)).toEqual(sought.slice(2 * d))
    expect(given.labels(sought.slice(0, 2 * d))).toBe(batch.labels)
    for (const [matching, labels] of [
      [free, sought.slice(2 * d)],
      [given, batch.labels],
    ] as const) {
      const distance = (x: Float64Array) => {
        const again = functions.gradient(theta, {
          features: matrix(2, d, x.slice(0, 2 * d)),
          labels: matching === free ? x.slice(2 * d) : labels,
        }).grad
        const off = again.map((v, j) => v - target[j]!)
        return dot(off, off) / dot(target, target)
      }
      const x = sought.slice(0, matching.size)
      const { value, gradient } = matching.objective(x)
      expect(value / distance(x)).toBeCloseTo(1, 5)
      const slopes = gradient.slice()
      for (let j = 0; j < x.length; j += 3) {
        const moved = (by: number) => distance(x.map((v, k) => (k === j ? v + by : v)))
        expect(slopes[j]! / ((moved(1e-4) - moved(-1e-4)) / 2e-4)).toBeCloseTo(1, 2)
      }
    }
  })
})
