import { expect, test } from 'vitest'
import { seated } from '../../../test/seated-client.js'
import { seatsHere } from '../../federation/exchange.js'
import { nativePrimitives } from '../../node/threads/native-primitives.js'
import { rng } from '../../numeric/random/rng.js'
import type { Bytes, Primitives } from '../secure-aggregation/primitives.js'
import { checkedSeat } from './checked-seat.js'
import { checkedSum } from './checked-sum.js'
import { type CheckedTapped, type Step, steps } from './steps.js'
import type { Policy } from './terms.js'

const policy: Policy = {
  ...{ variant: 'pairs', least: 3, directory: 'given' },
  ...{ corrupt: 0.05, dropouts: 0.1, secureBits: 40, correctBits: 10 },
}
const [n, d] = [6, 4]

/** The same primitives, which hold on to every secret that goes through them. What follows from the public challenge is none. */
function watched(inner: Primitives): { readonly primitives: Primitives; readonly seen: Map<Bytes, string> } {
  const seen = new Map<Bytes, string>()
  const kept = (bytes: Bytes, what: string): Bytes => {
    seen.set(bytes, what)
    return bytes
  }
  const primitives: Primitives = {
    ...inner,
    random: (bytes) => kept(inner.random(bytes), 'random'),
    async keyPair(secret) {
      const pair = await inner.keyPair(secret)
      return { ...pair, agree: async (other) => kept(await pair.agree(other), 'agreed') }
    },
    async derive(secret, options) {
      const info = new TextDecoder().decode(options.info)
      const found = await inner.derive(secret, options)
      return info.startsWith('overhear weighing') ? found : kept(found, `derived for ${info}`)
    },
    seal: (key, text, sealed) => inner.seal(key, kept(text, 'text to seal'), sealed),
    open: async (key, text, sealed) => kept(await inner.open(key, text, sealed), 'opened'),
  }
  return { primitives, seen }
}

/** What clients still know once a sum is over, of which one message to client 2 was changed. */
async function left(change?: (bytes: Bytes) => Bytes, at?: Step): Promise<{ left: string[]; kinds: Set<string> }> {
  const { primitives, seen } = watched(nativePrimitives())
  const change2 = ({ to, phase, place, bytes }: CheckedTapped) =>
    to === 'client' && place === 2 && phase === at ? change?.(bytes.slice()) : undefined
  const guests = Array.from({ length: n }, (_, i) =>
    seated({ place: i + 1, weight: 1, change: () => rng(i).normals(d) }),
  )
  await checkedSum({
    ...{ policy, run: new Uint8Array(16), round: 0, length: d, largest: 1 },
    ...{ quantisation: { clip: 8, levels: 1 << 22 }, primitives: nativePrimitives(), tap: change2 },
    seats: seatsHere(guests, checkedSeat(primitives, policy)),
    cohort: guests.map(({ id }) => id),
  })
  const whats = [...seen].filter(([bytes]) => bytes.some((byte) => byte !== 0)).map(([, what]) => what)
  return { left: whats, kinds: new Set([...seen.values()].map((what) => what.replace(/ for .*/, ''))) }
}

test('after a sum nothing is left that would open anything', async () => {
  const found = await left()
  expect(found.kinds).toEqual(new Set(['random', 'agreed', 'derived', 'text to seal', 'opened']))
  expect(found.left).toEqual([])
})

test.each(steps.slice(1))('nor where a client refused in the phase "%s"', async (phase) => {
  // A message cut short is none.
  expect((await left((bytes) => bytes.slice(0, -1), phase)).left).toEqual([])
})
