import { describe, expect, test } from 'vitest'
import { binary, continuous, several, type WorldOptions, world } from '../../../../test/attribute-world.js'
import { rng } from '../../../numeric/random/rng.js'
import type { Exchange } from '../../../threat/granted-keys.js'
import { Inapplicable } from '../../attack.js'
import type { Sensitive } from '../unknown-columns.js'
import { inferAttributes, type LinearSettings, type LinearView } from './infer-attributes.js'

const small: WorldOptions = { records: 12, rounds: 2, batchSize: 4, noise: 0 }
const viewOf = (options: WorldOptions = {}) => world({ ...small, ...options }).view
const settings: LinearSettings = {
  ...{ passes: 1, rehearsals: 0, directions: 0, rate: 'auto', rng: rng('infer') },
  tick: () => {},
}
const inferred = (view: LinearView, more: Partial<LinearSettings> = {}) =>
  inferAttributes(view, { ...settings, ...more })

/** The view with other messages, at a rate that nobody states. */
const unrated = (view: LinearView, sent: (exchange: Exchange) => Exchange = (one) => one): LinearView => ({
  ...view,
  protocol: { ...view.protocol, learningRate: null },
  exchanges: {
    rounds: view.exchanges.rounds,
    read: async (round) => ({ ...sent(await view.exchanges.read(round)), learningRate: null }),
  },
})

const refusal = async (made: Promise<unknown>): Promise<[readonly string[], string]> => {
  const error = await made.then(
    () => undefined,
    (one: unknown) => one,
  )
  if (!(error instanceof Inapplicable)) throw new Error(`no refusal: ${error}`)
  return [error.outcome.missing, error.message]
}

describe('it does not apply', () => {
  test('where more records are given than the client trained on', async () => {
    const [missing, message] = await refusal(inferred({ ...viewOf(), samples: 11 }))
    expect(missing).toEqual(['records'])
    expect(message).toMatch('trained on 11 records and 12 were given')
  })

  test('where a rate is to be believed that nobody states', async () => {
    expect(await refusal(inferred(unrated(viewOf()), { rate: 'known' }))).toEqual([
      ['learningRate'],
      'rate=known needs the learning rate',
    ])
  })

  test('where nothing moved in any turn, but where it did in one', async () => {
    const still =
      (round: number) =>
      (one: Exchange): Exchange =>
        one.round > round ? one : { ...one, update: { kind: 'parameters', theta: one.received!.slice() } }
    const [missing, message] = await refusal(inferred(unrated(viewOf(), still(1))))
    expect(missing).toEqual(['exchanges'])
    expect(message).toMatch('no model changed in any turn')
    expect((await inferred(unrated(viewOf(), still(0)))).details.rounds).toBe(2)
  })
})

test('the rate is believed where it is stated, else one factor is sought, or what is asked for', async () => {
  const view = viewOf()
  const rates = [await inferred(view), await inferred(unrated(view)), await inferred(view, { rate: 'each' })]
  expect(rates.map(({ details }) => details.rate)).toEqual(['known', 'one', 'each'])
  expect(rates.map(({ details }) => details.localSteps)).toEqual([3, 3, 3])
})

test('records that nobody knows, and messages that repeat others, are told of', async () => {
  const view = viewOf()
  const told = async (of: LinearView) => (await inferred(of)).warnings.filter((one) => !one.includes('determine'))
  const more = '2 of the client\'s 14 records are unknown: others stand for them' // biome-ignore format: a sentence
  expect(await told({ ...view, samples: 14 })).toContain(more)
  const { samples: _, ...unsaid } = view
  for (const own of [view, unsaid]) expect((await told(own)).join()).not.toMatch('others')
  const again = { rounds: [0, 1, 2], read: async (round: number) => view.exchanges.read(Math.min(round, 1)) }
  expect(await told({ ...view, exchanges: again })).toContain('1 of 3 messages repeat others: 2 count')
})

/** An attribute of so many values in a column of its own. */
const coded = (name: string, values: number): Sensitive => ({
  ...{ name, columns: [name], kind: 'categorical', words: [] },
  values: Array.from({ length: values }, (_, v) => [v / values]),
})

describe('several attributes', () => {
  test.each([
    ['sixteen combinations', [4, 4], 15],
    ['more', [4, 5], 4],
    ['more, the other way round', [5, 4], 3],
  ])('are one unknown up to %s', async (_, values, others) => {
    const sensitive = values.map((count, a) => coded(`c${a}`, count))
    const { details, beliefs } = await inferred(viewOf({ sensitive }))
    expect(details.unknowns).toBe(12 * others)
    expect(beliefs).toHaveLength(2)
  })

  test('keep their order, continuous ones coming last, and their guesses stand in the records', async () => {
    const sensitive = [continuous, ...several]
    const view = viewOf({ sensitive, noise: 0.1 })
    const { unknowns, beliefs, filled, details, warnings } = await inferred(view)
    expect(unknowns.attributes.map(({ sensitive: { name } }) => name)).toEqual(['v', 's', 'c'])
    expect(details).toMatchObject({ solver: 'range', unknowns: 12, rounds: 2 })
    expect(warnings.filter((one) => one.includes('kinks'))).toEqual([]) // a line has none
    const [first, second] = several.map((one) => (one.kind === 'continuous' ? [] : one.values))
    for (let i = 0; i < 12; i++) {
      const [v, s, c] = beliefs.map(({ values }) => values[i]!) as [number, number, number]
      expect([...filled.data.subarray(7 * i + 3, 7 * i + 7)]).toEqual([v, ...first![s]!, ...second![c]!])
      expect([...filled.data.subarray(7 * i, 7 * i + 3)]).toEqual([...view.records.features.data.subarray(7 * i, 7 * i + 3)]) // biome-ignore format: a line
    }
  })

  test('a network may take values between its kinks for others, which is said once', async () => {
    const model = { kind: 'mlp', inputs: 5, outputs: 1, hidden: [3], activation: 'relu' } as const
    const { warnings } = await inferred(viewOf({ model, sensitive: [continuous, binary], records: 6 }))
    expect(warnings.filter((one) => one.startsWith('v: values between two kinks'))).toHaveLength(1)
  })
})

test('a model speaks too where one is given: by the losses that it has', async () => {
  const w = world({ ...small, records: 30, rounds: 1 })
  const right = (values: Float64Array): number => values.filter((v, i) => v === w.true[0]![i]).length
  const [alone, fused] = [
    await inferred(w.view),
    await inferred(w.view, { fuse: Float64Array.of(1, -0.5, 0.25, 2, 0) }),
  ]
  expect(right(alone.beliefs[0]!.values)).toBeLessThan(30)
  expect(right(fused.beliefs[0]!.values)).toBe(30)
  expect(Math.min(...fused.beliefs[0]!.confidence)).toBeGreaterThan(0.9)
})
