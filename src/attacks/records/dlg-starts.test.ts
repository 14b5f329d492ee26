import { describe, expect, test } from 'vitest'
import { attackOn, only } from '../../../test/attack-context.js'
import { detailsOf, mlpSpec, modelView } from '../../../test/label-views.js'
import { initialise } from '../../models/initialise.js'
import { mlp } from '../../models/mlp.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import { type Claimed, claimed } from '../attack.js'
import { dlg } from './dlg.js'

function viewOf(
  labels: readonly number[],
  { outputs = 4, loss = 'cross-entropy' as 'cross-entropy' | 'mse' | 'binary-cross-entropy', K = 2 } = {},
) {
  const model = mlpSpec({ inputs: 3, hidden: [5], outputs, activation: 'sigmoid' })
  const theta = initialise(mlp(model), rng(3), 'normal')
  return modelView({
    model,
    theta,
    loss,
    batch: { features: matrix(K, 3, rng(1).normals(3 * K)), labels: Float64Array.from(labels) },
  })
}

const quick = { restarts: 1, iterations: 1 }
const told = (kind: string, given: object) => ({ other: claimed({ kind, client: 'a', round: 3, ...given } as never) })
const labelled = async (view: object, claims: ReturnType<typeof told>) => {
  const outcome = await attackOn(dlg, view, { params: { ...quick, labels: 'other' }, claims })
  return outcome.status === 'claimed'
    ? Array.from(only(outcome, 'records').labels)
    : `${outcome.missing.join()}: ${outcome.why}`
}

describe('labels that another attack claims', () => {
  test('are those of the claim: classes, counts of classes, one number', async () => {
    const view = viewOf([0, 3])
    expect(await labelled(view, told('labels', { labels: [0, 3] }))).toEqual([0, 3])
    expect(await labelled(view, told('labels', { labels: [2, 1] }))).toEqual([2, 1])
    expect(await labelled(view, told('label-counts', { counts: [2, 0, 0, 0] }))).toEqual([0, 0])
    expect(await labelled(view, told('label-counts', { counts: [1, 0, 0, 1] }))).toEqual([0, 3])
    const number = viewOf([1.5], { outputs: 1, loss: 'mse', K: 1 })
    expect(await labelled(number, told('label', { value: 1.25 }))).toEqual([1.25])
    const binary = viewOf([0, 1], { outputs: 1, loss: 'binary-cross-entropy' })
    expect(await labelled(binary, told('labels', { labels: [0, 1] }))).toEqual([0, 1])
  })

  test('must be one a record, and classes where there are classes', async () => {
    const view = viewOf([0, 3])
    expect(await labelled(view, told('label', { value: 1 }))).toBe('2 labels: other claims 1 for 2 records')
    expect(await labelled(view, told('model', { theta: [] }))).toBe('2 labels: other claims 0 for 2 records')
    expect(await labelled(view, told('labels', { labels: [0, 4] }))).toBe(
      'labels that are classes: label 4 of 4 classes',
    )
    expect(await labelled(view, told('labels', { labels: [-1, 0] }))).toBe(
      'labels that are classes: label -1 of 4 classes',
    )
    const two = viewOf([1, 2, 3, 4], { outputs: 2, loss: 'mse' })
    const none = 'one label a record: the model has 2 outputs that are no classes'
    expect(await labelled(two, told('labels', { labels: [0, 1] }))).toBe(none)
    const missing = await attackOn(dlg, view, { params: { labels: 'else' } })
    expect(missing).toMatchObject({ status: 'not-applicable', why: 'else claims no labels' })
  })
})

describe('starts', () => {
  const view = viewOf([0, 3])
  const started = async (params: object, onShare = (_: number): void => {}) =>
    (await attackOn(dlg, view, { params: params as never, onShare })) as Claimed

  test('as many as are asked for, of which the nearest is claimed, and doubted', async () => {
    for (const restarts of [1, 2, 5]) {
      const outcome = await started({ restarts, iterations: 2, tolerance: 0 })
      const { distances, distance, restarts: made, recordCount, labels } = detailsOf(outcome)
      expect([made, (distances as number[]).length, recordCount, labels]).toEqual([restarts, restarts, 2, 'own'])
      expect(distance).toBe(Math.min(...(distances as number[])))
      expect(outcome.warnings.at(-1)).toMatch(`the best of ${restarts} starts matches the gradient to ${distance} only`)
    }
  })

  test('none after one that is near enough, which ends at once', async () => {
    const shares: number[] = []
    const { details } = await started({ restarts: 4, iterations: 10, tolerance: 1e9 }, (share) => shares.push(share))
    expect([details.restarts, details.iterations]).toEqual([1, 0])
    expect(shares).toEqual([0])
  })

  test('tell how far they are, of all iterations that there may be', async () => {
    const shares: number[] = []
    await started({ restarts: 3, iterations: 4, tolerance: 0 }, (share) => shares.push(share))
    for (const [k, share] of shares.entries()) {
      expect(share * 12).toBeCloseTo(Math.round(share * 12), 9)
      if (k > 0) expect(share).toBeGreaterThanOrEqual(shares[k - 1]!)
    }
    for (const begin of [0, 1 / 3, 2 / 3]) expect(shares.some((share) => Math.abs(share - begin) < 1e-12)).toBe(true)
  })

  test('full steps end elsewhere than a line search does, small ones too', async () => {
    const ends = await Promise.all(
      [0, 0.01, 0.1].map(
        async (fixedStep) => (await started({ restarts: 1, iterations: 3, tolerance: 0, fixedStep })).details.distance,
      ),
    )
    expect(new Set(ends).size).toBe(3)
  })

  test('as many records as are attempted, and no more', async () => {
    expect((await started({ ...quick, largest: 2 })).status).toBe('claimed')
    expect(await attackOn(dlg, view, { params: { ...quick, largest: 1 } })).toMatchObject({
      missing: ['a batch of at most 1 records'],
    })
  })
})
