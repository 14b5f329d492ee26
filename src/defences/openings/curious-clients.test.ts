/** The honest-but-curious protocol opened in earnest: real clients, lists that differ, and an update that comes out whole. */
import { expect, test } from 'vitest'
import { nativePrimitives } from '../../node/threads/native-primitives.js'
import { rng } from '../../numeric/random/rng.js'
import { everyPair, type Neighbours, regularGraph } from '../secure-aggregation/mask-graph.js'
import { secureClient } from '../secure-aggregation/masking-client.js'
import { addMask, pairMask, selfMask, signOf } from '../secure-aggregation/masks.js'
import type { Bytes } from '../secure-aggregation/primitives.js'
import { combine, decodeShare, type Share } from '../secure-aggregation/shamir.js'
import { secureServer } from '../secure-aggregation/sum-server.js'
import { decodeList, encodeList, encodeMessage } from '../secure-aggregation/wire-messages.js'
import { findLists } from './find-lists.js'

const primitives = nativePrimitives()
const [head, length] = [19, 40]

/** Runs clients up to their masked updates, tells each its own list, and adds up whatever that opens. */
async function opened(masks: Neighbours) {
  const n = masks.length
  const threshold = Math.floor((masks[0]!.length + 1) / 2) + 1
  const holders = masks.map((own, i) => [...own, i + 1])
  const rules = { masks, holders, threshold, leastListed: threshold, signers: 0, leastHolders: 0 }
  const { opened: target, lists } = findLists({ rules, colluders: new Set(), below: 3 })!
  const session = primitives.random(16)
  const common = { session, threshold, primitives }
  const places = Array.from({ length: n }, (_, i) => i + 1)
  const clients = places.map((place) => secureClient({ ...common, place }))
  const server = secureServer({ ...common, length, neighbours: masks })
  const updates = places.map((u) => Uint32Array.from({ length }, (_, j) => 1000 * u + j))
  const keys: Bytes[] = []
  for (const [i, client] of clients.entries()) {
    keys.push(await client.advertise())
    server.receive(i + 1, keys[i]!)
  }
  const rosters = server.next()
  for (const [i, client] of clients.entries()) server.receive(i + 1, await client.share(rosters.get(i + 1)!))
  const inboxes = server.next()
  const masked: Uint32Array[] = []
  for (const [i, client] of clients.entries()) {
    const bytes = await client.mask(inboxes.get(i + 1)!, () => updates[i]!)
    masked.push(new Uint32Array(bytes.slice(head).buffer))
  }
  const found = { seed: new Map<number, Share[]>(), key: new Map<number, Share[]>() }
  for (const [c, list] of lists) {
    const body = encodeList(
      [...list].sort((a, b) => a - b).map((place) => ({ place, bytes: new Uint8Array(0) })),
      0,
    )
    const told = await clients[c - 1]!.reveal(encodeMessage({ kind: 'survivors', session, place: c, body }))
    for (const { place, bytes } of decodeList(told.slice(head), 35)) {
      const shares = bytes[0] === 1 ? found.seed : found.key
      const share = decodeShare(bytes.slice(1), { at: c, secretBytes: 32 })
      shares.set(place, [...(shares.get(place) ?? []), share])
    }
  }
  const sum = new Uint32Array(length)
  for (const u of target) {
    addMask(sum, masked[u - 1]!, 1)
    const seed = combine(found.seed.get(u)!, threshold)
    addMask(sum, await selfMask(primitives, seed, { session, length, u }), -1)
    for (const v of masks[u - 1]!.filter((one) => !target.includes(one))) {
      const own = await primitives.keyPair(combine(found.key.get(v)!, threshold))
      const shared = await own.agree(keys[u - 1]!.slice(head + 32))
      addMask(sum, await pairMask(primitives, shared, { session, length, u, v }), signOf(u, v) === 1 ? -1 : 1)
    }
  }
  const plain = new Uint32Array(length)
  for (const u of target) addMask(plain, updates[u - 1]!, 1)
  return { target, sum, plain }
}

test('a graph of 20 with 8 neighbours: one update, exactly, and no client notices', async () => {
  const { target, sum, plain } = await opened(regularGraph(20, 8, rng(3)))
  expect(target.length).toBe(1)
  expect(sum).toEqual(plain)
})

test('every pair of 7: the sum of two, exactly', async () => {
  const { target, sum, plain } = await opened(everyPair(7))
  expect(target.length).toBe(2)
  expect(sum).toEqual(plain)
})
