/** Messages of a linear model hold fewer numbers than a client has records, and tell of every one of them all the same. */
import { describe, expect, test } from 'vitest'
import { attackOn, only } from '../../../../test/attack-context.js'
import { problemIn } from '../../../../test/attribute-problem.js'
import { accuracy, binary, several, type WorldOptions, world } from '../../../../test/attribute-world.js'
import { aiaLinear } from '../aia-linear.js'
import { fewEquations } from './few-equations.js'

const turn = { batchSize: null, localEpochs: 5, noise: 1, records: 40, rounds: 12 } as const

describe.each<[string, WorldOptions]>([
  ['single precision', { precision: 'f32' }],
  ['double precision', { precision: 'f64' }],
  ['one step on all records', { precision: 'f32', localEpochs: 1 }],
])('%s: forty unknown values and six numbers a message', (_, options) => {
  test.each([1, 2, 3])('all values are found, and known to be right: world %i', async (seed) => {
    const w = world({ ...turn, ...options, seed })
    const few = fewEquations(await problemIn(w))!
    expect(few.astray).toBe(false)
    expect(accuracy(few.found!.guesses, w.true[0]!)).toBe(1)
    expect(Math.min(...Array.from(few.found!.confidence))).toBeGreaterThan(0.99)
    const claim = only(await attackOn(aiaLinear, w.view), 'attribute')
    expect(accuracy(claim.values, w.true[0]!)).toBe(1)
    expect(Math.max(...Array.from(claim.confidence!))).toBeCloseTo(40 / 41, 12)
  })
})

test('attributes of several values, six combinations of ten records', async () => {
  const w = world({
    ...{ ...turn, records: 10, precision: 'f32' },
    ...{ sensitive: several, model: { kind: 'linear', inputs: 6, outputs: 1 } },
  })
  const { found } = fewEquations(await problemIn(w))!
  const truth = Float64Array.from(w.true[0]!, (s, i) => 3 * s + w.true[1]![i]!)
  expect(accuracy(found!.guesses, truth)).toBe(1)
})

test('where half have the value and six numbers are too few, nothing is claimed, and the records are not called others', async () => {
  const even = { ...binary, values: [[-1], [1]] } as const
  const w = world({ ...turn, precision: 'f32', records: 120, sensitive: [even] })
  expect(fewEquations(await problemIn(w))).toEqual({ astray: false })
})

test('two people who are alike but for what is asked: neither is called sure, all others are', async () => {
  const values = world({ ...turn, precision: 'f32' }).true[0]!
  const [first, second] = [values.indexOf(0), values.indexOf(1)]
  const twins = world({ ...turn, precision: 'f32', twins: [first, second] })
  const { found } = fewEquations(await problemIn(twins))!
  for (const [i, c] of Array.from(found!.confidence).entries()) {
    if (i === first || i === second) expect(c).toBeLessThan(0.51)
    else expect(c).toBeGreaterThan(0.99)
  }
})

describe('not for', () => {
  const problem = (options: WorldOptions) => problemIn(world({ ...turn, precision: 'f32', ...options }))
  test.each<[string, WorldOptions]>([
    ['networks', { model: { kind: 'mlp', inputs: 4, outputs: 1, hidden: [4], activation: 'tanh' } }],
    ['steps on batches', { batchSize: 8 }],
    ['many records', { records: 200 }],
  ])('%s', async (_, options) => {
    expect(fewEquations(await problem(options))).toBeUndefined()
  })
  test('clipped steps, where that is stated', async () => {
    const { view } = world({ ...turn, precision: 'f32', privacy: { maxNorm: 1, noiseMultiplier: 0 } })
    expect(fewEquations(await problemIn({ view }))?.found).toBeUndefined()
    const differentialPrivacy = { maxNorm: 1, noiseMultiplier: 0 } as typeof view.protocol.differentialPrivacy
    const stated = { ...view, protocol: { ...view.protocol, differentialPrivacy } }
    expect(fewEquations(await problemIn({ view: stated }))).toBeUndefined()
  })
  test('a rate that is not known', async () => {
    expect(fewEquations({ ...(await problem({})), rate: 'one' })).toBeUndefined()
  })
})

test('records that were not trained on are known to be others', async () => {
  const [w, others] = [world({ ...turn, precision: 'f32' }), world({ ...turn, precision: 'f32', seed: 9 })]
  const view = { ...w.view, records: others.view.records, 'records.label': others.view['records.label'] }
  expect(fewEquations(await problemIn({ view }))).toEqual({ astray: true })
})
