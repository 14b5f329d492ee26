import { describe, expect, test } from 'vitest'
import { headView, protocolOf } from '../../../../test/label-views.js'
import { matrixOf } from '../../../numeric/linalg/matrix.js'
import type { Exchange, View } from '../../../threat/granted-keys.js'
import { Inapplicable } from '../../attack.js'
import { attackedUpdate, carrying } from '../../shared/attacked-update.js'
import { classHead, headPlace, layerOf, withLayer } from './class-head.js'

const shapes = (...all: number[][]) => all.map((shape, i) => ({ name: `p${i}`, shape }))

describe('the last layer of a list of parameters', () => {
  test('weights and a bias, weights alone, weights the other way round', () => {
    expect(headPlace(shapes([4, 2], [4], [3, 4], [3]))).toMatchObject({
      classes: 3,
      width: 4,
      weightAt: 12,
      biasAt: 24,
    })
    expect(headPlace(shapes([4, 2], [3, 4]))).toMatchObject({ classes: 3, width: 4, weightAt: 8, biasAt: undefined })
    expect(headPlace(shapes([4, 3], [3]))).toMatchObject({ classes: 3, width: 4, transposed: true })
  })
  test.each([
    [[]],
    [[[3]]],
    [[[1, 4], [1]]],
    [[[3, 4], [5]]],
    [[[3, 4, 5, 5], [3]]],
    [
      [
        [3, 4],
        [3, 4],
        [2, 2, 2],
      ],
    ],
  ])('%j is none', (list) => expect(() => headPlace(shapes(...list))).toThrow(Inapplicable))
  test('what was put in comes out, whichever way it lies', () => {
    const layer = {
      W: matrixOf([
        [1, 2, 3],
        [4, 5, 6],
      ]),
      b: Float64Array.of(7, 8),
    }
    for (const list of [shapes([1], [2, 3], [2]), shapes([1], [3, 2], [2])]) {
      const place = headPlace(list)
      const flat = withLayer(
        Float64Array.from({ length: 9 }, () => 9),
        place,
        layer,
      )
      expect(flat[0]).toBe(9)
      expect(layerOf(flat, place)).toEqual(layer)
    }
    expect(Array.from(withLayer(new Float64Array(8), headPlace(shapes([3, 2], [2])), layer))).toEqual([
      1, 4, 2, 5, 3, 6, 7, 8,
    ])
  })
  test('an update of another length is an error', async () => {
    const view = { ...headView({ gradW: [[1], [-1]], K: 1 }), parameters: shapes([2, 2]) }
    await expect(classHead(view, { size: 'any' })).rejects.toThrow('the update holds 2 values')
  })
})

describe('the attacked update', () => {
  const theta = Float64Array.of(1, 2)
  const dTheta = Float64Array.of(-0.5, 0.25)
  const delta: Exchange = { round: 0, received: theta, learningRate: 0.1, update: { kind: 'delta', dTheta } }
  const viewOf = (exchange: Exchange, protocol: Partial<View<'protocol'>['protocol']>, more: object = {}) => ({
    exchanges: { rounds: [0], read: async () => exchange },
    target: 'a',
    round: 0,
    batchSize: 5,
    protocol: protocolOf(protocol),
    ...more,
  })
  const known = { size: 'known' } as const

  test('one full batch: the descent over the step and the scale of the loss', async () => {
    const parameters: Exchange = {
      ...delta,
      update: { kind: 'parameters', theta: theta.map((v, j) => v + dTheta[j]!) },
    }
    for (const exchange of [delta, parameters]) {
      const { grad, unit, recordCount, warnings } = await attackedUpdate(viewOf(exchange, { lossScale: 0.5 }), known)
      expect(Array.from(grad)).toEqual([10, -5])
      expect([unit, recordCount, warnings]).toEqual([0.05, 5, []])
      const back = carrying(
        exchange,
        grad.map((g) => g * unit!),
      )
      expect((await attackedUpdate(viewOf(back, { lossScale: 0.5 }), known)).grad).toEqual(grad)
    }
  })
  test('several batches: steps are counted, and the records are those of all batches', async () => {
    const protocol = { localEpochs: 2, batchSize: 5 }
    const { grad, localSteps, recordCount, warnings } = await attackedUpdate(
      viewOf(delta, protocol, { samples: 12 }),
      known,
    )
    expect([localSteps, recordCount]).toEqual([6, 12])
    expect(grad[0]).toBeCloseTo(0.5 / 0.6, 12)
    expect(warnings).toEqual(['6 local steps are read as one, at the model that was sent'])
    const few = await attackedUpdate(
      viewOf(delta, { localSteps: 2, localEpochs: null, batchSize: 5 }, { samples: 12 }),
      known,
    )
    expect([few.localSteps, few.recordCount]).toEqual([2, 10])
    const told = await attackedUpdate(viewOf(delta, protocol, { samples: 12, batchSize: 7 }), known)
    expect(told.recordCount).toBe(7)
  })
  test('what the size needs and is not there', async () => {
    const blind = { ...delta, learningRate: null }
    await expect(attackedUpdate(viewOf(blind, {}), known)).rejects.toMatchObject({
      outcome: { missing: ['learningRate'] },
    })
    const batches = viewOf(delta, { batchSize: 5 })
    await expect(attackedUpdate(batches, known)).rejects.toMatchObject({ outcome: { missing: ['samples'] } })
    const epochs = viewOf(delta, { localEpochs: null })
    await expect(attackedUpdate(epochs, known)).rejects.toMatchObject({
      outcome: { missing: ['protocol.localEpochs'] },
    })
    expect((await attackedUpdate(viewOf(blind, {}), { size: 'any' })).unit).toBeNull()
    const none = viewOf({ ...delta, received: undefined, update: { kind: 'parameters', theta } }, {})
    await expect(attackedUpdate(none, known)).rejects.toMatchObject({ outcome: { missing: ['globals'] } })
  })
  test('values that are not finite are errors, in the update and in the model', async () => {
    const broken = { ...delta, received: Float64Array.of(1, Number.NaN) }
    await expect(attackedUpdate(viewOf(broken, {}), known)).rejects.toThrow('the model sent in round 0 holds NaN at 1')
    const update = { kind: 'delta', dTheta: Float64Array.of(Number.POSITIVE_INFINITY, 0) } as const
    await expect(attackedUpdate(viewOf({ ...delta, update }, {}), known)).rejects.toThrow('holds -Infinity at 0')
  })
  test('a mechanism and bent steps are doubts; a batch of no records is an error', async () => {
    const privacy = { mechanism: 'dp-sgd', maxNorm: 1, noiseMultiplier: 1, sampleRate: null, delta: null }
    const view = viewOf(delta, { differentialPrivacy: privacy, momentum: 0.9, localSteps: 3 })
    expect((await attackedUpdate(view, known)).warnings).toHaveLength(3)
    await expect(attackedUpdate(viewOf(delta, {}, { batchSize: 0 }), known)).rejects.toThrow('batchSize is 0')
  })
})
