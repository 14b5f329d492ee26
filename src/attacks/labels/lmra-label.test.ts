import { describe, expect, test } from 'vitest'
import { attackOn, contextFor, only } from '../../../test/attack-context.js'
import { linearFederation, truthOf, viewOf } from '../../../test/linear-federation.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import type { Truth } from '../../transcript/truth-file.js'
import { type Attack, type Claimed, claimed } from '../attack.js'
import { lmraLabel } from './lmra-label.js'

const world = linearFederation({ d: 4, noiseStd: 0.3, records: 60 })
const truth = truthOf(world)
const table = (await truth.client('0'))!
const { model, loss, protocol } = viewOf(world)
const view = { records: { columns: table.columns, features: table.features }, target: '0', model, loss, protocol }
const modelClaim = (theta: Float64Array, warnings: string[] = []) =>
  claimed({ kind: 'model', client: '0', theta }, { warnings })
const claims = { 'lmra-ols': modelClaim(world.optimum, ['a doubt']) }

const errorSq = (labels: ArrayLike<number>, y = table.labels!) =>
  y.reduce((sum, v, i) => sum + (v - labels[i]!) ** 2, 0) / y.length

test('one label per record, the optimum’s prediction; no other affine rule is nearer', async () => {
  const outcome = await attackOn(lmraLabel, view, { claims })
  const { labels, round } = only(outcome, 'labels')
  expect(round).toBeUndefined()
  expect(labels).toHaveLength(60)
  expect(errorSq(labels)).toBeLessThan(0.15) // the noise has variance 0.09
  expect((outcome as Claimed).warnings).toEqual(['lmra-ols: a doubt'])
  for (let k = 0; k < 4; k++) {
    const near = world.optimum.map((v, j) => v + (j === k ? 0.05 : 0))
    const other = only(await attackOn(lmraLabel, view, { claims: { 'lmra-ols': modelClaim(near) } }), 'labels')
    expect(errorSq(other.labels)).toBeGreaterThan(errorSq(labels))
  }
})

test('classes: the larger logit, the likelier side', async () => {
  const features = matrix(3, 2, Float64Array.of(1, 0, 0, 1, -1, -1))
  const records = { columns: ['a', 'b'], features }
  const logistic = { kind: 'logistic', inputs: 2, outputs: 1, bias: true }
  const one = { ...view, records, model: logistic, loss: 'binary-cross-entropy' }
  const theta = Float64Array.of(1, -1, 0.1)
  const binary = await attackOn(lmraLabel, one, { claims: { 'lmra-ols': modelClaim(theta) } })
  expect(Array.from(only(binary, 'labels').labels)).toEqual([1, 0, 1])
  const softmax = { kind: 'softmax', inputs: 2, outputs: 3, bias: true }
  const several = { ...view, records, model: softmax, loss: 'cross-entropy' }
  const W = Float64Array.of(1, 0, 0, 1, -1, -1, 0, 0, 0)
  const multi = await attackOn(lmraLabel, several, { claims: { 'lmra-ols': modelClaim(W) } })
  expect(Array.from(only(multi, 'labels').labels)).toEqual([0, 1, 2])
})

describe('what is not known', () => {
  const hidden = matrix(60, 3, table.features.data.slice())
  for (let i = 0; i < 60; i++) hidden.data[3 * i + 1] = Number.NaN
  const records = { columns: table.columns, features: hidden }

  test('an unknown attribute is taken as the middle of its values, with a warning', async () => {
    const sensitive = [{ name: 'smoker', columns: ['1'], kind: 'binary', values: [[-1], [3]] }]
    const outcome = await attackOn(lmraLabel, { ...view, records, sensitive }, { claims })
    expect((outcome as Claimed).details).toMatchObject({ filled: ['smoker'] })
    expect((outcome as Claimed).warnings[1]).toContain('smoker: unknown')
    const x = [table.features.data[0]!, 1, table.features.data[2]!, 1]
    const expected = x.reduce((sum, v, j) => sum + v * world.optimum[j]!, 0)
    expect(only(outcome, 'labels').labels[0]).toBeCloseTo(expected, 12)
    const range = [{ name: 'age', columns: ['1'], kind: 'continuous', range: [0, 2] }]
    const continuous = await attackOn(lmraLabel, { ...view, records, sensitive: range }, { claims })
    expect(only(continuous, 'labels').labels[0]).toBeCloseTo(expected, 12)
  })

  test('an attribute of which the records have no column fills no other', async () => {
    const last = matrix(60, 3, table.features.data.slice())
    for (let i = 0; i < 60; i++) last.data[3 * i + 2] = Number.NaN
    const open = { columns: table.columns, features: last }
    for (let i = 0; i < 60; i++) last.data[3 * i] = Number.NaN
    const first = { name: 'first', columns: [table.columns[0]!], kind: 'binary', values: [[0], [4]] }
    const elsewhere = { name: 'elsewhere', columns: ['nowhere'], kind: 'binary', values: [[100], [200]] }
    const own = { name: 'own', columns: [table.columns[2]!], kind: 'binary', values: [[-1], [3]] }
    const asked = { ...view, records: open, sensitive: [elsewhere, first, own] }
    const outcome = (await attackOn(lmraLabel, asked, { claims })) as Claimed
    expect(outcome.details).toMatchObject({ filled: ['first', 'own'] })
    const x = (i: number) => [2, table.features.data[3 * i + 1]!, 1, 1]
    for (const i of [0, 59])
      expect(only(outcome, 'labels').labels[i]).toBeCloseTo(x(i).reduce((sum, v, j) => sum + v * world.optimum[j]!, 0), 12) // biome-ignore format: a line
  })

  test('an empty cell that nothing explains: not applicable', async () => {
    const outcome = await attackOn(lmraLabel, { ...view, records }, { claims })
    expect(outcome).toMatchObject({ status: 'not-applicable', missing: ['records'] })
    const gap = async (cell: number) => {
      const features = matrix(60, 3, table.features.data.slice())
      features.data[cell] = Number.NaN
      const found = await attackOn(lmraLabel, { ...view, records: { ...records, features } }, { claims })
      return (found as { why?: string }).why
    }
    const said = [0, 5, 179].map((cell) => `row ${Math.floor(cell / 3)} has no ${table.columns[cell % 3]}: the label hangs on every column`) // biome-ignore format: a line
    expect(await Promise.all([0, 5, 179].map(gap))).toEqual(said)
  })

  test('no reconstructed model, an opaque one, several outputs that are no classes: not applicable', async () => {
    const missing = { status: 'not-applicable', missing: ['12 messages'], why: 'heard once' } as const
    const none = await attackOn(lmraLabel, view, { claims: { 'lmra-ols': missing } })
    expect(none).toEqual({
      status: 'not-applicable',
      missing: ['12 messages'],
      why: 'lmra-ols is not applicable: heard once',
    })
    const opaque = await attackOn(lmraLabel, { ...view, model: { kind: 'opaque' } }, { claims })
    expect(opaque).toMatchObject({ missing: ['model'] })
    const two = await attackOn(lmraLabel, { ...view, model: { ...model, outputs: 2 } }, { claims })
    expect(two).toMatchObject({ missing: ['a model of one label'] })
  })

  test('an attack that claims no model is an error', async () => {
    const other = { 'lmra-ols': claimed({ kind: 'label', client: '0', round: 0, value: 1 }) }
    await expect(attackOn(lmraLabel, view, { claims: other })).rejects.toThrow('lmra-ols claims no model')
  })
})

describe('controls', () => {
  const plant = lmraLabel.plant as Exclude<Attack['plant'], { none: string }>

  test('planted: every label, for a linear model and for a network', async () => {
    const planted = await plant({ view: view as never, params: {}, truth, rng: rng(1) })
    const outcome = await lmraLabel.run(planted.view, contextFor({ claims: planted.claims! }))
    expect(errorSq(only(outcome, 'labels').labels)).toBeLessThan(1e-20)
    const network = {
      kind: 'mlp',
      inputs: 3,
      hidden: [8],
      outputs: 1,
      activation: 'tanh',
      outputActivation: 'identity',
    }
    const optimum = rng(4).normals(41)
    // Labels that this network can say.
    const labels = table.labels!.map((y) => Math.tanh(y))
    const other: Truth = { ...truth, client: async () => ({ ...table, labels }), optimum: async () => optimum }
    const deep = await plant({ view: { ...view, model: network } as never, params: {}, truth: other, rng: rng(1) })
    const said = await lmraLabel.run(deep.view, contextFor({ claims: deep.claims! }))
    expect(errorSq(only(said, 'labels').labels, labels)).toBeLessThan(0.02)
  })

  test('planted: every class', async () => {
    const logistic = { kind: 'logistic', inputs: 3, outputs: 1, bias: true }
    const labels = table.labels!.map((y) => (y > 0 ? 1 : 0))
    const other: Truth = { ...truth, client: async () => ({ ...table, labels }) }
    const classes = { ...view, model: logistic, loss: 'binary-cross-entropy' }
    const planted = await plant({ view: classes as never, params: {}, truth: other, rng: rng(1) })
    const outcome = await lmraLabel.run(planted.view, contextFor({ claims: planted.claims! }))
    expect(Array.from(only(outcome, 'labels').labels)).toEqual(Array.from(labels))
  })

  test('shuffled records: no nearer than the mean label', async () => {
    const shuffle = lmraLabel.shuffle as Exclude<Attack['shuffle'], { none: string }>
    const shuffled = await shuffle({ view: view as never, params: {}, rng: rng(1) })
    const outcome = await lmraLabel.run(shuffled.view, contextFor({ claims }))
    const mean = table.labels!.reduce((a, b) => a + b, 0) / 60
    const variance = errorSq(new Array(60).fill(mean))
    expect(errorSq(only(outcome, 'labels').labels)).toBeGreaterThan(variance)
  })
})
