import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seated } from '../../../test/seated-client.js'
import { seatsHere } from '../../federation/exchange.js'
import { nativePrimitives } from '../../node/threads/native-primitives.js'
import { rng } from '../../numeric/random/rng.js'
import { everyPair, regularGraph } from './mask-graph.js'
import { secureClient } from './masking-client.js'
import { addMask, pairMask, signOf } from './masks.js'
import type { Bytes, Primitives } from './primitives.js'
import { webCrypto } from './primitives.js'
import { secureSeat } from './secure-seat.js'
import { type Phase, phases, type SecureSumOptions, secureSum, type Tapped } from './secure-sum.js'
import { secureServer } from './sum-server.js'

const quick = nativePrimitives()
const quantisation = { clip: 8, levels: 1 << 22 }
const updatesOf = (n: number, d: number) => Array.from({ length: n }, (_, i) => rng('updates').fork(i).normals(d))
interface Given extends Omit<SecureSumOptions, 'seats'> {
  readonly updates: readonly Float64Array[]
  readonly weights?: readonly number[]
}
const options = (n: number, change: Partial<Given> = {}): Given => ({
  updates: updatesOf(n, 5),
  length: 5,
  neighbours: everyPair(n),
  threshold: Math.floor(n / 2) + 1,
  quantisation,
  primitives: quick,
  ...change,
})
/** With clients in this thread. */
const sumOf = ({ updates, weights, ...given }: Given) => {
  const guests = updates.map((update, i) => seated({ place: i + 1, weight: weights?.[i] ?? 1, change: () => update }))
  return secureSum({ ...given, seats: seatsHere(guests, secureSeat(given.primitives)) })
}
const plainSum = (updates: readonly Float64Array[], places: readonly number[], d: number): number[] =>
  Array.from({ length: d }, (_, j) => places.reduce((sum, place) => sum + updates[place - 1]![j]!, 0))

/** At most half a level a survivor. */
function expectSum(found: Float64Array, exact: readonly number[], survivors: number): void {
  const off = (survivors * quantisation.clip) / (quantisation.levels - 1)
  for (const [j, x] of exact.entries()) expect(Math.abs(found[j]! - x)).toBeLessThanOrEqual(off * (1 + 1e-9))
}

describe('the sum', () => {
  test.each([3, 4, 9])('of %d clients is their sum', async (n) => {
    const given = options(n, { primitives: webCrypto() })
    const { sum, survivors } = await sumOf(given)
    expect(survivors.length).toBe(n)
    expectSum(sum, plainSum(given.updates, survivors, 5), n)
  })

  test('is that of the survivors, whoever vanishes in whichever phase, while enough are left', async () => {
    const pattern = fc.array(fc.constantFrom<Phase | undefined>(undefined, ...phases), { minLength: 5, maxLength: 9 })
    await fc.assert(
      fc.asyncProperty(pattern, fc.boolean(), async (when, sparse) => {
        const n = when.length
        const neighbours = sparse ? regularGraph(n, 4, rng(n)) : everyPair(n)
        const vanish = new Map(when.flatMap((phase, i) => (phase === undefined ? [] : [[i + 1, phase] as const])))
        const threshold = Math.floor((neighbours[0]!.length + 1) / 2) + 1
        const given = options(n, { vanish, neighbours, threshold })
        const here = (phase: Phase) =>
          when.flatMap((gone, i) =>
            gone !== undefined && phases.indexOf(gone) <= phases.indexOf(phase) ? [] : [i + 1],
          )
        const enough = (owners: number[], left: number[]) =>
          owners.every((u) => [...neighbours[u - 1]!, u].filter((v) => left.includes(v)).length >= threshold)
        const owners = here('shares')
        const possible =
          owners.length > 0 &&
          enough(here('keys'), here('keys')) &&
          enough(owners, owners) &&
          enough(owners, here('masked')) &&
          enough(owners, here('reveal'))
        if (!possible) {
          if (owners.length > 0) await expect(sumOf(given)).rejects.toThrow(/aborted|refused/)
          return
        }
        const { sum, survivors } = await sumOf(given)
        expect(survivors).toEqual(here('masked'))
        expectSum(sum, plainSum(given.updates, survivors, 5), survivors.length)
      }),
      { numRuns: 60 },
    )
  })

  test('is not had when too few are left, in any phase', async () => {
    for (const phase of phases) {
      const vanish = new Map([1, 2, 3, 4].map((place) => [place, phase]))
      await expect(sumOf(options(7, { vanish })), phase).rejects.toThrow(/aborted: 3 clients are left where 4/)
    }
  })

  test('of weighted updates is weighted, and an update of no values has none', async () => {
    const updates = [Float64Array.of(1), Float64Array.of(2), Float64Array.of(4)]
    const { sum } = await sumOf(options(3, { updates, length: 1, weights: [4, 2, 1], largest: 4 }))
    expect(sum[0]).toBeCloseTo(3, 4)
    expect((await sumOf(options(3, { updates: [0, 0, 0].map(() => new Float64Array(0)), length: 0 }))).sum.length).toBe(
      0,
    )
  })

  test('of more participants than the modulus holds is refused', async () => {
    const coarse = { clip: 8, levels: 2_147_483_648 }
    await expect(sumOf(options(3, { quantisation: coarse }))).rejects.toThrow(/at most 2 do/)
  })
})

describe('what the server hears', () => {
  const d = 6000
  /** 255 degrees of freedom: all but one in a billion lie below 415 (keys are drawn anew in every run). */
  const chiOfBytes = (bytes: Uint8Array): number => {
    const bins = new Array<number>(256).fill(0)
    for (const byte of bytes) bins[byte]! += 1
    return bins.reduce((sum, count) => sum + (count - bytes.length / 256) ** 2 / (bytes.length / 256), 0)
  }
  const masked = async (updates: Float64Array[], round: number) => {
    const heard: Bytes[] = []
    const tap = ({ to, phase, bytes }: Tapped) => {
      if (to === 'server' && phase === 'masked') heard.push(bytes.slice(19))
      return undefined
    }
    await sumOf(options(4, { updates, length: d, threshold: 3, tap }))
    expect(heard.length, `round ${round}`).toBe(4)
    return heard
  }

  test('is uniform whatever the updates are, and never the same twice', async () => {
    const zeros = [1, 2, 3, 4].map(() => new Float64Array(d))
    const heard = [...(await masked(zeros, 0)), ...(await masked(zeros, 1))]
    for (const bytes of heard) expect(chiOfBytes(bytes)).toBeLessThan(415)
    // No block of the cipher occurs again: not in another round, not in another part of the model, not at another client.
    const blocks = new Set<string>()
    for (const bytes of heard)
      for (let k = 0; k + 16 <= bytes.length; k += 16) blocks.add(bytes.slice(k, k + 16).join())
    expect(blocks.size).toBe((heard.length * 4 * d) / 16)
  })

  test('stays uniform for a server in league with fewer clients than the threshold', async () => {
    // Six clients, threshold 4; the coalition of clients 4 to 6 and the server knows its own secrets and every message.
    const n = 6
    const drawn = new Map<number, Bytes[]>()
    const primitivesOf = (place: number): Primitives => ({
      ...quick,
      random(bytes) {
        const found = quick.random(bytes)
        drawn.set(place, [...(drawn.get(place) ?? []), found])
        return found
      },
    })
    const session = quick.random(16)
    const common = { session, threshold: 4 }
    const clients = Array.from({ length: n }, (_, i) => {
      return secureClient({ ...common, place: i + 1, primitives: primitivesOf(i + 1) })
    })
    const server = secureServer({ ...common, length: d, neighbours: everyPair(n), primitives: quick })
    const keys = await Promise.all(clients.map((client) => client.advertise()))
    for (const [i, bytes] of keys.entries()) server.receive(i + 1, bytes)
    const rosters = server.next()
    for (const [i, client] of clients.entries()) server.receive(i + 1, await client.share(rosters.get(i + 1)!))
    const inboxes = server.next()
    const update = new Uint32Array(d).fill(1234)
    const victim = await clients[0]!.mask(inboxes.get(1)!, () => update)
    const left = new Uint32Array(victim.slice(19).buffer)
    addMask(left, update, -1)
    for (const v of [4, 5, 6]) {
      // A client draws its seal secret, its mask secret and its seed, in this order.
      const own = await quick.keyPair(drawn.get(v)![1]!)
      const shared = await own.agree(keys[0]!.slice(19 + 32))
      addMask(left, await pairMask(quick, shared, { session, length: d, u: 1, v }), signOf(1, v) === 1 ? -1 : 1)
    }
    expect(chiOfBytes(new Uint8Array(left.buffer))).toBeLessThan(415)
  })
})

describe('what breaks the rules is refused', () => {
  const changing = (to: Tapped['to'], phase: Phase, place: number, change: (bytes: Bytes) => Bytes) =>
    sumOf(
      options(5, {
        tap: (heard) =>
          heard.to === to && heard.phase === phase && heard.place === place ? change(heard.bytes.slice()) : undefined,
      }),
    )
  const flip = (at: number) => (bytes: Bytes) => {
    bytes[at < 0 ? bytes.length + at : at]! ^= 1
    return bytes
  }

  test('a share that was changed on the way', async () => {
    await expect(changing('server', 'shares', 2, flip(-1))).rejects.toThrow(/refused a share that was changed/)
    await expect(changing('client', 'masked', 3, flip(40))).rejects.toThrow(/refused a share that was changed/)
  })

  test('a revealed share that is not the one that was dealt', async () => {
    await expect(changing('server', 'reveal', 1, flip(-5))).rejects.toThrow(/give another seed|give no secret/)
    const vanish = new Map([[5, 'masked' as const]])
    const tap = ({ to, phase, place, bytes }: Tapped) =>
      to === 'server' && phase === 'reveal' && place === 1 ? flip(-5)(bytes.slice()) : undefined
    await expect(sumOf(options(5, { vanish, tap }))).rejects.toThrow(/give another key|give no secret/)
  })

  test('a revealed share of a client that dealt none to whoever reveals it, or none at all', async () => {
    // Each masks with the two on either side: client 1 holds shares of 1, 2, 3, 6 and 7.
    const neighbours = Array.from({ length: 7 }, (_, i) => [1, 2, 5, 6].map((by) => ((i + by) % 7) + 1).sort())
    const claiming = (entry: number, owner: number, vanish: ReadonlyMap<number, Phase>) => {
      const tap = ({ to, phase, place, bytes }: Tapped) => {
        if (to !== 'server' || phase !== 'reveal' || place !== 1) return undefined
        const forged = bytes.slice()
        const size = (forged.length - 19) / (5 - vanish.size)
        forged[19 + entry * size] = owner
        return forged
      }
      return sumOf(options(7, { neighbours, threshold: 3, vanish, tap }))
    }
    await expect(claiming(2, 4, new Map())).rejects.toThrow(/refused client 1's share of client 4/)
    await expect(claiming(1, 3, new Map([[3, 'shares']]))).rejects.toThrow(/refused client 1's share of client 3/)
  })

  test("another's public key, one of low order, one key twice", async () => {
    const other = (await quick.keyPair(quick.random(32))).publicKey
    const swap = (bytes: Bytes) => {
      bytes.set(other, 19 + 2) // the first entry's key for shares
      return bytes
    }
    await expect(changing('client', 'shares', 2, swap)).rejects.toThrow(/sealed with another key/)
    const zero = (bytes: Bytes) => bytes.fill(0, 19 + 2, 19 + 2 + 32)
    await expect(changing('client', 'shares', 2, zero)).rejects.toThrow(/refused a public key/)
    const twice = (bytes: Bytes) => {
      bytes.copyWithin(19 + 66 + 2, 19 + 2, 19 + 66)
      return bytes
    }
    await expect(changing('client', 'shares', 2, twice)).rejects.toThrow(/one key twice/)
  })

  test('an old message, one of somebody else, one of another kind, one too short', async () => {
    const old: Bytes[] = []
    await sumOf(
      options(5, { tap: ({ bytes, phase, to }) => void (to === 'server' && phase === 'masked' && old.push(bytes)) }),
    )
    await expect(changing('server', 'masked', 1, () => old[0]!)).rejects.toThrow(/"masked" of another session/)
    const forged = (bytes: Bytes) => bytes.fill(1, 17, 18)
    await expect(changing('server', 'keys', 2, forged)).rejects.toThrow(/of place 1/)
    await expect(changing('client', 'reveal', 2, flip(0))).rejects.toThrow(/no client waits for/)
    await expect(changing('server', 'masked', 2, (bytes) => bytes.slice(0, -4))).rejects.toThrow(/4 values, 5 are due/)
    await expect(changing('server', 'shares', 2, (bytes) => bytes.slice(0, -1))).rejects.toThrow(/refused a list/)
    await expect(changing('server', 'keys', 2, () => new Uint8Array(3))).rejects.toThrow(/no "keys"/)
  })
})
