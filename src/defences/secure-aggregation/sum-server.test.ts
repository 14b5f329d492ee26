import { describe, expect, test } from 'vitest'
import { nativePrimitives } from '../../node/threads/native-primitives.js'
import { everyPair } from './mask-graph.js'
import type { Bytes } from './primitives.js'
import { secureServer } from './sum-server.js'
import {
  encodeList,
  encodeMessage,
  joined,
  type Kind,
  keyBytes,
  oneShare,
  sealedBytes,
  sessionBytes,
} from './wire-messages.js'

const quick = nativePrimitives()

describe('the server refuses', () => {
  const session = new Uint8Array(sessionBytes)
  const make = (n = 4) =>
    secureServer({ session, threshold: 2, length: 2, neighbours: everyPair(n), primitives: quick })
  type Server = ReturnType<typeof make>
  const send = (server: Server, kind: Kind, place: number, body: Bytes) =>
    server.receive(place, encodeMessage({ kind, session, place, body }))
  const keysOf = (place: number) => new Uint8Array(2 * keyBytes).fill(place)
  const sharesFor = (...places: number[]) =>
    joined(new Uint8Array(32), encodeList(places.map((place) => ({ place, bytes: new Uint8Array(sealedBytes) })), sealedBytes)) // biome-ignore format: a line
  const others = (place: number, n = 4) => Array.from({ length: n }, (_, i) => i + 1).filter((one) => one !== place)
  const withKeys = (n = 4) => {
    const server = make(n)
    for (const place of [...others(0, n)]) send(server, 'keys', place, keysOf(place))
    server.next()
    return server
  }
  const withShares = (n = 4) => {
    const server = withKeys(n)
    for (const place of others(0, n)) send(server, 'shares', place, sharesFor(...others(place, n)))
    server.next()
    return server
  }
  const revealed = (owner: number, kind: 0 | 1) =>
    encodeList([{ place: owner, bytes: joined(Uint8Array.of(kind), new Uint8Array(oneShare)) }], 1 + oneShare)

  test('places that there are not, keys twice or of another size', () => {
    const server = make()
    for (const place of [0, 5])
      expect(() => send(server, 'keys', place, keysOf(1))).toThrow(`a message of place ${place}`)
    send(server, 'keys', 1, keysOf(1))
    send(server, 'keys', 4, keysOf(4))
    expect(() => send(server, 'keys', 1, keysOf(1))).toThrow('a second "keys" of client 1')
    expect(() => send(server, 'keys', 2, new Uint8Array(2 * keyBytes - 1))).toThrow('keys of 63 bytes')
  })

  test('shares without keys, twice, or for others than asked', () => {
    const server = make()
    for (const place of [1, 2, 3]) send(server, 'keys', place, keysOf(place))
    server.next()
    expect(() => send(server, 'shares', 4, sharesFor(1, 2, 3))).toThrow('shares of client 4, who sent no keys')
    expect(() => send(server, 'shares', 1, sharesFor(2, 3, 4))).toThrow('shares of client 1 for others than asked')
    send(server, 'shares', 1, sharesFor(2, 3))
    expect(() => send(server, 'shares', 1, sharesFor(2, 3))).toThrow('a second "shares" of client 1')
  })

  test('updates without shares, twice, or of another length; fewer than three', () => {
    const server = withKeys()
    for (const place of [1, 2, 3]) send(server, 'shares', place, sharesFor(...others(place)))
    server.next()
    expect(() => send(server, 'masked', 4, new Uint8Array(8))).toThrow('an update of client 4, who sent no shares')
    expect(() => send(server, 'masked', 1, new Uint8Array(12))).toThrow('an update of 3 values, 2 are due')
    send(server, 'masked', 1, new Uint8Array(8))
    expect(() => send(server, 'masked', 1, new Uint8Array(8))).toThrow('a second "masked" of client 1')
    send(server, 'masked', 2, new Uint8Array(8))
    expect(() => server.next()).toThrow(/2 .*3/)
    send(server, 'masked', 3, new Uint8Array(8))
    expect([...server.next().keys()]).toEqual([1, 2, 3])
  })

  test('shares revealed by those who left, twice, or of the wrong kind; and anything after the end', async () => {
    const server = withShares()
    for (const place of [1, 2, 3]) send(server, 'masked', place, new Uint8Array(8))
    await expect(server.sum()).rejects.toThrow('to unmask before the last phase')
    server.next()
    expect(() => send(server, 'reveal', 4, revealed(1, 1))).toThrow('shares revealed by client 4, who sent no update')
    expect(() => send(server, 'reveal', 1, revealed(2, 0))).toThrow('the wrong share of client 2 from client 1')
    expect(() => send(server, 'reveal', 1, revealed(2, 1))).toThrow('a second "reveal" of client 1')
    expect(() => send(server, 'reveal', 2, revealed(4, 1))).toThrow('the wrong share of client 4 from client 2')
    expect(server.next().size).toBe(0)
    expect(() => server.next()).toThrow('to go on after the last phase')
    expect(() => send(server, 'reveal', 3, revealed(1, 1))).toThrow('a message after the last phase')
  })

  test('to go on with nobody, or with a client whose secrets too few others hold', () => {
    expect(() => make().next()).toThrow(/0 .*2/)
    const alone = make()
    send(alone, 'keys', 2, keysOf(2))
    expect(() => alone.next()).toThrow(/1 .*2/)
    send(alone, 'keys', 3, keysOf(3))
    expect([...alone.next().keys()]).toEqual([2, 3])
    expect(() => alone.next()).toThrow(/0 .*2/)
  })
})
