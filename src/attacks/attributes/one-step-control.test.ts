import { describe, expect, test } from 'vitest'
import { tableOf, truthOf } from '../../../test/hand-truth.js'
import { mlpSpec, protocolOf } from '../../../test/label-views.js'
import { functionsOf } from '../../models/functions.js'
import { createModel, type ModelSpec } from '../../models/index.js'
import { parameterCount } from '../../models/model.js'
import { matrix, matrixOf } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import type { Exchange } from '../../threat/granted-keys.js'
import { exactTurns, stepsOn } from './one-step-control.js'

const rows = [[1, 0], [-1, 1], [0.5, 1]] // biome-ignore format: one line
const labels = Float64Array.of(1, 0, 2)
const truth = truthOf({ clients: { c: tableOf(['x', 's'], rows, { labels: [...labels] }) } })
const busy = { mechanism: 'dp-sgd', maxNorm: 1, noiseMultiplier: 1, sampleRate: null, delta: null } as const
const binary = { name: 's', columns: ['s'], kind: 'binary', values: [[0], [1]], words: ['no', 'yes'] } as const

function world(change: object = {}, more: object = {}) {
  const model = mlpSpec({ inputs: 2, hidden: [6], outputs: 1, ...change })
  const received = rng(1).normals(parameterCount(createModel(model as ModelSpec)))
  const update = { kind: 'gradient', grad: new Float64Array(received.length) } as const
  const read = async (round: number): Promise<Exchange> => ({ round, received, update, learningRate: round === 0 ? null : 0.25 }) // biome-ignore format: one line
  const protocol = { ...protocolOf({ learningRate: 0.5, momentum: 0.9, proxMu: 0.1, dropout: 0.2, localSteps: 4, batchSize: 2 }), differentialPrivacy: busy } // biome-ignore format: one line
  return {
    ...{ model, loss: 'mse' as const, protocol, target: 'c', exchanges: { rounds: [0, 1], read } },
    ...{ records: { columns: ['x', 's'], features: matrix(3, 2) }, 'records.label': labels, sensitive: [binary] },
    ...more,
  }
}
const planted = async (view: ReturnType<typeof world>) =>
  (await exactTurns({ view: view as never, truth, rng: rng(2) })).view as unknown as typeof view

describe('planted turns', () => {
  test('are one plain step on all true records, and are stated to be', async () => {
    const view = await planted(world())
    expect(view.protocol).toMatchObject({
      ...{ share: 'parameters', batchSize: null, localEpochs: 1, localSteps: null },
      ...{ momentum: 0, proxMu: 0, dropout: 0, differentialPrivacy: null, learningRate: 0.5 },
    })
    const functions = functionsOf(createModel(view.model as ModelSpec), { loss: 'mse' })
    for (const [round, rate] of [
      [0, 0.5],
      [1, 0.25],
    ] as const) {
      const { received, update, learningRate } = await view.exchanges.read(round)
      expect(received).toEqual((await world().exchanges.read(round)).received)
      expect(learningRate).toBe(rate)
      const { grad } = functions.gradient(received!, { features: matrixOf(rows), labels })
      expect(update).toEqual({ kind: 'parameters', theta: received!.map((v, j) => v - rate * grad[j]!) })
    }
  })

  test('are of a model wide enough to tell the records apart', async () => {
    const own = async (change: object, more: object = {}) => (await planted(world(change, more))).model
    expect(await own({ hidden: [2] })).toMatchObject({ hidden: [2] }) // 9 numbers for 3 * 3 * (2 - 1)
    expect(await own({ hidden: [1] })).toMatchObject({ hidden: [3], activation: 'relu', outputActivation: 'identity' }) // ceil(9 / 4)
    expect(await own({ hidden: [2], outputActivation: 'relu' })).toMatchObject({ outputActivation: 'identity' })
    const three = { ...binary, kind: 'categorical', values: [[0], [1], [2]] }
    expect(await own({ hidden: [4] }, { sensitive: [three] })).toMatchObject({ hidden: [5] }) // ceil(18 / 4)
    expect(await own({ hidden: [6] }, { sensitive: [three, binary] })).toMatchObject({ hidden: [12] }) // ceil(45 / 4)
    const measured = { ...binary, kind: 'continuous', range: [0, 1] }
    expect(await own({ hidden: [2] }, { sensitive: [measured] })).toMatchObject({ hidden: [2] })
    expect(await own({ hidden: [2] }, { sensitive: undefined })).toMatchObject({ hidden: [2] })
    const yes = await own({ hidden: [1], outputActivation: 'sigmoid' }, { loss: 'binary-cross-entropy' })
    expect(yes).toMatchObject({ hidden: [3], outputActivation: 'sigmoid' })
  })

  test('of another model begin where it is drawn, in each round anew', async () => {
    const view = await planted(world({ hidden: [1] }))
    const [first, second] = [await view.exchanges.read(0), await view.exchanges.read(1)]
    expect(first.received!.length).toBe(3 * 4 + 1)
    expect(first.received).not.toEqual(second.received)
  })
})

test('a line to such a client answers every model with one step', async () => {
  const view = world()
  const theta = rng(5).normals(25)
  const line = await stepsOn(view as never, truth)
  const { grad } = functionsOf(createModel(view.model as ModelSpec), { loss: 'mse' }).gradient(theta, { features: matrixOf(rows), labels }) // biome-ignore format: one line
  expect(await line('c', theta)).toEqual(theta.map((v, j) => v - 0.5 * grad[j]!))
  const unknown = await stepsOn({ ...view, protocol: { ...view.protocol, learningRate: null } } as never, truth)
  expect(await unknown('c', theta)).toEqual(theta.map((v, j) => v - grad[j]!))
})
