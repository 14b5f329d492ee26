import { describe, expect, test } from 'vitest'
import { contextFor, only } from '../../../test/attack-context.js'
import { accuracy, continuous, several, world } from '../../../test/attribute-world.js'
import { tableOf, truthOf } from '../../../test/hand-truth.js'
import { aiaGradient, matchGrid } from '../../attacks/attributes/aia-gradient.js'
import type { AttributeClaim } from '../../attacks/claim.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { rng } from '../../numeric/random/rng.js'
import type { Channel } from '../../threat/granted-keys.js'
import { aiaGradientOracle } from './aia-gradient-oracle.js'
import { oracles } from './index.js'

const model = { kind: 'mlp', inputs: 4, outputs: 1, hidden: [16] } as const
const grid = { fractions: [0.1, 0.5, 1], rates: [1, 1e2, 1e4], iterations: 20 }
const w = world({ model, records: 40, rounds: 10, effect: 1 })
const on = (view: object, params: object, truth = w.truth) =>
  aiaGradientOracle.run(view, { ...contextFor({ params: { ...grid, ...params } }), truth })

test('stands in the table', () => expect(oracles['aia-gradient-oracle']).toBe(aiaGradientOracle))

describe.each(['straight-through', 'soft'] as const)('%s', (variant) => {
  test('picks the most accurate of the grid, where the attack picks the best cosine', async () => {
    const outcome = await on(w.view, { variant })
    const right = accuracy(only(outcome, 'attribute').values, w.true[0]!)
    const params = { ...grid, variant, start: 'normal', draws: 1, temperature: 1, echo: 0 } as const
    const { candidates } = await matchGrid(w.view, { params, rng: rng(1).fork('attack'), tick() {} })
    const each = candidates.map(({ guesses }) => accuracy(guesses[0]!, w.true[0]!))
    const best = each.indexOf(Math.max(...each))
    expect(Math.max(...each)).toBeGreaterThan(Math.min(...each))
    expect(right).toBe(each[best])
    const { set, rate } = candidates[best]!
    expect(outcome).toMatchObject({ details: { variant, tried: 9, picked: [{ set, rate, merit: right }] } })
    const honest = only(await aiaGradient.run(w.view, contextFor({ params: { ...grid, variant } })), 'attribute')
    expect(right).toBeGreaterThanOrEqual(accuracy(honest.values, w.true[0]!))
  })
})

test('picks for each attribute by itself, numbers by their square error', async () => {
  const many = world({ sensitive: [...several, continuous], model: { ...model, inputs: 7 }, records: 20, rounds: 4 })
  const outcome = await on(many.view, {}, many.truth)
  const params = { ...grid, variant: 'straight-through', start: 'normal', draws: 1, temperature: 1, echo: 0 } as const
  const { candidates } = await matchGrid(many.view, { params, rng: rng(1).fork('attack'), tick() {} })
  if (outcome.status !== 'claimed') throw new Error('claimed')
  const claims = outcome.claims as readonly AttributeClaim[]
  expect(claims.map(({ name }) => name)).toEqual(['s', 'c', 'v'])
  for (const a of [0, 1]) {
    const most = Math.max(...candidates.map(({ guesses }) => accuracy(guesses[a]!, many.true[a]!)))
    expect(accuracy(claims[a]!.values, many.true[a]!)).toBe(most)
  }
  const off = (values: ArrayLike<number>) => many.true[2]!.reduce((sum, v, i) => sum + (v - values[i]!) ** 2, 0)
  const least = Math.min(...candidates.map(({ guesses }) => off(guesses[2]!)))
  expect(off(claims[2]!.values)).toBe(least)
})

test('echoes when it is asked to, and needs a line then', async () => {
  let sent = 0
  const channel: Channel = async (_, theta) => w.turn(theta, sent++)
  const few = { fractions: [1], rates: [1e2], iterations: 2, echo: 3 }
  expect(await on({ ...w.view, channel }, few)).toMatchObject({ status: 'claimed', details: { tried: 2 } })
  expect(sent).toBe(3)
  expect(await on(w.view, few)).toMatchObject({ status: 'not-applicable', missing: ['channel'] })
})

test('a truth without the client, without the attribute, or of other records', async () => {
  expect(await on(w.view, {}, truthOf())).toMatchObject({ missing: ['clients.0'] })
  const open = truthOf({ clients: { 0: tableOf(['x0'], [[1]]) } })
  expect(await on(w.view, {}, open)).toMatchObject({ missing: ['clients.0.s'] })
  const { columns } = w.view.records
  const fewer = truthOf({ clients: { 0: { columns, features: matrix(1, 4, w.complete.data.slice(0, 4)) } } })
  await expect(on(w.view, {}, fewer)).rejects.toThrow('the truth holds 1 records of client "0"; 40 are known')
})
