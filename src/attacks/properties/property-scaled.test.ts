import { describe, expect, test } from 'vitest'
import { attackOn, contextFor, only } from '../../../test/attack-context.js'
import { truthOf } from '../../../test/hand-truth.js'
import { f1Of, propertyWorld } from '../../../test/property-world.js'
import type { AnyView, Attack } from '../attack.js'
import type { PropertyOfClient } from '../claim.js'
import { attacks } from '../index.js'

/** One client of twelve returns its update times a vector that the attacker knows. */
const scale = { factor: 5, part: 0.5, key: 2 }
const params = { ...scale, pairs: 40, curve: 0 }
const seeds = [1, 2, 3]
const worlds = await Promise.all(
  seeds.map((seed) =>
    propertyWorld({ property: 'scaled', positives: 1, seed, learningRate: 0.01, misbehaviour: scale }),
  ),
)
const of = (id: string): Attack => attacks[id]!
const control = async (kind: 'plant' | 'shuffle', id: string, input: object): Promise<AnyView> => {
  const make = of(id)[kind]
  if ('none' in make) throw new Error(make.none)
  return (await make(input as never)).view
}

async function found(
  id: string,
  view: object,
  { guilty, given = params }: { guilty: string; given?: Readonly<Record<string, unknown>> },
) {
  const { clients } = only(await attackOn(of(id), view, { params: given }), 'property')
  const ranking = ({ probability, score }: PropertyOfClient): number => probability ?? score!
  const score = ranking(clients.find((one) => one.id === guilty)!)
  const others = clients.filter((one) => one.id !== guilty).map(ranking)
  return {
    score,
    others,
    most: Math.max(...others),
    accused: clients.filter(({ positive }) => positive).map((one) => one.id),
    auc: others.reduce((sum, x) => sum + (x < score ? 1 : x === score ? 0.5 : 0), 0) / others.length,
    f1: f1Of(
      clients.map(({ positive }) => positive),
      clients.map((one) => one.id === guilty),
    ),
  }
}

describe.each(worlds.map((world, k) => ({ seed: seeds[k]!, ...world })))('one scaled client, seed $seed', (world) => {
  const guilty = world.guilty[0]!

  test('the posterior all but knows it, and is sure of all others', async () => {
    expect(world.guilty.length).toBe(1)
    const { score, others } = await found('property-posterior', world.view, { guilty })
    expect(others.length).toBe(11)
    expect(score).toBeGreaterThan(0.85)
    for (const x of others) expect(x).toBeLessThan(0.02)
  })

  test('property-blup accuses it alone', async () => {
    const given = { ...params, decision: 'f1' }
    expect((await found('property-blup', world.view, { guilty, given })).accused).toEqual([guilty])
  })

  test.each(['prolin', 'property-reg', 'property-ols', 'disaggregation'])('%s ranks it first', async (id) => {
    const { score, most } = await found(id, world.view, { guilty })
    expect(score).toBeGreaterThan(most)
  })

  test('who takes the vector for ones learns nothing', async () => {
    const { score } = await found('property-posterior', world.view, { guilty, given: { ...params, factor: 1 } })
    expect(score).toBeLessThan(0.9)
  })
})

test.each(['property-posterior', 'property-reg'])('among strangers %s is at chance', async (id) => {
  const each: { auc: number; f1: number }[] = []
  for (const { view, guilty } of worlds) {
    for (let k = 0; k < 4; k++) {
      const shuffled = await control('shuffle', id, { view, rng: contextFor({ seed: 9 }).rng.fork(k), params })
      each.push(await found(id, shuffled, { guilty: guilty[0]! }))
    }
  }
  const mean = (of: (one: { auc: number; f1: number }) => number) => each.reduce((s, x) => s + of(x), 0) / each.length
  // Three standard errors of twelve ranks among twelve; accusing everybody has an F1 of 2 / 13.
  expect(Math.abs(mean(({ auc }) => auc) - 0.5)).toBeLessThan(0.27)
  expect(mean(({ f1 }) => f1)).toBeLessThan(0.3)
})

test('the planted control of this property is that of one scaled client', async () => {
  const honest = await propertyWorld({ property: 'none', seed: 5, learningRate: 0.01 })
  const input = {
    view: { ...honest.view, property: { name: 'scaled' } },
    truth: truthOf({ properties: { scaled: ['3'] } }),
    rng: contextFor({ seed: 9 }).rng,
    params,
  }
  const planted = await control('plant', 'property-posterior', input)
  const { score, most } = await found('property-posterior', planted, { guilty: '3' })
  expect(score).toBeGreaterThan(0.99)
  expect(most).toBeLessThan(0.01)
})
