import { describe, expect, test } from 'vitest'
import { seated } from '../../../test/seated-client.js'
import { seatsHere } from '../../federation/exchange.js'
import { nativePrimitives } from '../../node/threads/native-primitives.js'
import { everyPair, type Neighbours } from './mask-graph.js'
import { secureClient } from './masking-client.js'
import { addMask, pairMask, selfMask, signOf } from './masks.js'
import type { Bytes } from './primitives.js'
import { secureSeat } from './secure-seat.js'
import { type Phase, phases, type SecureSumOptions, secureSum, type Tapped } from './secure-sum.js'
import { combine, decodeShare, type Share } from './shamir.js'
import { secureServer } from './sum-server.js'
import { decodeList, encodeInvitation, encodeList, encodeMessage, type Kind } from './wire-messages.js'

const quick = nativePrimitives()
const quantisation = { clip: 8, levels: 1 << 22 }
const head = 19

/** Sums n updates of zeros. */
const sumOf = (n: number, d: number, change: Partial<SecureSumOptions> = {}) => {
  const guests = Array.from({ length: n }, (_, i) =>
    seated({ place: i + 1, weight: 1, change: () => new Float64Array(d) }),
  )
  return secureSum({
    seats: seatsHere(guests, secureSeat(quick)),
    length: d,
    neighbours: everyPair(n),
    primitives: quick,
    threshold: Math.floor(n / 2) + 1,
    quantisation,
    ...change,
  })
}

/** 255 degrees of freedom: all but one in a billion lie below 415 (keys are drawn anew in every run). */
function chiOf(numbers: Uint32Array): number {
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
  const bins = new Array<number>(256).fill(0)
  for (const byte of bytes) bins[byte]! += 1
  return bins.reduce((sum, count) => sum + (count - bytes.length / 256) ** 2 / (bytes.length / 256), 0)
}

/** What a curious server keeps of one sum: the masked updates, and the seeds' shares. */
function curious() {
  const masked = new Map<number, Uint32Array>()
  const shares = new Map<number, Share[]>()
  let session: Bytes = new Uint8Array(0)
  const tap = ({ to, phase, place, bytes }: Tapped): undefined => {
    if (to === 'client' && phase === 'keys') session = bytes.slice(1, 17)
    if (to === 'client') return
    if (phase === 'masked') masked.set(place, new Uint32Array(bytes.slice(head).buffer))
    if (phase !== 'reveal') return
    for (const { place: owner, bytes: one } of decodeList(bytes.slice(head), 35)) {
      const found = decodeShare(one.slice(1), { at: place, secretBytes: 32 })
      shares.set(owner, [...(shares.get(owner) ?? []), found])
    }
  }
  return { masked, shares, tap, session: () => session }
}

describe('one update, for a server that knows all that it was told by the end', () => {
  const [n, t, d] = [5, 3, 6000]
  const zero = new Uint32Array(d).fill(Math.round((quantisation.levels - 1) / 2)) // what an update of zeros becomes

  test('is uniform once its self mask is off: the masks with others are on it', async () => {
    const view = curious()
    await sumOf(n, d, { tap: view.tap })
    for (const [u, masked] of view.masked) {
      addMask(
        masked,
        await selfMask(quick, combine(view.shares.get(u)!, t), { session: view.session(), length: d, u }),
        -1,
      )
      addMask(masked, zero, -1)
      expect(chiOf(masked)).toBeLessThan(415)
    }
  })

  test('is uniform when it comes too late and its masks with others are off: its self mask is on it', async () => {
    const session = quick.random(16)
    const common = { session, threshold: t, primitives: quick }
    const clients = Array.from({ length: n }, (_, i) => secureClient({ ...common, place: i + 1 }))
    const server = secureServer({ ...common, length: d, neighbours: everyPair(n) })
    const keys = await Promise.all(clients.map((client) => client.advertise()))
    for (const [i, bytes] of keys.entries()) server.receive(i + 1, bytes)
    const rosters = server.next()
    for (const [i, client] of clients.entries()) server.receive(i + 1, await client.share(rosters.get(i + 1)!))
    const inboxes = server.next()
    const masked = await Promise.all(clients.map((client, i) => client.mask(inboxes.get(i + 1)!, () => zero)))
    for (const u of [1, 2, 3, 4]) server.receive(u, masked[u - 1]!)
    const survivors = server.next()
    const shares = await Promise.all(
      [1, 2, 3, 4].map(async (at) => {
        const told = decodeList((await clients[at - 1]!.reveal(survivors.get(at)!)).slice(head), 35)
        return decodeShare(told.find(({ place }) => place === 5)!.bytes.slice(1), { at, secretBytes: 32 })
      }),
    )
    const own = await quick.keyPair(combine(shares, t))
    expect(own.publicKey).toEqual(keys[4]!.slice(head + 32))
    const left = new Uint32Array(masked[4]!.slice(head).buffer)
    addMask(left, zero, -1)
    for (const v of [1, 2, 3, 4]) {
      const shared = await own.agree(keys[v - 1]!.slice(head + 32))
      addMask(left, await pairMask(quick, shared, { session, length: d, u: 5, v }), signOf(5, v) === 1 ? -1 : 1)
    }
    expect(chiOf(left)).toBeLessThan(415)
  })
})

test('a self mask is never one of zeros, nor that of another client or session', async () => {
  const [a, b] = [quick.random(16), quick.random(16)]
  const seed = quick.random(32)
  const of = (session: Bytes, u: number) => selfMask(quick, seed, { session, length: 6000, u })
  const masks = [await of(a, 1), await of(a, 2), await of(b, 1)]
  for (const mask of masks) expect(chiOf(mask)).toBeLessThan(415)
  expect(new Set(masks.map((mask) => mask.slice(0, 4).join())).size).toBe(3)
})

describe('refused', () => {
  const changing = (to: Tapped['to'], phase: Phase, place: number | undefined, change: (bytes: Bytes) => void) =>
    sumOf(5, 4, {
      tap(heard) {
        if (heard.to !== to || heard.phase !== phase || (place ?? heard.place) !== heard.place) return undefined
        const bytes = heard.bytes.slice()
        change(bytes)
        return bytes
      },
    })

  test('a wrong public key for masks', async () => {
    const other = (await quick.keyPair(quick.random(32))).publicKey
    const inRoster = changing('client', 'shares', 2, (bytes) => bytes.set(other, head + 2 + 32))
    await expect(inRoster).rejects.toThrow(/refused/)
    const onTheWay = changing('server', 'keys', 1, (bytes) => bytes.set(other, head + 32))
    await expect(onTheWay).rejects.toThrow(/refused/)
  })

  test('terms that are not the same for all', async () => {
    const clip = changing('client', 'keys', 1, (bytes) => new DataView(bytes.buffer).setFloat64(head + 2, 1e12, true))
    await expect(clip).rejects.toThrow(/refused/)
    const largest = changing('client', 'keys', 1, (bytes) => new DataView(bytes.buffer).setFloat64(head + 14, 9, true))
    await expect(largest).rejects.toThrow(/refused/)
  })

  test('a threshold of 1, with which a client alone would be a sum', async () => {
    const session = quick.random(16)
    const seat = secureSeat(quick)(seated({ place: 1, weight: 1, change: () => Float64Array.of(0.5) }))
    const list = (kind: Kind) => encodeMessage({ kind, session, place: 1, body: encodeList([], 0) })
    await seat.answer(encodeInvitation({ session, place: 1, terms: { threshold: 1, quantisation, largest: 1 } }))
    await expect(seat.answer(list('roster'))).rejects.toThrow(/threshold of 1/)
  })

  test('a sum of nobody', async () => {
    for (const phase of phases) {
      const vanish = new Map([1, 2, 3, 4, 5].map((place) => [place, phase]))
      await expect(sumOf(5, 4, { vanish }), phase).rejects.toThrow(/aborted: 0 clients/)
    }
  })

  test('survivors in two parts, each of which would be a sum of its own', async () => {
    // A ring of six; 1 and 4 vanish.
    const ring: Neighbours = Array.from({ length: 6 }, (_, i) => [((i + 5) % 6) + 1, ((i + 1) % 6) + 1].sort())
    for (const phase of ['keys', 'shares', 'masked'] as const) {
      const vanish = new Map([1, 4].map((place) => [place, phase]))
      await expect(sumOf(6, 4, { neighbours: ring, threshold: 2, vanish }), phase).rejects.toThrow(
        /aborted: its masks no longer tie 4/,
      )
    }
  })
})
