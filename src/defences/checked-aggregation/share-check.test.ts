import { expect, test } from 'vitest'
import { seated } from '../../../test/seated-client.js'
import { seatsHere } from '../../federation/exchange.js'
import { nativePrimitives } from '../../node/threads/native-primitives.js'
import type { Bytes, Primitives } from '../secure-aggregation/primitives.js'
import {
  encodeShare,
  inverse,
  prime,
  reduced,
  type Share,
  share,
  shareBlinds,
  times,
} from '../secure-aggregation/shamir.js'
import { checkedSeat } from './checked-seat.js'
import { checkedSum } from './checked-sum.js'
import { strayPlaces, weighed, weighings, weightsFrom } from './share-check.js'
import type { CheckedTapped } from './steps.js'
import type { Policy } from './terms.js'

const primitives = nativePrimitives()
const policy: Policy = {
  ...{ variant: 'pairs', least: 3, directory: 'given' },
  ...{ corrupt: 0.05, dropouts: 0.1, secureBits: 40, correctBits: 10 },
}

/** A sum of clients of whom the fourth deals as it likes; all that it seals can be opened. */
async function sumOf(n: number, sealed: (text: Bytes, count: number) => Bytes, own: Partial<Policy> = {}) {
  let count = 0
  const wicked: Primitives = {
    ...primitives,
    seal: (key, text, beside) => primitives.seal(key, sealed(text.slice(), count++), beside),
  }
  const rules = { ...policy, ...own }
  const [honest, other] = [checkedSeat(primitives, rules), checkedSeat(wicked, rules)]
  const guests = Array.from({ length: n }, (_, i) =>
    seated({ place: i + 1, weight: 1, change: () => Float64Array.of(i) }),
  )
  const found = await checkedSum({
    ...{ policy: rules, primitives, round: 0, length: 1, largest: 1, run: new Uint8Array(16) },
    quantisation: { clip: 100, levels: 1 << 20 },
    seats: seatsHere(guests, (one) => (one.id === guests[3]!.id ? other : honest)(one)),
    cohort: guests.map(({ id }) => id),
  })
  expect(count).toBeGreaterThan(0)
  return found
}

const oddly = (text: Bytes): Bytes => {
  text[0]! ^= 1
  return text
}

test.each([
  ['every share at random', 24, () => primitives.random(73).map((byte, k) => (k > 67 && k < 72 ? byte : k % 34 > 31 || k === 72 ? 0 : byte))], // biome-ignore format: a line
  ['half of them of another polynomial', 24, (text: Bytes, k: number) => (k % 2 === 0 ? oddly(text) : text)],
  ['more than can be told', 24, (text: Bytes, k: number) => (k < 4 ? oddly(text) : text)],
  ['one where nothing is to spare', 9, (text: Bytes, k: number) => (k < 1 ? oddly(text) : text)],
] as [string, number, (text: Bytes, k: number) => Bytes][])(
  'a client that deals shares which open and do not belong together loses its place before anybody masks: %s',
  async (_, n, sealed) => {
    const { survivors, excluded, sum } = await sumOf(n, sealed)
    expect(excluded).toEqual([{ place: 4, phase: 'held', reason: 'dealt shares that do not belong together' }])
    expect(survivors).toEqual(Array.from({ length: n }, (_, i) => i + 1).filter((u) => u !== 4))
    expect(sum[0]).toBeCloseTo((n * (n - 1)) / 2 - 3, 2)
  },
)

test('in a graph too', async () => {
  const graph = { variant: 'graph', corrupt: 0.02, secureBits: 20 } as const
  const { survivors, excluded } = await sumOf(40, (text, k) => (k % 2 === 0 ? oddly(text) : text), graph)
  expect(excluded.map(({ place, phase }) => [place, phase])).toEqual([[4, 'held']])
  expect(survivors.length).toBe(39)
})

test('a few wrong shares are done without, and their holders are not blamed for them', async () => {
  const { survivors, excluded, sum } = await sumOf(24, (text, k) => (k < 3 ? oddly(text) : text))
  expect(excluded).toEqual([])
  expect(survivors.length).toBe(24)
  expect(sum[0]).toBeCloseTo((24 * 23) / 2, 2)
})

test.each([
  [9, 3],
  [24, 3],
])(
  'n = %d: a holder who lies about the weighings of %d others costs none of them its place, nor the sum',
  async (n, others) => {
    const guests = Array.from({ length: n }, (_, i) =>
      seated({ place: i + 1, weight: 1, change: () => Float64Array.of(i) }),
    )
    const tap = ({ to, phase, place, bytes }: CheckedTapped) => {
      if (to !== 'server' || phase !== 'held' || place !== 2) return undefined
      return bytes.map((byte, k) => (k > 19 && (k - 19) % 8 === 3 && k < 19 + 8 * others ? byte ^ 1 : byte))
    }
    const { survivors, excluded, sum } = await checkedSum({
      ...{ policy, primitives, tap, round: 0, length: 1, largest: 1, run: new Uint8Array(16) },
      quantisation: { clip: 100, levels: 1 << 20 },
      seats: seatsHere(guests, checkedSeat(primitives, policy)),
      cohort: guests.map(({ id }) => id),
    })
    expect(excluded).toEqual([])
    expect(survivors.length).toBe(n)
    expect(sum[0]).toBeCloseTo((n * (n - 1)) / 2, 2)
  },
)

test('clients weigh nothing by a challenge that the terms did not name', async () => {
  const guests = Array.from({ length: 9 }, (_, i) =>
    seated({ place: i + 1, weight: 1, change: () => Float64Array.of(i) }),
  )
  const heard: string[] = []
  const tap = ({ to, phase, place, bytes }: CheckedTapped) => {
    if (to === 'server' && bytes[0] === 13) heard.push(new TextDecoder().decode(bytes.slice(1)))
    if (to !== 'client' || phase !== 'held' || place !== 2) return undefined
    return bytes.map((byte, k) => (k === 19 ? byte ^ 1 : byte))
  }
  const { survivors } = await checkedSum({
    ...{ policy, primitives, tap, round: 0, length: 1, largest: 1, run: new Uint8Array(16) },
    quantisation: { clip: 100, levels: 1 << 20 },
    seats: seatsHere(guests, checkedSeat(primitives, policy)),
    cohort: guests.map(({ id }) => id),
  })
  expect(heard).toEqual([expect.stringMatching('a challenge that the terms did not name')])
  expect(survivors).not.toContain(2)
})

test('weighings tell nothing: with t - 1 shares known, another secret goes with the same ones', async () => {
  const holders = [1, 2, 3, 4, 5, 6, 7]
  const t = 5
  const sharing = { threshold: t, holders, random: primitives.random }
  const [key, seed] = [share(primitives.random(32), sharing), share(primitives.random(32), sharing)]
  const blind = shareBlinds(weighings, sharing)
  const by = await weightsFrom(primitives, primitives.random(32), primitives.random(16))
  // A polynomial of degree t - 1 that is 1 at 0 and 0 at the known places.
  const known = [1, 2, 3, 4]
  const shift = (x: number): number =>
    known.reduce((value, y) => times(value, times(reduced(y - x + prime), inverse(y))), 1)
  const moved = (shares: Share[], chunk: number, factor: number): Share[] =>
    shares.map(({ at, values }) => {
      return { at, values: values.map((value, c) => (c === chunk ? reduced(value + times(factor, shift(at))) : value)) }
    })
  const by7 = 7 // the element of the seed that is another one by so much
  const otherSeed = moved(seed, 0, by7)
  let otherBlind = blind
  for (let w = 0; w < weighings; w++) otherBlind = moved(otherBlind, w, reduced(prime - times(by[w * 32 + 16]!, by7)))
  const parts = (k: number, s: Share[], b: Share[]) => ({
    key: encodeShare(key[k]!),
    seed: encodeShare(s[k]!),
    blind: encodeShare(b[k]!),
  })
  for (const k of holders.keys()) {
    const [one, other] = [parts(k, seed, blind), parts(k, otherSeed, otherBlind)]
    expect(weighed(other, by)).toEqual(weighed(one, by))
    if (known.includes(k + 1)) expect(other).toEqual(one)
    else expect(other.seed).not.toEqual(one.seed)
  }
  const weighings7 = holders.map((at, k) => ({ at, values: weighed(parts(k, seed, blind), by) }))
  expect(strayPlaces(weighings7, t, primitives.random)).toEqual(new Set())
  weighings7[2]!.values[1] = reduced(weighings7[2]!.values[1]! + 1)
  expect(strayPlaces(weighings7, t, primitives.random)).toEqual(new Set([3]))
})
