import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seated } from '../../../test/seated-client.js'
import { seatsHere } from '../../federation/exchange.js'
import { nativePrimitives } from '../../node/threads/native-primitives.js'
import { rng } from '../../numeric/random/rng.js'
import { type Bytes, webCrypto } from '../secure-aggregation/primitives.js'
import { joined } from '../secure-aggregation/wire-messages.js'
import { checkedSeat } from './checked-seat.js'
import { type CheckedSumOptions, checkedSum } from './checked-sum.js'
import { quorum } from './graph-bounds.js'
import { advertise } from './signed-texts.js'
import { type CheckedTapped, type Step, steps } from './steps.js'
import type { Policy } from './terms.js'

const primitives = nativePrimitives()
const pairs: Policy = {
  ...{ variant: 'pairs', least: 3, directory: 'given' },
  ...{ corrupt: 0.05, dropouts: 0.1, secureBits: 40, correctBits: 10 },
}
/** Bounds that a small graph can keep. */
const graph: Policy = { ...pairs, variant: 'graph', corrupt: 0.02, secureBits: 20 }
const d = 5
const quantisation = { clip: 8, levels: 1 << 22 }
const updatesOf = (n: number) => Array.from({ length: n }, (_, i) => rng('updates').fork(i).normals(d))

interface Given extends Partial<Omit<CheckedSumOptions, 'seats' | 'cohort'>> {
  readonly weights?: readonly number[]
}

function sumOf(n: number, { weights, ...given }: Given = {}) {
  const updates = updatesOf(n)
  const policy = given.policy ?? pairs
  const guests = updates.map((update, i) => seated({ place: i + 1, weight: weights?.[i] ?? 1, change: () => update }))
  const seats = seatsHere(guests, checkedSeat(given.primitives ?? primitives, policy))
  const cohort = guests.map(({ id }) => id)
  const common = { run: new Uint8Array(16), round: 0, length: d, quantisation, largest: 1, primitives }
  return checkedSum({ ...common, policy, ...given, seats, cohort })
}

/** At most one level a survivor. */
function expectSum(sum: Float64Array, survivors: readonly number[], n: number, weights?: readonly number[]): void {
  const updates = updatesOf(n)
  const bound = (survivors.length * 16) / (quantisation.levels - 1)
  const largest = weights === undefined ? 1 : Math.max(...weights)
  for (let j = 0; j < d; j++) {
    const plain = survivors.reduce((total, u) => total + ((weights?.[u - 1] ?? 1) / largest) * updates[u - 1]![j]!, 0)
    expect(Math.abs(sum[j]! - plain)).toBeLessThanOrEqual(bound)
  }
}

/** Changes what one client sends in one phase. */
const spoiling =
  (phase: Step, place: number, change: (bytes: Bytes) => Bytes): NonNullable<CheckedSumOptions['tap']> =>
  (heard) =>
    heard.to === 'server' && heard.phase === phase && heard.place === place ? change(heard.bytes.slice()) : undefined
const flip = (at: number) => (bytes: Bytes) => {
  bytes[at < 0 ? bytes.length + at : at]! ^= 1
  return bytes
}
const head = 19

describe('the sum', () => {
  test.each([
    [3, pairs],
    [8, pairs],
    [30, graph],
  ])('of %d clients is theirs, and that of their weights', async (n, policy) => {
    const weights = Array.from({ length: n }, (_, i) => 1 + ((7 * i) % 5))
    const found = await sumOf(n, { policy, weights, largest: 5 })
    expect([found.survivors.length, found.excluded]).toEqual([n, []])
    expect(found.weightSum).toBe(weights.reduce((a, b) => a + b, 0))
    expectSum(found.sum, found.survivors, n, weights)
  })

  test('is the same with WebCrypto', async () => {
    const [a, b] = [await sumOf(4), await sumOf(4, { primitives: webCrypto() })]
    expect(b.sum).toEqual(a.sum)
  })

  test('is that of those who stay, whoever vanishes in whichever phase, while more than two thirds are left', async () => {
    const pattern = fc.array(fc.constantFrom<Step | undefined>(undefined, undefined, undefined, ...steps), {
      minLength: 6,
      maxLength: 10,
    })
    await fc.assert(
      fc.asyncProperty(pattern, async (when) => {
        const n = when.length
        const vanish = new Map(when.flatMap((phase, i) => (phase === undefined ? [] : [[i + 1, phase] as const])))
        const here = (phase: Step) =>
          when.flatMap((gone, i) => (gone !== undefined && steps.indexOf(gone) <= steps.indexOf(phase) ? [] : [i + 1]))
        const run = sumOf(n, { vanish })
        if (here('reveal').length < quorum(n)) {
          await expect(run).rejects.toThrow(/aborted: \d+ (clients|shares)/)
          return
        }
        const { sum, survivors } = await run
        expect(survivors).toEqual(here('masked'))
        expectSum(sum, survivors, n)
      }),
      { numRuns: 25 },
    )
  })
})

describe('a fault costs its sender the place, and nobody else anything', () => {
  const n = 9
  const faulty = (phase: Step, change: (bytes: Bytes) => Bytes) => sumOf(n, { tap: spoiling(phase, 4, change) })
  const without = [1, 2, 3, 5, 6, 7, 8, 9]

  test.each([
    ['keys', 'keys of zeros', (b: Bytes) => b.fill(0, head, head + 32), /not signed/],
    ['keys', 'another key than it signed', flip(head + 40), /not signed/],
    ['keys', 'too few bytes', (b: Bytes) => b.slice(0, 40), /keys of 21 bytes/],
    ['shares', 'a list that is none', (b: Bytes) => b.slice(0, -1), /a list of/],
    ['shares', 'shares that nobody can open', (b: Bytes) => b.map((x, i) => (i > head + 34 && (i - head - 32) % 91 > 1 ? x ^ 1 : x)), /could not open/], // biome-ignore format: a line
    ['masked', 'an update of another length', (b: Bytes) => b.slice(0, -4), /5 values, 6 are due/],
  ] as [Step, string, (b: Bytes) => Bytes, RegExp][])('%s: %s', async (phase, _, change, why) => {
    const { sum, survivors, excluded } = await faulty(phase, change)
    expect(survivors).toEqual(without)
    expectSum(sum, survivors, n)
    expect(excluded.map(({ place }) => place)).toEqual([4])
    expect(excluded[0]!.reason).toMatch(why)
  })

  test.each([
    [
      'held',
      'a complaint about a stranger',
      (b: Bytes) => Uint8Array.of(...b.slice(0, head), 99, 0, 0, 0, 0, 0, 0, 0),
      /complaint/,
    ],
    ['signed', 'a signature that is none', flip(-1), /a signature that is not/],
    ['reveal', 'shares of another kind', (b: Bytes) => b.map((x, i) => (i >= head && (i - head) % 37 === 2 ? x ^ 1 : x)), /wrong share/], // biome-ignore format: a line
  ] as [Step, string, (b: Bytes) => Bytes, RegExp][])('%s: %s', async (phase, _, change, why) => {
    const { sum, survivors, excluded } = await faulty(phase, change)
    // Once its update is in the sum, it stays there.
    expect(survivors).toEqual(phase === 'held' ? without : [...without, 4].sort())
    expectSum(sum, survivors, n)
    expect(excluded.map(({ place }) => place)).toEqual([4])
    expect(excluded[0]!.reason).toMatch(why)
  })

  test('keys: one of low order that its owner has signed', async () => {
    let digest: Bytes
    const info = new TextEncoder().encode('overhear identity c4')
    const secret = await primitives.derive(new Uint8Array(32).fill(7), { salt: new Uint8Array(0), info, bytes: 32 })
    const signer = await primitives.signer(secret)
    const mask = (await primitives.keyPair(primitives.random(32))).publicKey
    const sides = new Map<number, Bytes>()
    const prepared = async (bytes: Bytes) => {
      digest = await primitives.hash(bytes.slice(head))
      sides.set(4, await advertise({ seal: new Uint8Array(32), mask }, signer, { digest, place: 4 }))
    }
    const guests = updatesOf(n).map((update, i) => seated({ place: i + 1, weight: 1, change: () => update }))
    const inner = checkedSeat(primitives, pairs)
    const seats = seatsHere(guests, (own) => {
      const seat = inner(own)
      if (own.id !== 'c4') return seat
      const answer = async (bytes: Bytes) => {
        await prepared(bytes)
        return joined((await seat.answer(bytes)).slice(0, head), sides.get(4)!)
      }
      return { ...seat, answer }
    })
    const common = { run: new Uint8Array(16), round: 0, length: d, quantisation, largest: 1, primitives }
    const found = await checkedSum({ ...common, policy: pairs, seats, cohort: guests.map(({ id }) => id) })
    expect(found.survivors).toEqual(without)
    expect(found.excluded).toEqual([{ place: 4, phase: 'keys', reason: expect.stringMatching(/a public key/) }])
  })

  test('reveal: a wrong share of everybody is decoded around', async () => {
    const change = (b: Bytes) => b.map((x, i) => (i >= head && (i - head) % 37 === 5 ? x ^ 1 : x))
    const { sum, survivors, excluded } = await sumOf(n, { tap: spoiling('reveal', 1, change) })
    expectSum(sum, survivors, n)
    expect(excluded).toEqual([{ place: 1, phase: 'reveal', reason: expect.stringMatching(/revealed another share/) }])
  })

  test('shares: a wrong commitment to the seed does not matter while spare shares agree', async () => {
    const { sum, survivors } = await faulty('shares', flip(head + 3))
    expectSum(sum, survivors, n)
  })

  test('whatever bytes are changed, in whichever phase, the sum is that of those in it', async () => {
    const spoilt = fc.record({ phase: fc.constantFrom(...steps), at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) })
    await fc.assert(
      fc.asyncProperty(spoilt, async ({ phase, at, by }) => {
        // In an update, any numbers are a possible update: only its head can be wrong.
        const change = (b: Bytes) => {
          b[at % (phase === 'masked' ? head : b.length)]! ^= by
          return b
        }
        const { sum, survivors } = await faulty(phase, change)
        expect(survivors.length).toBeGreaterThanOrEqual(n - 1)
        expectSum(sum, survivors, n)
      }),
      { numRuns: 40 },
    )
  })
})

describe('clients refuse', () => {
  const n = 9
  /** What the server hears of clients that are sent something else. */
  const told = async (phase: Step, change: (bytes: Bytes, place: number) => Bytes | undefined, given: Given = {}) => {
    const heard: string[] = []
    const tap = ({ to, phase: now, place, bytes }: CheckedTapped) => {
      if (to === 'client' && now === phase) return change(bytes.slice(), place)
      if (to === 'server' && bytes[0] === 13) heard.push(new TextDecoder().decode(bytes.slice(1)))
      return undefined
    }
    const outcome = await sumOf(n, { tap, ...given }).catch((error: Error) => error)
    return { heard, outcome }
  }
  const only = (place: number, change: (bytes: Bytes) => Bytes) => (bytes: Bytes, at: number) =>
    at === place ? change(bytes) : undefined
  const edited = (change: (terms: Record<string, unknown>) => object) => (bytes: Bytes) => {
    const terms = JSON.parse(new TextDecoder().decode(bytes.slice(head)))
    return joined(bytes.slice(0, head), new TextEncoder().encode(JSON.stringify({ ...terms, ...change(terms) })))
  }

  test.each([
    ['a threshold of two thirds', () => ({ threshold: 6, shares: 6 }), /more than two thirds/],
    ['neighbours of the server’s choice', () => ({ degree: 2, shares: 2 }), /follow from the bounds/],
    ['a roster of the server’s choice', () => ({ roster: 6 }), /keys of 6 clients as enough/],
    ['a weight below its own', () => ({ largest: 0 }), /cannot be read/],
    ['a cohort with somebody twice', () => ({ cohort: Array.from({ length: 9 }, (_, i) => `c${Math.min(i + 1, 8)}`) }), /twice|place/], // biome-ignore format: a line
    ['another place than its own', () => ({ cohort: Array.from({ length: 9 }, (_, i) => `x${i}`) }), /it is that of/],
    ['more clients than places', () => ({ cohort: Array.from({ length: 70000 }, (_, i) => `c${i + 1}`) }), /65535/],
  ] as [string, () => object, RegExp][])('%s', async (_, change, why) => {
    const { heard } = await told('keys', only(3, edited(change)))
    expect(heard.length).toBe(1)
    expect(heard[0]).toMatch(why)
  })

  test('terms that differ from the others’: its keys are signed for another sum', async () => {
    const { outcome } = await told(
      'keys',
      only(
        3,
        edited(() => ({ clip: 9 })),
      ),
    )
    expect(outcome).toMatchObject({ survivors: [1, 2, 4, 5, 6, 7, 8, 9] })
  })

  test('keys that are replaced, and those of another sum', async () => {
    const { heard } = await told('shares', only(3, flip(head + 2)))
    expect(heard).toEqual([expect.stringMatching(/has not signed/)])
    const old: Bytes[] = []
    await sumOf(n, { tap: ({ to, phase, bytes }) => void (to === 'client' && phase === 'shares' && old.push(bytes)) })
    const replayed = await told('shares', (bytes) => Uint8Array.of(...bytes.slice(0, head), ...old[0]!.slice(head)))
    expect(replayed.heard.length).toBe(n)
    expect(replayed.heard[0]).toMatch(/has not signed/)
  })

  test('a list of survivors that is shorter than others’, too short, or leaves them out', async () => {
    const less = (places: number[]) => (bytes: Bytes) =>
      Uint8Array.of(...bytes.slice(0, head), ...places.flatMap((place) => [place, 0]))
    const short = await told('signed', only(2, less([1, 2, 3, 4, 5, 6])))
    expect(short.heard[0]).toMatch(/6 clients are left where 7/)
    const out = await told('signed', only(2, less([1, 3, 4, 5, 6, 7, 8, 9])))
    expect(out.heard[0]).toMatch(/count client 2 out/)
    // Client 2 believes that 9 has gone, and signs that; it is alone with it.
    const other = await told('signed', only(2, less([1, 2, 3, 4, 5, 6, 7, 8])))
    expect(other.outcome).toMatchObject({ excluded: [{ place: 2, phase: 'signed' }] })
  })

  test('to answer before enough have signed the same list', async () => {
    // Half of them are told another list, and all are handed all signatures.
    const other = (bytes: Bytes) =>
      Uint8Array.of(...bytes.slice(0, head), ...[1, 2, 3, 4, 5, 6, 7, 8].flatMap((place) => [place, 0]))
    const { outcome } = await told('signed', (bytes, place) => (place <= 4 ? other(bytes) : undefined))
    expect(String(outcome)).toMatch(/aborted: 5 clients are left where 7/)
    const few = await told('reveal', (bytes) => bytes.slice(0, head + 6 * 66))
    expect(few.heard.length).toBe(n)
    expect(few.heard[0]).toMatch(/6 have signed: 7 are needed/)
  })

  test('a round that they took part in', async () => {
    const guests = updatesOf(5).map((update, i) => seated({ place: i + 1, weight: 1, change: () => update }))
    const side = checkedSeat(primitives, pairs)
    const common = { policy: pairs, run: new Uint8Array(16), length: d, quantisation, largest: 1, primitives }
    const play = (round: number) =>
      checkedSum({ ...common, round, seats: seatsHere(guests, side), cohort: guests.map(({ id }) => id) })
    await play(3)
    await expect(play(3)).rejects.toMatchObject({ excluded: [{ reason: expect.stringMatching(/took part in round 3/) }, {}, {}, {}, {}] }) // biome-ignore format: a line
    await play(4)
  })

  test('a stranger, where a directory was given; another key for one they know, where none was', async () => {
    const stranger = seated({ place: 6, weight: 1, change: () => new Float64Array(d) })
    const others = updatesOf(5).map((update, i) => seated({ place: i + 1, weight: 1, change: () => update }))
    const guests = [...others, { ...stranger, enrolment: new Uint8Array(32).fill(8) }]
    const common = { run: new Uint8Array(16), length: d, quantisation, largest: 1, primitives }
    const cohort = guests.map(({ id }) => id)
    const play = (side: ReturnType<typeof checkedSeat>, policy: Policy, round: number, who = guests) =>
      checkedSum({ ...common, policy, round, seats: seatsHere(who, side), cohort })
    await expect(play(checkedSeat(primitives, pairs), pairs, 0)).rejects.toThrow(/aborted/)
    const trusting = { ...pairs, directory: 'first-use' } as const
    const side = checkedSeat(primitives, trusting)
    expect((await play(side, trusting, 0)).survivors.length).toBe(6)
    const changed = [...others, { ...stranger, enrolment: new Uint8Array(32).fill(9) }]
    await expect(play(side, trusting, 1, changed)).rejects.toThrow(/aborted/)
  })
})
