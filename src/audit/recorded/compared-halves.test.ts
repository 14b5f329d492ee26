import { expect, test } from 'vitest'
import { type Attack, claimed, defineAttack, Inapplicable, type Outcome } from '../../attacks/attack.js'
import type { Claim } from '../../attacks/claim.js'
import { OverhearError } from '../../errors.js'
import { rng } from '../../numeric/random/rng.js'
import type { Sources } from '../../threat/grant.js'
import type { Finding } from '../attack-result.js'
import type { Surroundings } from '../run-attack.js'
import { comparedHalves, lastModel } from './halves.js'

type Entries = readonly { round: number; participants: readonly string[] | null }[]
const all = (...sets: (readonly string[] | null)[]): Entries =>
  sets.map((participants, round) => ({ round, participants }))
const own = (n: number) => all(...Array.from({ length: n }, () => ['a']))

/** The last model sent in round r is [10 r]. */
const sourcesOf = (entries: Entries): Sources =>
  ({
    transcript: {
      manifest: { recordedFor: { kind: 'server' } },
      rounds: () => entries.map((one) => ({ ...one, tampered: [] })),
      readRound: async (round: number) => ({ global: Float64Array.of(10 * round) }),
    },
    knowledge: { target: 'a' },
  }) as unknown as Sources

const property = (...positive: boolean[]): Claim =>
  ({ kind: 'property', property: 'p', clients: positive.map((one, i) => ({ id: `${i}`, positive: one, probability: null })) }) as Claim // biome-ignore format: a line
const model = (theta: number): Claim => ({ kind: 'model', client: 'a', theta: Float64Array.of(theta) }) as Claim
const findings = (...claims: Claim[]): Finding[] =>
  claims.map((claim) => ({ claim: { ...claim, ...('theta' in claim && { theta: [...(claim.theta as ArrayLike<number> & Iterable<number>)] }) } })) as unknown as Finding[] // biome-ignore format: a line

/** What each half of the rounds makes the attack claim, and which rounds it was given. */
async function compared(
  claimOf: (rounds: readonly number[], half: number) => Outcome,
  { entries = own(5), target = 'a' as string | null, found = findings(property(true)) } = {},
) {
  const given: number[][] = []
  const attack: Attack = defineAttack({
    ...{ id: 'half', title: '', paper: 'lmra', where: '', target: 'property', needs: ['tampered'], params: {} },
    ...{ plant: { none: '' }, shuffle: { none: '' } },
    run: async ({ tampered }) => {
      given.push(tampered!.map(({ round }) => round))
      return claimOf(given.at(-1)!, given.length - 1)
    },
  } as Parameters<typeof defineAttack>[0])
  const around = { sources: sourcesOf(entries), observer: 'malicious-server', rng: rng(1) } as Surroundings
  const halves = await comparedHalves(attack, {}, around, { target, findings: found })
  return { halves, given }
}

test('rounds are dealt in turn, those of the target where there is one', async () => {
  const same = () => claimed(property(true))
  const { halves, given } = await compared(same)
  expect(given).toEqual([[0, 2, 4], [1, 3]]) // biome-ignore format: halves
  expect(halves).toEqual({ rounds: [3, 2], apart: 0 })
  const mixed = all(['a'], ['b'], ['a', 'b'], null, ['a'])
  expect((await compared(same, { entries: mixed })).given).toEqual([[0, 3], [2, 4]]) // biome-ignore format: halves
  const everybody = await compared(same, { entries: mixed, target: null })
  expect(everybody.given).toEqual([[0, 2, 4], [1, 3]]) // biome-ignore format: halves
  expect((await compared(same, { entries: own(6) })).halves).toMatchObject({ rounds: [3, 3] })
  expect((await compared(same, { entries: own(1) })).halves).toMatchObject({ rounds: [1, 0] })
})

test('what both claim first is compared', async () => {
  const { halves } = await compared((_, half) => claimed([property(true, half === 0), property(half === 0)]))
  expect(halves!.apart).toBe(0.5)
  // A model of 6 and one of 2; the whole claim is 32, the last that was sent 40: four of eight.
  const models = await compared((_, half) => claimed(model(half === 0 ? 6 : 2)), { found: findings(model(32)) })
  expect(models.halves!.apart).toBe(0.5)
})

test('claims about one update, or none, have no halves; those of which nothing can be compared have none either', async () => {
  const never = () => {
    throw new Error('asked')
  }
  expect((await compared(never, { found: [] })).halves).toBeUndefined()
  const label: Claim = { kind: 'label', client: 'a', round: 0, value: 1 }
  expect((await compared(never, { found: findings(label) })).halves).toBeUndefined()
  const mean = { kind: 'label-mean', client: 'a', value: 1 } as unknown as Claim
  expect((await compared(() => claimed(mean), { found: findings(mean) })).halves).toBeUndefined()
})

test('half of the messages may not suffice: it is told why, of the half that fell short', async () => {
  const why = async (fails: (half: number) => boolean, how: () => Outcome) => {
    const { halves } = await compared((_, half) => (fails(half) ? how() : claimed(property(true))))
    expect(halves!.apart).toBeNull()
    expect(halves!.rounds).toEqual([3, 2])
    return halves!.why
  }
  const short = 'half of the messages do not suffice: '
  const failing = (error: Error) => () => {
    throw error
  }
  expect(await why((half) => half === 1, failing(new OverhearError('E_SHAPE', 'too few')))).toBe(`${short}too few`)
  expect(await why((half) => half === 0, failing(new OverhearError('E_SHAPE', 'too few')))).toBe(`${short}too few`)
  expect(await why(() => true, failing(new Inapplicable(['updates'], 'no updates')))).toBe(`${short}no updates`)
  const lacking = (): Outcome => ({ status: 'not-applicable', missing: ['updates', 'model'] })
  expect(await why(() => true, lacking)).toBe(`${short}it lacks updates, model`)
})

test('the last model is that of the last round', async () => {
  expect(await lastModel(sourcesOf(own(4)))).toEqual(Float64Array.of(30))
  expect(await lastModel(sourcesOf(own(1)))).toEqual(Float64Array.of(0))
  expect(await lastModel(sourcesOf([]))).toBeUndefined()
})
