import { describe, expect, test } from 'vitest'
import { seated } from '../../../test/seated-client.js'
import { seatsHere } from '../../federation/exchange.js'
import { nativePrimitives } from '../../node/threads/native-primitives.js'
import { rng } from '../../numeric/random/rng.js'
import { type CuriousOptions, curiousExchange } from './curious-exchange.js'
import type { Tapped } from './secure-sum.js'
import { decodeInvitation } from './wire-messages.js'

const primitives = nativePrimitives()
const usual: CuriousOptions = {
  ...{ variant: 'pairs', neighbours: 4, threshold: 0, lateProb: 0, primitives },
  quantisation: { clip: 8, levels: 1 << 22 },
}
const updateOf = (place: number) => Float64Array.of(place, -place / 2, place === 1 ? 9 : 0)

/** A round of n clients, of whom so many stay. */
async function round(n: number, change: Partial<CuriousOptions> = {}, { staying = n, weights = [] as number[] } = {}) {
  const options = { ...usual, ...change }
  const heard: Tapped[] = []
  const sums: Parameters<NonNullable<CuriousOptions['onSum']>>[0][] = []
  const exchange = curiousExchange({
    ...options,
    onSum: (sum) => void sums.push(sum),
    tap: (message) => void heard.push(message),
  })
  const guests = Array.from({ length: n }, (_, i) =>
    seated({ place: i + 1, weight: weights[i] ?? 1, change: () => updateOf(i + 1) }),
  )
  const invited = guests.map(({ id, weight }) => ({ id, weight }))
  const seats = seatsHere(guests, exchange.client as never)
  const found = await exchange.serve({ round: 5, rng: rng('round'), length: 3, invited, staying, seats } as never)
  const threshold = () => decodeInvitation(heard.find(({ to }) => to === 'client')!.bytes).terms.threshold
  const last = (place: number) => heard.filter((one) => one.to === 'server' && one.place === place).at(-1)?.phase
  return { found, sums, threshold, last }
}
const sumOf = (found: unknown) => [...(found as { dThetaSum: Float64Array }).dThetaSum]
/** What was rounded to a level of 16 / 2^22 for each client. */
const near = (found: readonly number[], expected: readonly number[]) => {
  for (const [j, v] of expected.entries()) expect(Math.abs(found[j]! - v)).toBeLessThan(1e-4)
}

describe('a round', () => {
  test('is the sum of all, and tells how many values were cut off', async () => {
    const { found, sums } = await round(4)
    near(sumOf(found), [10, -5, 8])
    expect(found).toMatchObject({ notes: { clipped: 1 } })
    expect(sums.length).toBe(1)
    expect(sums[0]).toMatchObject({ round: 5, clipped: 1, survivors: [1, 2, 3, 4] })
  })

  test('is a sum by weights, however large', async () => {
    const { found } = await round(3, {}, { weights: [2, 1, 4] })
    // A third of the clip and more is left of 9: nothing is cut off.
    near(sumOf(found), [2 + 2 + 12, -8, 18])
    expect(found).toMatchObject({ notes: { clipped: 0 } })
  })

  test('is without those who vanish before their update', async () => {
    const { found, sums, last } = await round(6, {}, { staying: 4 })
    near(sumOf(found), [10, -5, 8])
    expect(sums[0]).toMatchObject({ survivors: [1, 2, 3, 4] })
    for (const place of [1, 2, 3, 4]) expect(last(place)).toBe('reveal')
    for (const place of [5, 6]) expect([undefined, 'keys', 'shares']).toContain(last(place))
  })

  test('is whole where some vanish after their update, and aborted where all do', async () => {
    const { found, last } = await round(8, { lateProb: 0.35 })
    near(sumOf(found), [36, -18, 8])
    const late = [1, 2, 3, 4, 5, 6, 7, 8].filter((place) => last(place) !== 'reveal')
    const drawn = [1, 2, 3, 4, 5, 6, 7, 8].filter((place) => rng('round').fork('vanish', `c${place}`).uniform() < 0.35)
    expect(late).toEqual(drawn)
    expect(late.length).toBeGreaterThan(0)
    expect((await round(4, { lateProb: 1 })).found).toEqual({ aborted: expect.stringContaining('aborted') })
  })

  test('of two is aborted before anybody is asked', async () => {
    const { found, sums, last } = await round(5, {}, { staying: 2 })
    expect(found).toEqual({ aborted: expect.stringContaining('2 clients are left where 3 are needed') })
    expect(sums).toEqual([])
    expect(last(1)).toBeUndefined()
    expect((await round(3)).sums.length).toBe(1)
  })
})

describe('the threshold', () => {
  const thresholdOf = async (n: number, threshold: number, change: Partial<CuriousOptions> = {}) =>
    (await round(n, { threshold, ...change })).threshold()

  test('is just above half of the holders unless told', async () => {
    expect(await thresholdOf(4, 0)).toBe(3)
    expect(await thresholdOf(5, 0)).toBe(3)
    expect(await thresholdOf(9, 0, { variant: 'graph' })).toBe(3)
  })

  test('is a share of them, rounded up, of more than half', async () => {
    expect(await thresholdOf(5, 0.7)).toBe(4)
    expect(await thresholdOf(5, 1)).toBe(5)
    // 0.55 * 20 is 11.000000000000002.
    expect(await thresholdOf(20, 0.55)).toBe(11)
    await expect(thresholdOf(4, 0.5)).rejects.toMatchObject({
      code: 'E_VALUE',
      message: 'a threshold of 2 for 4 holders; at least 3 are needed: more than half',
    })
  })
})

test('more clients than there are places, or than fit in the sums, are refused', async () => {
  const many = Array.from({ length: 65536 }, (_, i) => ({ id: `c${i}`, weight: 1 }))
  const context = { round: 0, rng: rng(1), length: 1, invited: many, staying: 65536, seats: undefined }
  await expect(curiousExchange(usual).serve(context as never)).rejects.toThrow('65536 clients in one sum')
  const quantisation = { clip: 8, levels: 2 ** 30 }
  await expect(round(5, { quantisation })).rejects.toThrow('5 participants of 1073741824 levels each do not fit')
  expect((await round(4, { quantisation })).sums.length).toBe(1)
})
