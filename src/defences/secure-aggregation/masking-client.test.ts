import { describe, expect, test } from 'vitest'
import { seated } from '../../../test/seated-client.js'
import { nativePrimitives } from '../../node/threads/native-primitives.js'
import { everyPair } from './mask-graph.js'
import { secureClient } from './masking-client.js'
import type { Bytes } from './primitives.js'
import { secureSeat } from './secure-seat.js'
import { secureServer } from './sum-server.js'
import { encodeInvitation, encodeList, encodeMessage, sealedBytes } from './wire-messages.js'

const quick = nativePrimitives()
const quantisation = { clip: 8, levels: 1 << 22 }

describe('an invitation', () => {
  const session = quick.random(16)
  const terms = { threshold: 3, quantisation, largest: 2 }
  const seat = () => secureSeat(quick)(seated({ place: 1, weight: 1, change: () => Float64Array.of(1) }))

  test('is answered by keys, once', async () => {
    const own = seat()
    const invitation = encodeInvitation({ session, place: 258, terms })
    expect(invitation).toHaveLength(19 + 22)
    const keys = await own.answer(invitation)
    expect([...keys.slice(0, 19)]).toEqual([1, ...session, 2, 1])
    await expect(own.answer(invitation)).rejects.toThrow(/no client waits for/)
  })

  test('must come first, whole, and with terms that can be kept', async () => {
    const invitation = encodeInvitation({ session, place: 1, terms })
    await expect(seat().answer(invitation.slice(0, -1))).rejects.toThrow(/no "invite"/)
    await expect(seat().answer(new Uint8Array(0))).rejects.toThrow(/no "invite"/)
    await expect(seat().answer(flipKind(invitation))).rejects.toThrow(/no "invite"/)
    const other = (change: Partial<typeof terms>) =>
      encodeInvitation({ session, place: 1, terms: { ...terms, ...change } })
    for (const largest of [0, -1, Number.NaN]) {
      await expect(seat().answer(other({ largest }))).rejects.toThrow(/with a weight of/)
    }
    await expect(seat().answer(other({ largest: 0.5 }))).rejects.toThrow(/client 1 has 1/)
    expect(() => other({ threshold: 65_537 })).toThrow(/at most 65535/)
    const levels = other({ quantisation: { clip: 8, levels: 1 } })
    await expect(seat().answer(levels)).rejects.toThrow(/levels is 1/)
    const clip = other({ quantisation: { clip: Number.NaN, levels: 4 } })
    await expect(seat().answer(clip)).rejects.toThrow(/clip is NaN/)
  })

  const flipKind = (bytes: Bytes): Bytes => {
    const changed = bytes.slice()
    changed[0] = 2
    return changed
  }
})

describe('a client asked for more than it may tell', () => {
  const session = quick.random(16)
  const list = (
    kind: 'survivors' | 'roster' | 'inbox',
    place: number,
    entries: { place: number; bytes: Bytes }[],
    width = 0,
  ) => encodeMessage({ kind, session, place, body: encodeList(entries, width) })
  const none = new Uint8Array(0)

  /** Five clients up to the masked updates. */
  async function upToMasked() {
    const common = { session, threshold: 3, primitives: quick }
    const clients = [1, 2, 3, 4, 5].map((place) => secureClient({ ...common, place }))
    const server = secureServer({ ...common, length: 2, neighbours: everyPair(5) })
    for (const [i, client] of clients.entries()) server.receive(i + 1, await client.advertise())
    const rosters = server.next()
    for (const [i, client] of clients.entries()) server.receive(i + 1, await client.share(rosters.get(i + 1)!))
    const inboxes = server.next()
    const masked: Bytes[] = []
    for (const [i, client] of clients.entries()) {
      masked.push(await client.mask(inboxes.get(i + 1)!, () => Uint32Array.of(i, 7)))
    }
    return { clients, server, masked, rosters, inboxes }
  }
  const survivors = (places: number[]) =>
    list(
      'survivors',
      1,
      places.map((place) => ({ place, bytes: none })),
    )

  test('gives one share of each, and refuses to be asked again for the other', async () => {
    const { clients } = await upToMasked()
    const told = await clients[0]!.reveal(survivors([1, 2, 3]))
    const entries = told.slice(19)
    const marks = Array.from({ length: 5 }, (_, k) => entries[k * 37 + 2])
    // Seeds of 1 to 3, mask keys of 4 and 5.
    expect([entries.length, marks]).toEqual([5 * 37, [1, 1, 1, 0, 0]])
    await expect(clients[0]!.reveal(survivors([1, 4, 5]))).rejects.toThrow(/refused to reveal/)
  })

  test('refuses to be counted out, to too few, and strangers', async () => {
    for (const [places, why] of [
      [[2, 3, 4], /count client 1 out/],
      [[1, 2], /aborted: 2 clients/],
      [[1, 2, 9], /count place 9 in/],
    ] as const) {
      const { clients } = await upToMasked()
      await expect(clients[0]!.reveal(survivors([...places]))).rejects.toThrow(why)
    }
  })

  test('a server with too few answers ends the phase in which they are missing, and sends nothing', async () => {
    const common = { session, threshold: 3, primitives: quick }
    const begun = () => ({
      clients: [1, 2, 3, 4, 5].map((place) => secureClient({ ...common, place })),
      server: secureServer({ ...common, length: 2, neighbours: everyPair(5) }),
    })
    for (const [phase, answers] of [
      ['keys', 2],
      ['shares', 2],
      ['masked', 2],
    ] as const) {
      // biome-ignore format: a list
      const { clients, server } = begun()
      const count = (own: string) => (own === phase ? answers : 5)
      for (const [i, client] of clients.slice(0, count('keys')).entries())
        server.receive(i + 1, await client.advertise())
      if (phase === 'keys') {
        expect(() => server.next()).toThrow(/aborted: 2 clients are left where 3/)
        continue
      }
      const rosters = server.next()
      const sharing = clients.slice(0, count('shares'))
      for (const [i, client] of sharing.entries()) server.receive(i + 1, await client.share(rosters.get(i + 1)!))
      if (phase === 'shares') {
        expect(() => server.next()).toThrow(/aborted: 2 clients are left where 3/)
        continue
      }
      const inboxes = server.next()
      for (const [i, client] of clients.slice(0, answers).entries()) {
        server.receive(i + 1, await client.mask(inboxes.get(i + 1)!, () => Uint32Array.of(i, 7)))
      }
      expect(() => server.next()).toThrow(/aborted: 2 clients are left where 3/)
    }
  })

  test('keeps the order of the steps', async () => {
    const { clients, masked, rosters, server } = await upToMasked()
    await expect(clients[0]!.share(rosters.get(1)!)).rejects.toThrow(/refused to share/)
    server.receive(1, masked[0]!)
    expect(() => server.receive(1, masked[0]!)).toThrow(/second "masked" of client 1/)
    expect(() => server.receive(9, masked[0]!)).toThrow(/place 9/)
    await expect(server.sum()).rejects.toThrow(/before the last phase/)
  })

  test('refuses a threshold that two halves could reach, and a roster with itself', async () => {
    const start = async (threshold: number) => {
      const client = secureClient({ session, place: 1, threshold, primitives: quick })
      await client.advertise()
      return client
    }
    const peers = [2, 3, 4].map((place) => ({ place, bytes: quick.random(64) }))
    await expect((await start(2)).share(list('roster', 1, peers, 64))).rejects.toThrow(/threshold of 2 for 4 holders/)
    const self = [{ place: 1, bytes: quick.random(64) }, ...peers]
    await expect((await start(3)).share(list('roster', 1, self, 64))).rejects.toThrow(/holds client 1 itself/)
    await expect((await start(5)).share(list('roster', 1, peers, 64))).rejects.toThrow(/aborted: 4 clients/)
    const twice = [...peers, { place: 4, bytes: quick.random(64) }]
    await expect((await start(3)).share(list('roster', 1, twice, 64))).rejects.toThrow(/place 4 out of order/)
  })

  test('refuses shares of those who are not in the roster', async () => {
    const common = { session, threshold: 3, primitives: quick }
    const client = secureClient({ ...common, place: 1 })
    await client.advertise()
    const keysOf = async () => {
      const [a, b] = [await quick.keyPair(quick.random(32)), await quick.keyPair(quick.random(32))]
      return Uint8Array.from([...a.publicKey, ...b.publicKey])
    }
    const peers = await Promise.all([2, 3].map(async (place) => ({ place, bytes: await keysOf() })))
    await client.share(list('roster', 1, peers, 64))
    const inbox = list(
      'inbox',
      1,
      [2, 3, 4].map((place) => ({ place, bytes: new Uint8Array(sealedBytes) })),
      sealedBytes,
    )
    await expect(client.mask(inbox, () => Uint32Array.of(1))).rejects.toThrow(/place 4, who is not in the roster/)
  })
})
