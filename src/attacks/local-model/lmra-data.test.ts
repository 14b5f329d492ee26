import { describe, expect, test } from 'vitest'
import { attackOn, only } from '../../../test/attack-context.js'
import { several, type World, world } from '../../../test/attribute-world.js'
import { functionsOf } from '../../models/functions.js'
import { createModel, type ModelSpec } from '../../models/index.js'
import { leastSquares } from '../../numeric/linalg/least-squares.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import type { Truth } from '../../transcript/truth-file.js'
import { type Claimed, claimed, type Outcome } from '../attack.js'
import type { AttributeClaim } from '../claim.js'
import { lmraData } from './lmra-data.js'

const attributes = (w: World, change = (_a: number, v: number): number => v): Outcome =>
  claimed(
    w.view.sensitive.map(
      ({ name }, a): AttributeClaim => ({
        kind: 'attribute',
        client: '0',
        name,
        values: w.true[a]!.map((v) => change(a, v)),
      }),
    ),
    { warnings: ['a doubt'] },
  )

/** argmin of the client's squared error under a linear model, by QR. */
function optimumOf({ complete, view }: World): Float64Array {
  const { rows, cols, data } = complete
  const A = matrix(rows, cols + 1)
  for (let i = 0; i < rows; i++) {
    A.data.set(data.subarray(i * cols, (i + 1) * cols), i * (cols + 1))
    A.data[i * (cols + 1) + cols] = 1
  }
  return leastSquares(A, matrix(rows, 1, view['records.label'])).X.data
}

const distance = (a: Float64Array, b: Float64Array): number =>
  Math.sqrt(a.reduce((sum, v, j) => sum + (v - b[j]!) ** 2, 0) / b.reduce((sum, v) => sum + v * v, 0))

test('with the right attributes a linear client is reconstructed to its optimum', async () => {
  const w = world({ sensitive: several, records: 60, rounds: 2 })
  const outcome = await attackOn(lmraData, w.view, { claims: { 'aia-linear': attributes(w) } })
  expect(distance(only(outcome, 'model').theta, optimumOf(w))).toBeLessThan(1e-5)
  expect(outcome).toMatchObject({ warnings: ['aia-linear: a doubt'], details: { from: 'aia-linear' } })
})

test('a network ends with far less loss on the client than the model it returned', async () => {
  const model = { kind: 'mlp', inputs: 4, outputs: 1, hidden: [8] } as const satisfies ModelSpec
  const w = world({ model, records: 60, rounds: 3, effect: 1 })
  const outcome = await attackOn(lmraData, w.view, {
    claims: { 'aia-linear': attributes(w) },
    params: { iterations: 200 },
  })
  const { theta } = only(outcome, 'model')
  const batch = { features: w.complete, labels: w.view['records.label'] }
  const last = await w.view.exchanges.read(2)
  if (last.update.kind !== 'parameters' || outcome.status !== 'claimed') throw new Error('parameters')
  const functions = functionsOf(createModel(model))
  expect(functions.loss(theta, batch)).toBeLessThan(0.2 * functions.loss(last.update.theta, batch))
  expect(outcome.details.lossAfter).toBeCloseTo(functions.loss(theta, batch), 9)
})

test('attributes that are not there, or of another length, are said to be', async () => {
  const w = world({ records: 20, rounds: 1 })
  expect(await attackOn(lmraData, w.view)).toMatchObject({ missing: ['a claim of aia-linear'] })
  const none = claimed({ kind: 'model', client: '0', theta: new Float64Array(5) })
  expect(await attackOn(lmraData, w.view, { claims: { 'aia-linear': none } })).toMatchObject({
    missing: ['the attribute s'],
  })
  const short = claimed({ kind: 'attribute', client: '0', name: 's', values: [0, 1] })
  await expect(attackOn(lmraData, w.view, { claims: { 'aia-linear': short } })).rejects.toThrow(/20 records/)
})

test('what aia-linear cannot attack is not applicable, and what it doubts is doubted in figures', async () => {
  const w = world({ records: 20, rounds: 1 })
  const opaque = { status: 'not-applicable', missing: ['model'] } as const
  const refused = await attackOn(
    lmraData,
    { ...w.view, model: { kind: 'opaque' } },
    { claims: { 'aia-linear': opaque } },
  )
  expect(refused).toMatchObject({ status: 'not-applicable', missing: ['model'] })
  const sure = (p: number) => {
    const { claims } = attributes(w) as Claimed
    const confident = claims.map((one) => ({ ...one, confidence: new Float64Array(20).fill(p) }) as AttributeClaim)
    return attackOn(lmraData, w.view, { claims: { 'aia-linear': claimed(confident) } })
  }
  expect(await sure(0.7)).toMatchObject({
    warnings: [expect.stringMatching(/expects 70.0 % of its values/)],
    details: { expectedRight: expect.closeTo(0.7, 9) },
  })
  expect(await sure(0.999)).toMatchObject({ warnings: [] })
})

describe('controls', () => {
  const w = world({ records: 60, rounds: 4 })
  const truth: Truth = { ...w.truth, optimum: async () => optimumOf(w) }
  test('planted: found', async () => {
    const plant = lmraData.plant as Exclude<typeof lmraData.plant, { none: string }>
    const { view, claims } = await plant({ view: w.view, params: {}, truth, rng: rng(1) })
    const { theta } = only(await attackOn(lmraData, view, { claims: claims! }), 'model')
    expect(distance(theta, optimumOf(w))).toBeLessThan(1e-6)
  })

  test('shuffled: further from the optimum than what the client was sent', async () => {
    const shuffle = lmraData.shuffle as Exclude<typeof lmraData.shuffle, { none: string }>
    const { view, claims } = await shuffle({ view: w.view, params: {}, rng: rng(1) })
    const { theta } = only(await attackOn(lmraData, view, { claims: claims! }), 'model')
    const { received } = await w.view.exchanges.read(3)
    expect(distance(theta, optimumOf(w))).toBeGreaterThan(distance(received!, optimumOf(w)))
  })

  test.each([
    ['mse', { kind: 'linear', inputs: 4, outputs: 1 }, [1, -2, 0.5]],
    ['binary-cross-entropy', { kind: 'logistic', inputs: 4 }, [0, 1, 1]],
    ['cross-entropy', { kind: 'mlp', inputs: 4, hidden: [3], outputs: 3 }, [0, 1, 2]],
  ] as const)(
    'shuffled: %s moves labels to the next class, or further down than any is large',
    async (loss, spec, values) => {
      const shuffle = lmraData.shuffle as Exclude<typeof lmraData.shuffle, { none: string }>
      const labels = Float64Array.from({ length: 60 }, (_, i) => values[i % 3]!)
      const given = { ...w.view, loss, 'records.label': labels, model: spec }
      const { view } = await shuffle({ view: given as never, params: {}, rng: rng(1) })
      const order = rng(1).fork('labels').permutation(60)
      const moved = Array.from(order, (i) => {
        if (loss === 'mse') return labels[i]! - 3 * 2
        return (labels[i]! + 1) % (loss === 'cross-entropy' ? 3 : 2)
      })
      expect([...(view as typeof w.view)['records.label']]).toEqual(moved)
    },
  )
})
