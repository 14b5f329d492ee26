import { describe, expect, test } from 'vitest'
import { attackOn, only } from '../../../test/attack-context.js'
import { mlpSpec, modelView, protocolOf, truthOf } from '../../../test/label-views.js'
import { plainTurn, sparsified } from '../../../test/plain-network.js'
import { initialise } from '../../models/initialise.js'
import { mlp } from '../../models/mlp.js'
import { matrix, rowOf } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import type { Exchange } from '../../threat/granted-keys.js'
import type { Outcome } from '../attack.js'
import { recordsClosedForm, spanFit } from './records-closed-form.js'

type Shape = Parameters<typeof mlpSpec>[0]

function world(seed: number, K: number, shape: Partial<Shape> = {}) {
  const model = mlpSpec({ inputs: 20, hidden: [48], outputs: 1, ...shape })
  const loss = model.outputs > 3 ? 'cross-entropy' : 'mse'
  const theta = initialise(mlp(model), rng(seed).fork('theta'))
  const { inputs } = model
  const features = matrix(
    K,
    inputs,
    rng(seed)
      .fork('x')
      .normals(inputs * K),
  )
  const r = rng(seed).fork('y')
  const each = loss === 'mse' ? model.outputs : 1
  const labels = Float64Array.from({ length: K * each }, () =>
    loss === 'mse' ? 3 * r.normal() : r.integer(model.outputs),
  )
  const batch = { features, labels }
  return { model, theta, batch, view: modelView({ model, theta, loss, batch }) }
}

/** How many of the claimed records are those of the batch, and how far off the others are at most. */
function compared(outcome: Outcome, { batch }: ReturnType<typeof world>, tolerance = 1e-6) {
  if (outcome.status !== 'claimed') return { right: 0, wrong: 0 }
  const { features } = batch
  const off = (x: ArrayLike<number>, i: number) => Math.max(...rowOf(features, i).map((v, j) => Math.abs(v - x[j]!)))
  const distances = only(outcome, 'records').features.map((x) =>
    Math.min(...Array.from({ length: features.rows }, (_, i) => off(x, i))),
  )
  const right = distances.filter((d) => d <= tolerance).length
  return { right, wrong: distances.length - right }
}

describe('one hidden layer, one output', () => {
  test.each([1, 2, 4, 8])('%d records: all of them with their labels, and the gradient they make', async (K) => {
    for (let seed = 0; seed < 5; seed++) {
      const made = world(seed, K)
      const outcome = await attackOn(recordsClosedForm, made.view)
      expect(compared(outcome, made), `seed ${seed}`).toEqual({ right: K, wrong: 0 })
      const { labels, fit } = only(outcome, 'records')
      expect(fit).toMatchObject({ p: 1 })
      const sorted = (values: ArrayLike<number>) => Array.from(values).sort((a, b) => a - b)
      for (const [i, y] of sorted(made.batch.labels).entries()) expect(sorted(labels)[i]).toBeCloseTo(y, 6)
    }
  })

  test('in single precision', async () => {
    let right = 0
    for (let seed = 0; seed < 6; seed++) {
      const made = world(seed, 4)
      const exchange = await made.view.exchanges.read(3)
      const update = exchange.update as { kind: 'gradient'; grad: Float64Array }
      const heard = { ...exchange, update: { ...update, grad: update.grad.map(Math.fround) } }
      const outcome = await attackOn(recordsClosedForm, {
        ...made.view,
        exchanges: { rounds: [3], read: async () => heard },
      })
      const found = compared(outcome, made, 1e-2)
      expect(found.wrong).toBe(0)
      right += found.right
    }
    expect(right).toBeGreaterThanOrEqual(16)
  })
})

describe.each([
  ['two hidden layers', { hidden: [64, 32] }],
  ['ten classes', { hidden: [64], outputs: 10 }],
  ['three outputs', { hidden: [64, 24], outputs: 3 }],
])('%s', (_, shape) => {
  test('what a unit holds alone is found, and nothing else', async () => {
    const total = { right: 0, wrong: 0, small: 0 }
    for (let seed = 0; seed < 6; seed++) {
      for (const K of [2, 6]) {
        const made = world(seed, K, shape)
        const { right, wrong } = compared(await attackOn(recordsClosedForm, made.view), made)
        total[K === 2 ? 'small' : 'right'] += right
        total.wrong += wrong
      }
    }
    expect(total.wrong).toBe(0)
    expect(total.small).toBe(12)
    expect(total.right).toBeGreaterThan(5)
  })
})

/** Untrained: all of two records, nearly all of four, of eight the more the wider the first layer. */
test.each([
  [[48], [1, 1, 1]],
  [
    [48, 24],
    [1, 0.85, 0.1],
  ],
  [
    [128, 64],
    [1, 0.95, 0.3],
  ],
] as const)(
  '35 inputs, hidden %j: at least these shares of 2, 4 and 8 records, and no other',
  async (hidden, least) => {
    for (const [i, K] of [2, 4, 8].entries()) {
      let found = 0
      for (let seed = 0; seed < 6; seed++) {
        const made = world(seed, K, { inputs: 35, hidden })
        const { right, wrong } = compared(await attackOn(recordsClosedForm, made.view), made)
        expect(wrong, `${K} records, seed ${seed}`).toBe(0)
        found += right
      }
      expect(found / (6 * K), `${K} records`).toBeGreaterThanOrEqual(least[i]!)
    }
  },
)

describe('never a mixture', () => {
  const heardAs = (made: ReturnType<typeof world>, update: Exchange['update'], change: object = {}) => ({
    ...made.view,
    exchanges: {
      rounds: [3],
      read: async (): Promise<Exchange> => ({ round: 3, received: made.theta, update, learningRate: 0.001 }),
    },
    ...change,
  })

  test.each([
    ['four records, stated as two', 4, 2],
    ['four records, stated as one', 4, 1],
    ['four records, stated as six', 4, 6],
  ])('%s: refused', async (_, K, stated) => {
    for (let seed = 0; seed < 4; seed++) {
      for (const shape of [{}, { hidden: [64, 32] }]) {
        const made = world(seed, K, shape)
        const outcome = await attackOn(recordsClosedForm, { ...made.view, batchSize: stated })
        // A deeper model may give single records away, whatever their number.
        expect(compared(outcome, made).wrong).toBe(0)
        if (shape.hidden === undefined || stated === 1) expect(outcome.status).toBe('not-applicable')
      }
    }
  })

  test('the same record twice, Adam, the largest tenth, entries in another order: refused', async () => {
    for (let seed = 0; seed < 4; seed++) {
      const made = world(seed, 4)
      const { X, Y } = {
        X: Array.from({ length: 4 }, (_, i) => Array.from(rowOf(made.batch.features, i))),
        Y: Array.from(made.batch.labels, (y) => [y]),
      }
      const twice = { features: matrix(4, 20, made.batch.features.data.slice()), labels: made.batch.labels }
      twice.features.data.copyWithin(0, 20, 40)
      const turn = { learningRate: 0.001, epochs: 1, optimizer: 'adam' } as const
      const after = plainTurn({ sizes: [20, 48, 1] }, made.theta, { X, Y }, turn)
      const { update } = await made.view.exchanges.read(3)
      const grad = (update as { grad: Float64Array }).grad
      const protocol = protocolOf({ share: 'parameters', learningRate: 0.001 })
      if ('none' in recordsClosedForm.shuffle) throw new Error('no control')
      const views = [
        modelView({ ...made, loss: 'mse', batch: twice }),
        heardAs(made, { kind: 'parameters', theta: after }, { protocol }),
        heardAs(made, { kind: 'gradient', grad: sparsified(grad, 0.1) }),
        (await recordsClosedForm.shuffle({ view: made.view, params: {}, rng: rng(seed) } as never)).view,
      ]
      for (const view of views) expect((await attackOn(recordsClosedForm, view)).status).toBe('not-applicable')
    }
  })
})

test('one record after several steps, with any activation; a batch then is refused', async () => {
  const made = world(3, 1, { hidden: [12], activation: 'tanh' })
  const X = [Array.from(rowOf(made.batch.features, 0))]
  const spec = { sizes: [20, 12, 1], activation: 'tanh' } as const
  const after = plainTurn(spec, made.theta, { X, Y: [[made.batch.labels[0]!]] }, { learningRate: 0.02, epochs: 5 })
  const update = { kind: 'parameters', theta: after } as const
  const protocol = protocolOf({ share: 'parameters', algorithm: 'fedavg', learningRate: 0.02, localEpochs: 5 })
  const exchange: Exchange = { round: 3, received: made.theta, update, learningRate: 0.02 }
  const view = { ...made.view, protocol, exchanges: { rounds: [3], read: async () => exchange } }
  expect(compared(await attackOn(recordsClosedForm, view), made)).toEqual({ right: 1, wrong: 0 })
  expect(await attackOn(recordsClosedForm, { ...view, batchSize: 3 })).toMatchObject({ missing: ['rectified units'] })
})

test('planted: found', async () => {
  if ('none' in recordsClosedForm.plant) throw new Error('no control')
  const made = world(9, 3, { hidden: [16] })
  const input = { view: made.view, params: {}, rng: rng(1), truth: truthOf(made.batch) }
  const planted = (await recordsClosedForm.plant(input as never)).view
  expect(compared(await attackOn(recordsClosedForm, planted), made)).toEqual({ right: 3, wrong: 0 })
})

test('what is missing is named', async () => {
  const made = world(1, 2)
  expect(await attackOn(recordsClosedForm, made.view, { params: { largest: 1 } })).toMatchObject({
    missing: ['a batch of at most 1 records'],
  })
  const unbiased = world(1, 2, { bias: false })
  expect(await attackOn(recordsClosedForm, unbiased.view)).toMatchObject({ missing: ['a first layer with biases'] })
})

test('units span what a batch holds up to a thousand times the expected rounding', () => {
  const of = (misfit: number, rounding: number) => spanFit({ misfit }, rounding)
  expect(of(1e-9, 0)).toEqual({ misfit: 1e-9, expected: 1e-12, p: 1 })
  expect(of(1.0005e-9, 0).p).toBe(0)
  expect(of(0.5, 0.01)).toEqual({ misfit: 0.5, expected: 1, p: 1 })
  expect(of(1001, 0.01).p).toBe(0)
})
