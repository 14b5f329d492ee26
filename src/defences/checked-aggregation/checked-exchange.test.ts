import { describe, expect, test } from 'vitest'
import { seated } from '../../../test/seated-client.js'
import { seatsHere } from '../../federation/exchange.js'
import type { SumExchange, Summed } from '../../federation/hooks.js'
import { nativePrimitives } from '../../node/threads/native-primitives.js'
import { rng } from '../../numeric/random/rng.js'
import { type CheckedOptions, checkedExchange } from './checked-exchange.js'
import type { CheckedTapped, Step } from './steps.js'
import { type Policy, termsReader } from './terms.js'

const primitives = nativePrimitives()
const policy: Policy = {
  ...{ variant: 'pairs', least: 3, directory: 'given' },
  ...{ corrupt: 0.05, dropouts: 0.1, secureBits: 40, correctBits: 10 },
}
const usual: CheckedOptions = { policy, clip: 8, bits: 22, lateProb: 0, primitives }
const places = (n: number) => Array.from({ length: n }, (_, i) => i + 1)

interface Given {
  readonly staying?: number
  readonly weights?: readonly number[]
  readonly spoil?: (message: CheckedTapped) => Uint8Array<ArrayBuffer> | undefined
  readonly round?: number
}

/** A round of n clients, of whom so many stay. */
async function round(n: number, change: Partial<CheckedOptions> = {}, given: Given = {}) {
  const { staying = n, weights = [], spoil = () => undefined } = given
  const heard: CheckedTapped[] = []
  const sums: unknown[] = []
  const exchange: SumExchange = checkedExchange({
    ...{ ...usual, ...change },
    onSum: (sum) => void sums.push(sum),
    tap(message) {
      heard.push(message)
      return spoil(message)
    },
  })
  const guests = places(n).map((place) =>
    seated({ place, weight: weights[place - 1] ?? 1, change: () => Float64Array.of(place, -1, place === 1 ? 9 : 0) }),
  )
  const invited = guests.map(({ id, weight }) => ({ id, weight }))
  const seats = seatsHere(guests, exchange.client as never)
  const context = { round: given.round ?? 5, rng: rng('round'), length: 3, invited, staying, seats }
  const found = (await exchange.serve(context as never)) as Summed
  const terms = () => termsReader()(heard[0]!.bytes).terms
  const last = (place: number) => heard.filter((one) => one.to === 'server' && one.place === place).at(-1)?.phase
  return { found, sums, terms, last, exchange }
}
const near = (found: Float64Array, expected: readonly number[], size = 1) => {
  for (const [j, v] of expected.entries()) expect(Math.abs(found[j]! - v)).toBeLessThan(1e-3 * size)
}

describe('a round', () => {
  test('is the sum of all, with how many values were cut off', async () => {
    const { found, sums, exchange } = await round(4)
    near(found.dThetaSum, [10, -4, 8])
    expect(found).toMatchObject({ weightSum: 4, notes: { clipped: 1 }, inSum: new Set(['c1', 'c2', 'c3', 'c4']) })
    expect(found).not.toHaveProperty('excluded')
    expect(sums).toMatchObject([{ round: 5, clipped: 1, survivors: [1, 2, 3, 4] }])
    expect(exchange.policy).toEqual(policy)
  })

  test('is by weights, of which the server learns the sum', async () => {
    const { found, terms } = await round(3, {}, { weights: [2, 1, 4] })
    near(found.dThetaSum, [2 + 2 + 12, -7, 18], 4)
    expect(found).toMatchObject({ weightSum: 7, notes: { clipped: 0 } })
    expect(terms().largest).toBe(4)
    expect((await round(3)).terms().largest).toBe(1)
  })

  test('is without those who vanish before their update, who are nobody that lost its place', async () => {
    const { found, last } = await round(7, {}, { staying: 5 })
    near(found.dThetaSum, [15, -5, 8])
    expect(found.inSum).toEqual(new Set(['c1', 'c2', 'c3', 'c4', 'c5']))
    expect(found).not.toHaveProperty('excluded')
    for (const place of places(5)) expect(last(place)).toBe('reveal')
    for (const place of [6, 7]) expect([undefined, 'keys', 'shares', 'held']).toContain(last(place))
  })

  test('is whole where some vanish after their update', async () => {
    const { found, last } = await round(8, { lateProb: 0.35 })
    near(found.dThetaSum, [36, -8, 8])
    const late = places(8).filter((place) => last(place) !== 'reveal')
    const drawn = places(8).filter((place) => rng('round').fork('vanish', `c${place}`).uniform() < 0.35)
    expect(late).toEqual(drawn)
    expect(late.length).toBeGreaterThan(0)
    for (const place of late) expect(['masked', 'signed']).toContain(last(place))
  })

  test('names who has lost its place, by its own name', async () => {
    const flip = ({ to, phase, place, bytes }: CheckedTapped) =>
      to === 'server' && phase === 'keys' && place === 2 ? bytes.map((x, i) => (i === 60 ? x ^ 1 : x)) : undefined
    const { found } = await round(5, {}, { spoil: flip })
    near(found.dThetaSum, [13, -4, 8])
    expect(found.excluded).toEqual([{ client: 'c2', phase: 'keys', reason: expect.stringContaining('has not signed') }])
    expect(found.inSum).toEqual(new Set(['c1', 'c3', 'c4', 'c5']))
  })

  test('is aborted where too few are left, and names who lost its place until then', async () => {
    const phases = (staying: number) => round(6, {}, { staying })
    expect((await phases(4)).found).toEqual({ aborted: expect.stringContaining('aborted: ') })
    expect((await phases(5)).found).toHaveProperty('dThetaSum')
    expect((await round(2)).found).toEqual({
      aborted: expect.stringContaining('2 clients are left where 3 are needed'),
    })
    const spoil = ({ to, phase, place, bytes }: CheckedTapped) =>
      to === 'server' && phase === ('keys' satisfies Step) && place > 1 ? bytes.slice(1) : undefined
    const { found } = await round(4, {}, { spoil })
    expect(found).toMatchObject({ aborted: expect.any(String), excluded: [{ client: 'c2' }, { client: 'c3' }, { client: 'c4' }] }) // biome-ignore format: one line
  })
})

describe('levels', () => {
  const levels = async (n: number, bits: number | null) => (await round(n, { bits })).terms().levels

  test('are two to the bits, or as many as the sum has room for', async () => {
    expect(await levels(3, 1)).toBe(2)
    expect(await levels(3, 20)).toBe(1048576)
    // n (levels - 1) is below 2^32, and one level more would be above.
    expect(await levels(5, null)).toBe(Math.floor(4294967295 / 5) + 1)
    expect(await levels(7, null)).toBe(Math.floor(4294967295 / 7) + 1)
    expect(await levels(3, null)).toBe(2 ** 30)
    await expect(round(5, { bits: 30 })).rejects.toThrow('5 participants of 1073741824 levels each do not fit')
  })
})
