import { describe, expect, test } from 'vitest'
import { type WorldOptions, world } from '../../../../test/attribute-world.js'
import { rng } from '../../../numeric/random/rng.js'
import { Inapplicable } from '../../attack.js'
import { inferAttributes, type LinearSettings, type LinearView } from './infer-attributes.js'

const settings: LinearSettings = {
  ...{ passes: 2, rehearsals: 0, directions: 5, rate: 'auto', rng: rng('discrete') },
  tick: () => {},
}
const inferred = (view: LinearView, more: Partial<LinearSettings> = {}) =>
  inferAttributes(view, { ...settings, ...more })
const net = { kind: 'mlp', inputs: 4, outputs: 1, hidden: [30], activation: 'tanh' } as const

describe('steps on batches that say enough', () => {
  const telling: WorldOptions = { model: net, records: 20, rounds: 8, batchSize: 10, learningRate: 0.01, noise: 0.1 }
  const { view } = world(telling)
  const surest = async (of: LinearView) => {
    const found = await inferred(of)
    return { ...found, most: Math.max(...found.beliefs[0]!.confidence) }
  }

  test('leave no guess surer than one error among all records would', async () => {
    const { most, warnings, details } = await surest(view)
    expect(most).toBe(20 / 21)
    expect(warnings.join()).not.toMatch(/not exact|no guess is called sure/)
    expect(details.solver).toMatch(/^gram, /)
    expect(details).not.toHaveProperty('verified')
    expect(details).not.toHaveProperty('rateFactor')
  })

  test('nor surer than guesses may be where values were not sent', async () => {
    const compression = { kind: 'top-k', fraction: 0.9 } as unknown as typeof view.protocol.compression
    const { most, warnings } = await surest({ ...view, protocol: { ...view.protocol, compression } })
    expect(most).toBe(0.94)
    expect(warnings).toContainEqual(expect.stringMatching(/^values that were not sent .*no guess is called sure$/))
  })
})

test('what the messages leave open is told of, and what the last pass still changed', async () => {
  const { view } = world({ records: 12, rounds: 2, batchSize: 4, noise: 1 })
  const [once, twice] = [await inferred(view, { passes: 1 }), await inferred(view)]
  const changedIn = ({ details }: typeof once) => (details.passes as string[]).map((one) => Number(one.match(/\d+/)))
  expect(changedIn(once)).toEqual([12]) // from none
  expect(once.warnings.join()).not.toMatch('last pass')
  expect(once.details).not.toHaveProperty('determined')
  const determined = twice.details.determined as number
  expect(determined).toBeLessThan(9)
  expect(twice.warnings).toContain(`the messages determine about ${Math.round(determined)} of 12 unknowns`)
  const [, last] = changedIn(twice)
  const told = twice.warnings.filter((one) => one.startsWith(`the last pass still changed ${last} of 12 guesses`))
  expect(told).toHaveLength(last! > 0 ? 1 : 0)
})

describe('several steps on all records', () => {
  const { view } = world({ records: 8, rounds: 4, batchSize: null, localEpochs: 6, noise: 1, precision: 'f32' })
  test('are played over where rehearsals may be, be it one', async () => {
    expect((await inferred(view, { rehearsals: 1 })).details.solver).toBe('replayed')
  })
  test.each([
    [20, 2.4, 54],
    [24, 3, 39],
    [30, 3, 48],
  ])(
    'from what some pass believes, where neither the first nor the last leads there: %d records',
    async (records, noise, seed) => {
      const hard = world({ records, rounds: 8, batchSize: null, localEpochs: 6, noise, seed })
      const { details, beliefs } = await inferred(hard.view, { rehearsals: 8 })
      expect(details.solver).toBe('replayed')
      expect(beliefs[0]!.values).toEqual(hard.true[0])
    },
  )
  test('and are not otherwise', async () => {
    expect((await inferred(view)).details.solver).toMatch(/^gram, /)
  })
})

test('one step on all records is no system of equations where some records are not known', async () => {
  const { view } = world({ model: net, records: 8, rounds: 2, batchSize: null, noise: 1 })
  expect((await inferred(view)).details.solver).toBe('exact')
  const more = await inferred({ ...view, samples: 9 })
  expect(more.details.solver).toMatch(/^gram, /)
  expect(more.warnings.join()).not.toMatch('not exact')
})

describe('turns that nobody’s values play over', () => {
  const turn = { model: net, records: 12, rounds: 4, batchSize: null, localEpochs: 8, learningRate: 0.05, effect: 0.3, noise: 1 } as const // biome-ignore format: a line
  const missing = (of: LinearView) =>
    inferred(of, { rehearsals: 1 }).then(
      () => 'nothing',
      (error) => (error instanceof Inapplicable ? error.outcome.missing : error),
    )
  test('are those of other records', async () => {
    const [{ view }, others] = [world(turn), world({ ...turn, seed: 9 })]
    const { records, 'records.label': labels } = others.view
    expect(await missing({ ...view, records, 'records.label': labels })).toEqual(['records'])
  })
  test('or those of another protocol, where a multiple of them comes near', async () => {
    const { view } = world(turn)
    const read = async (round: number) => ({ ...(await view.exchanges.read(round)), learningRate: 0.2 })
    const protocol = { ...view.protocol, learningRate: 0.2 }
    const stated = { ...view, learningRate: 0.2, protocol, exchanges: { ...view.exchanges, read } }
    expect(await missing(stated)).toEqual(['records', 'protocol'])
  })
})
