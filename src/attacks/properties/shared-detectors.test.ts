import { expect, test } from 'vitest'
import { contextFor } from '../../../test/attack-context.js'
import { truthOf } from '../../../test/hand-truth.js'
import { propertyWorld } from '../../../test/property-world.js'
import { deriver } from '../../audit/kept/deriver.js'
import { type Keeper, memoryKeeper } from '../../audit/kept/keeper.js'
import { rng } from '../../numeric/random/rng.js'
import type { AnyView, Attack, Outcome } from '../attack.js'
import { attacks } from '../index.js'

const ids = ['disaggregation', 'property-ols', 'property-reg', 'prolin', 'property-blup', 'property-posterior'] as const
const params = { pairs: 10, curve: 3, rounds: 9 }
const world = await propertyWorld({ property: 'inversion' })
const truth = truthOf({ properties: { inversion: ['3', '7'] } })
const of = (id: string): Attack => attacks[id]!

/** A keeper that counts what is written, that is, what was made. */
function counting(): Keeper & { readonly made: () => number } {
  const [keeper, written] = [memoryKeeper(), new Set<string>()]
  return {
    ...keeper,
    made: () => written.size,
    async write(key, value) {
      expect(written.has(key)).toBe(false) // nothing is made twice
      written.add(key)
      await keeper.write(key, value)
    },
  }
}

const run = (id: string, keeper: Keeper, view: object = world.view): Promise<Outcome> =>
  of(id).run(view, { ...contextFor({ params }), derive: deriver(rng(5), keeper) })

async function control(kind: 'plant' | 'shuffle', id: string, keeper: Keeper): Promise<AnyView> {
  const make = of(id)[kind]
  if ('none' in make) throw new Error(make.none)
  const input = { view: world.view, truth, rng: rng(8).fork(id), params, derive: deriver(rng(5), keeper) }
  return (await make(input as never)).view
}

test('six attacks, their controls and another observer train one set of detectors', async () => {
  const keeper = counting()
  for (const id of ids) await run(id, keeper)
  expect(keeper.made()).toBe(9)
  for (const id of ids) await run(id, keeper, await control('shuffle', id, keeper))
  expect(keeper.made()).toBe(9)
  const planted = counting()
  for (const id of ids) await control('plant', id, planted)
  expect(planted.made()).toBe(world.view.aggregates.rounds.length) // one set of mean updates
  const louder = {
    ...world.view.aggregates,
    read: async (round: number) => {
      const one = await world.view.aggregates.read(round)
      return { ...one, dThetaSum: one.dThetaSum.map((x) => x * 1.01) }
    },
  }
  for (const id of ids) await run(id, keeper, { ...world.view, aggregates: louder })
  expect(keeper.made()).toBe(9)
})

test('claims are the same whoever trained the detectors, and in whatever order', async () => {
  const alone = new Map<string, Outcome>()
  for (const id of ids) alone.set(id, await run(id, memoryKeeper()))
  const shared = counting()
  for (const id of [...ids].reverse()) expect(await run(id, shared)).toEqual(alone.get(id))
  // Another thread has the even rounds in hand, and is done with half of them when it is waited for.
  const [theirs, asked] = [new Set<string>(), { count: 0, waits: 0 }]
  const halves: Keeper = {
    ...memoryKeeper(),
    read: async () => undefined,
    async claim(key) {
      if (asked.count++ % 2 === 0) theirs.add(key)
      return !theirs.has(key)
    },
    wait: async (key) => (asked.waits++ % 2 === 0 ? shared.read(key) : undefined),
  }
  for (const id of ids) expect(await run(id, halves)).toEqual(alone.get(id))
  expect(asked.waits).toBeGreaterThan(20)
})

test('what decides nothing for a property does not part those who ask', async () => {
  const keeper = counting()
  const ask = (more: object) =>
    of('property-reg').run(world.view, {
      ...contextFor({ params: { ...params, ...more } }),
      derive: deriver(rng(5), keeper),
    })
  await ask({})
  await ask({ maxNorm: 7, factor: 3, acting: 0.5, rounds: 4, lambda: 1 })
  expect(keeper.made()).toBe(9)
  await ask({ pairs: 11 })
  expect(keeper.made()).toBe(18)
  await ask({ floor: 0.2 })
  expect(keeper.made()).toBe(27)
})

test('several features are trained once, for those who take each for itself and those who take their mean', async () => {
  const keeper = counting()
  for (const id of ids) {
    const context = contextFor({ params: { ...params, pairs: 20, features: 2 } })
    const outcome = await of(id).run(world.view, { ...context, derive: deriver(rng(5), keeper) })
    expect(outcome.status).toBe('claimed')
  }
  expect(keeper.made()).toBe(9)
})
