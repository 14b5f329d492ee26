import { describe, expect, test } from 'vitest'
import { headView, protocolOf, type UpdateViewForTest } from '../../../test/label-views.js'
import type { Exchange } from '../../threat/granted-keys.js'
import type { Protocol } from '../../transcript/manifest.js'
import { attackedUpdate, carrying } from './attacked-update.js'

const received = Float64Array.of(10, 20)
const of = (...values: number[]) => Float64Array.from(values)

interface Heard extends Partial<Omit<Exchange, 'update'>> {
  readonly update?: Exchange['update']
  readonly protocol?: Partial<Protocol>
}

function viewOf({ protocol, ...exchange }: Heard = {}): UpdateViewForTest {
  const update: Exchange['update'] = { kind: 'gradient', grad: of(1, -2) }
  const heard: Exchange = { round: 3, received, learningRate: null, update, ...exchange }
  const view = headView({ gradW: [[1], [1]], K: 2 })
  return {
    ...view,
    exchanges: { rounds: [3], read: async () => heard },
    protocol: protocolOf({ localSteps: 1, ...protocol }),
  }
}
const known = { size: 'known' } as const
const any = { size: 'any' } as const

describe('the gradient behind a message', () => {
  test('is what was shared, without the scale of the loss', async () => {
    const found = await attackedUpdate(viewOf({ protocol: { lossScale: 0.5 } }), known)
    expect(found).toEqual({
      ...{ round: 3, theta: received, recordCount: 2, localSteps: 1, unit: 0.5 },
      ...{ grad: of(2, -4), warnings: [] },
    })
  })

  test('is a change by the rate, the steps and the scale', async () => {
    const update = { kind: 'delta', dTheta: of(-3, 6) } as const
    const found = await attackedUpdate(viewOf({ update, learningRate: 0.5, protocol: { lossScale: 2, localSteps: 3 } }), known) // biome-ignore format: one line
    expect(found).toMatchObject({ unit: 3, localSteps: 3, grad: of(1, -2) })
  })

  test('is what was taken off the parameters', async () => {
    const update = { kind: 'parameters', theta: of(9, 22) } as const
    const found = await attackedUpdate(viewOf({ update, learningRate: 0.5 }), known)
    expect(found).toMatchObject({ unit: 0.5, grad: of(2, -4) })
  })

  test('is read up to its length where its size cannot be told, for those who ask no more', async () => {
    const update = { kind: 'delta', dTheta: of(-3, 6) } as const
    expect(await attackedUpdate(viewOf({ update }), any)).toMatchObject({ unit: null, grad: of(3, -6), localSteps: 1 })
    await expect(attackedUpdate(viewOf({ update }), known)).rejects.toMatchObject({
      outcome: { missing: ['learningRate'] },
      message: expect.stringContaining('the size of the gradient cannot be told'),
    })
    const unknown = { update, learningRate: 0.5, protocol: { localSteps: null, localEpochs: null } }
    const found = await attackedUpdate(viewOf(unknown), any)
    expect(found).toMatchObject({ unit: null, grad: of(3, -6), localSteps: null })
    expect(found.warnings).toEqual(['an unknown number of local steps are read as one, at the model that was sent'])
    await expect(attackedUpdate(viewOf(unknown), known)).rejects.toMatchObject({
      outcome: { missing: ['protocol.localEpochs'] },
    })
    for (const protocol of [{ localEpochs: 2 }, { localSteps: null, localEpochs: 2, batchSize: 2 }]) {
      const batches = { update, learningRate: 0.5, protocol: { localSteps: null, batchSize: 2, ...protocol } }
      await expect(attackedUpdate(viewOf(batches), known)).rejects.toMatchObject({ outcome: { missing: ['samples'] } })
    }
  })
})

describe('what cannot be read is refused', () => {
  test('parameters without the model that was sent, or of another length', async () => {
    const update = { kind: 'parameters', theta: of(9, 22) } as const
    await expect(attackedUpdate(viewOf({ update, received: undefined }), any)).rejects.toMatchObject({
      outcome: { missing: ['globals'] },
      message: expect.stringContaining('round 3 lacks the model'),
    })
    await expect(attackedUpdate(viewOf({ update, received: of(1, 2, 3) }), any)).rejects.toMatchObject({
      code: 'E_SHAPE',
      message: 'round 3: a model of 3 values was sent, one of 2 returned',
    })
  })

  test('a turn without a step', async () => {
    const update = { kind: 'delta', dTheta: of(-3, 6) } as const
    const still = viewOf({ update, learningRate: 1, protocol: { localSteps: 0 } })
    await expect(attackedUpdate(still, any)).rejects.toMatchObject({ outcome: { missing: ['a local step'] } })
  })

  test('numbers that are none, in the update or in the model', async () => {
    const update = { kind: 'gradient', grad: of(1, Number.NaN) } as const
    await expect(attackedUpdate(viewOf({ update }), any)).rejects.toMatchObject({
      code: 'E_NON_FINITE',
      message: 'the update of round 3 holds NaN at 1',
    })
    await expect(attackedUpdate(viewOf({ received: of(Number.POSITIVE_INFINITY, 1) }), any)).rejects.toMatchObject({
      code: 'E_NON_FINITE',
      message: 'the model sent in round 3 holds Infinity at 0',
    })
    expect((await attackedUpdate(viewOf({ received: undefined }), any)).theta).toBeUndefined()
  })
})

describe('doubts', () => {
  const update = { kind: 'delta', dTheta: of(-3, 6) } as const
  const warningsOf = async (protocol: Partial<Protocol>) =>
    (await attackedUpdate(viewOf({ update, learningRate: 1, protocol }), any)).warnings
  const several = '2 local steps are read as one, at the model that was sent'
  const bends = 'momentum or a proximal term bends these steps'

  test('are of several steps, and of what bends them', async () => {
    expect(await warningsOf({ localSteps: 2 })).toEqual([several])
    expect(await warningsOf({ localSteps: 2, momentum: 0.5 })).toEqual([several, bends])
    expect(await warningsOf({ localSteps: 2, proxMu: 0.5 })).toEqual([several, bends])
    expect(await warningsOf({ momentum: 0.5, proxMu: 0.5 })).toEqual([])
  })

  test('are of noise and of mixtures', async () => {
    const differentialPrivacy = { mechanism: 'dp-sgd' } as never
    expect(await warningsOf({ differentialPrivacy })).toEqual([
      'dp-sgd changed the update: its size and signs carry noise',
    ])
    expect(await warningsOf({ mixup: { alpha: 1 } as never })).toEqual([
      'the update is that of mixtures of records: labels are read of these',
    ])
  })
})

test('a message carries another gradient in its own kind', () => {
  const heard = of(1, -2)
  const exchange = { round: 3, received, learningRate: 0.5 }
  const with_ = (update: Exchange['update'], ...given: [Float64Array?]) =>
    carrying({ ...exchange, update }, heard, ...given)
  expect(with_({ kind: 'gradient', grad: of(0, 0) })).toEqual({
    ...exchange,
    update: { kind: 'gradient', grad: heard },
  })
  expect(with_({ kind: 'delta', dTheta: of(0, 0) })).toEqual({ ...exchange, update: { kind: 'delta', dTheta: of(-1, 2) } }) // biome-ignore format: one line
  expect(with_({ kind: 'parameters', theta: of(0, 0) })).toEqual({ ...exchange, update: { kind: 'parameters', theta: of(9, 22) } }) // biome-ignore format: one line
  expect(with_({ kind: 'parameters', theta: of(0, 0) }, of(1, 1))).toEqual({
    ...exchange,
    received: of(1, 1),
    update: { kind: 'parameters', theta: of(0, 3) },
  })
})
