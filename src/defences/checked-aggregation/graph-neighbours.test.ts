import { expect, test } from 'vitest'
import { seated } from '../../../test/seated-client.js'
import { seatsHere } from '../../federation/exchange.js'
import { nativePrimitives } from '../../node/threads/native-primitives.js'
import { decodeList, encodeList, joined } from '../secure-aggregation/wire-messages.js'
import { checkedSeat } from './checked-seat.js'
import { checkedSum } from './checked-sum.js'
import { drawPlaces } from './draw-places.js'
import { dealtBytes } from './share-check.js'
import type { CheckedTapped } from './steps.js'
import { type Policy, sizeFor } from './terms.js'

const primitives = nativePrimitives()

test('a client of a graph refuses a list without the neighbours that it drew', async () => {
  const policy: Policy = {
    ...{ variant: 'graph', least: 3, directory: 'given' },
    ...{ corrupt: 0.02, dropouts: 0.1, secureBits: 20, correctBits: 10 },
  }
  const n = 30
  const { degree, shares, threshold } = sizeFor(n, policy)
  const drawn: number[] = []
  const refusals: string[] = []
  const tap = ({ to, phase, place, bytes }: CheckedTapped) => {
    if (to === 'server' && bytes[0] === 13) refusals.push(new TextDecoder().decode(bytes.slice(1)))
    if (place !== 2) return undefined
    if (to === 'server' && phase === 'shares') {
      drawn.push(...decodeList(bytes.slice(19 + 32), dealtBytes).map((entry) => entry.place))
    }
    if (to !== 'client' || phase !== 'signed') return undefined
    const places = Array.from({ length: n }, (_, i) => i + 1).filter((v) => !drawn.includes(v))
    expect(places.length).toBeGreaterThanOrEqual(threshold)
    const list = places.map((v) => ({ place: v, bytes: new Uint8Array(0) }))
    return joined(bytes.slice(0, 19), encodeList(list, 0))
  }
  const guests = Array.from({ length: n }, (_, i) =>
    seated({ place: i + 1, weight: 1, change: () => Float64Array.of(i) }),
  )
  const { survivors } = await checkedSum({
    ...{ policy, primitives, tap, round: 0, length: 1, largest: 1, run: new Uint8Array(16) },
    quantisation: { clip: 100, levels: 1 << 20 },
    seats: seatsHere(guests, checkedSeat(primitives, policy)),
    cohort: guests.map(({ id }) => id),
  })
  expect(drawn.length).toBe(degree)
  expect(refusals).toEqual([expect.stringMatching(`0 of the neighbours of client 2: ${shares} are needed`)])
  // It alone goes no further: the others take its masks off, and its update stays in the sum that they agreed on.
  expect(survivors.length).toBe(n)
})

test('a graph is not drawn from a roster that more have been kept from than may vanish', async () => {
  const policy: Policy = {
    ...{ variant: 'graph', least: 3, directory: 'given' },
    ...{ corrupt: 0.02, dropouts: 0.1, secureBits: 20, correctBits: 10 },
  }
  const n = 30
  const { roster, threshold } = sizeFor(n, policy)
  expect([roster, threshold]).toEqual([27, 21])
  const guests = Array.from({ length: n }, (_, i) =>
    seated({ place: i + 1, weight: 1, change: () => Float64Array.of(i) }),
  )
  const sum = (gone: number) =>
    checkedSum({
      ...{ policy, primitives, round: gone, length: 1, largest: 1, run: new Uint8Array(16) },
      quantisation: { clip: 100, levels: 1 << 20 },
      seats: seatsHere(guests, checkedSeat(primitives, policy)),
      cohort: guests.map(({ id }) => id),
      vanish: new Map(Array.from({ length: gone }, (_, i) => [i + 1, 'keys'])),
    })
  expect((await sum(3)).survivors.length).toBe(27)
  await expect(sum(4)).rejects.toThrow(/26 clients are left where 27 are needed/)
})

test('neighbours are drawn evenly, none twice, and all when there are no more', () => {
  const counts = new Map<number, number>()
  const places = [3, 4, 5, 6, 7, 9, 11, 12]
  for (let k = 0; k < 4000; k++) {
    const found = drawPlaces(places, 3, primitives.random)
    expect(new Set(found).size).toBe(3)
    for (const place of found) counts.set(place, (counts.get(place) ?? 0) + 1)
  }
  // 1,500 each; the deviation is 31, and draws differ from run to run.
  for (const place of places) expect(Math.abs(counts.get(place)! - 1500)).toBeLessThan(220)
  expect(drawPlaces(places, 20, primitives.random).sort((a, b) => a - b)).toEqual(places)
})
