import { describe, expect, test } from 'vitest'
import { nativePrimitives } from '../../node/threads/native-primitives.js'
import { weighed } from '../checked-aggregation/share-check.js'
import { isFirst, pairKeys } from './pair-keys.js'
import { type Bytes, openPrimitives, type Primitives } from './primitives.js'
import { elements, encodeShare, share, shareBlinds, shareBytes } from './shamir.js'

const primitives = nativePrimitives()
const zeros = (values: ArrayLike<number>) => Array.from(values).every((v) => v === 0)
const derivation = { salt: new Uint8Array(16), info: new Uint8Array(8), bytes: 64 }

/** Primitives with a line to another thread, and all that went through them. */
function overheard() {
  const [posted, agreed, mail] = [[] as Bytes[], [] as Bytes[], [] as Bytes[]]
  const watched: Primitives = {
    ...primitives,
    line: { post: (records) => void posted.push(records.slice()), take: () => mail.splice(0) },
    async keyPair(secret) {
      const own = await primitives.keyPair(secret)
      return {
        ...own,
        async agree(other) {
          const found = await own.agree(other)
          agreed.push(found)
          return found
        },
      }
    },
  }
  const pair = (seed: number) => watched.keyPair(new Uint8Array(32).fill(seed))
  return { watched, posted, agreed, mail, pair }
}

describe('keys of pairs', () => {
  test('what they follow from is overwritten, and they are of the length asked for', async () => {
    const { watched, agreed, pair } = overheard()
    const [a, b] = [await pair(1), await pair(2)]
    const keys = pairKeys(watched)
    const whole = (await keys.between(a, b.publicKey, derivation)).slice()
    expect(agreed.length).toBe(1)
    expect(agreed.every(zeros)).toBe(true)
    keys.seat(b)
    await keys.between(a, b.publicKey, derivation)
    // It was left for b, whole: so much of it is taken as is asked for.
    const short = await keys.between(b, a.publicKey, { ...derivation, bytes: 32 })
    expect(short).toEqual(whole.slice(0, 32))
    expect(agreed.length).toBe(2)
  })

  test('travel by 32, each with whose it is and who it is for; then the space is empty', async () => {
    const { watched, posted, pair } = overheard()
    const [us, them] = [
      await Promise.all([1, 2, 3, 4, 5, 6].map(pair)),
      await Promise.all([11, 12, 13, 14, 15, 16].map(pair)),
    ]
    const keys = pairKeys(watched)
    const pairs = us.flatMap((u) => them.map((v) => [u, v] as const))
    for (const [u, v] of pairs.slice(0, 31)) await keys.between(u, v.publicKey, derivation)
    expect(posted).toEqual([])
    await keys.between(...([pairs[31]![0], pairs[31]![1].publicKey, derivation] as const))
    expect(posted.map(({ length }) => length)).toEqual([32 * 128])
    for (const k of [0, 7, 31]) {
      const [u, v] = pairs[k]!
      const record = posted[0]!.subarray(128 * k, 128 * k + 128)
      const key = await primitives.derive(await u.agree(v.publicKey), derivation)
      expect([...record]).toEqual([...u.publicKey, ...v.publicKey, ...key])
    }
    // Of those that follow, none is posted before there are 32 again.
    for (const [u, v] of pairs.slice(0, 31)) await keys.between(u, v.publicKey, derivation)
    expect(posted.length).toBe(1)
    // Whoever leaves takes along what waits.
    keys.leave(us[0]!)
    for (const [u, v] of pairs.slice(0, 31)) await keys.between(u, v.publicKey, { ...derivation, bytes: 32 })
    expect(posted.length).toBe(1)
    await keys.between(us[5]!, them[5]!.publicKey, { ...derivation, bytes: 32 })
    expect(posted.length).toBe(2)
    // Keys of 32 bytes leave nothing of longer ones behind.
    for (let at = 96; at < posted[1]!.length; at += 128) expect(zeros(posted[1]!.subarray(at, at + 32))).toBe(true)
  })

  test('that came are read for those who sit here, and overwritten where they lay; those left are, by whoever leaves', async () => {
    const { watched, agreed, mail, pair } = overheard()
    const [a, b, c] = [await pair(1), await pair(2), await pair(3)]
    const keys = pairKeys(watched)
    keys.seat(a)
    const record = (here: Bytes, there: Bytes, fill: number) => Uint8Array.from([...here, ...there, ...new Array(64).fill(fill)]) // biome-ignore format: one line
    const came = Uint8Array.from([...record(b.publicKey, a.publicKey, 7), ...record(b.publicKey, c.publicKey, 8)])
    mail.push(came)
    const found = await keys.between(a, b.publicKey, derivation)
    expect([...found]).toEqual(new Array(64).fill(7))
    expect(zeros(came)).toBe(true)
    expect(agreed).toEqual([])
    // It was taken: asked for again, it is found.
    expect([...(await keys.between(a, b.publicKey, derivation))]).not.toEqual(new Array(64).fill(7))
    expect(agreed.length).toBe(1)
    // What is prepared is kept until it is asked for, or its owner leaves.
    await keys.prepare(a, c.publicKey, derivation)
    await keys.prepare(a, c.publicKey, derivation)
    expect(agreed.length).toBe(2)
    const kept = await keys.between(a, c.publicKey, derivation)
    expect(agreed.length).toBe(2)
    expect(kept).toEqual(await primitives.derive(await primitives.keyPair(new Uint8Array(32).fill(1)).then((own) => own.agree(c.publicKey)), derivation)) // biome-ignore format: one line
    await keys.prepare(a, b.publicKey, derivation)
    keys.leave(a)
    await keys.between(a, b.publicKey, derivation)
    expect(agreed.length).toBe(4)
  })

  test('are prepared by whoever is first: the lower of two whose places sum to an even number, else the higher', () => {
    expect([isFirst(1, 3), isFirst(3, 1), isFirst(1, 2), isFirst(2, 1)]).toEqual([true, false, false, true])
  })
})

describe('shares', () => {
  test('the bytes that elements are drawn from are overwritten, those too that name no element', () => {
    const drawn: Bytes[] = []
    // 17 bits of four bytes each: the first are 65,537 and more, which is no element.
    const random = (n: number): Bytes => {
      const bytes = Uint8Array.from({ length: n }, (_, k) => (drawn.length === 0 && k < 4 ? [1, 0, 1, 0][k]! : [3, 2, 254, 9][k % 4]!)) // biome-ignore format: one line
      drawn.push(bytes)
      return bytes
    }
    expect([...elements(3, random)]).toEqual([515, 515, 515])
    expect(drawn.map(({ length }) => length)).toEqual([12, 4])
    expect(drawn.every(zeros)).toBe(true)
    expect([...elements(0, random)]).toEqual([])
  })

  test('take two bytes for every element, and one more for every eight', () => {
    expect([2, 16, 18, 32, 34].map(shareBytes)).toEqual([3, 17, 20, 34, 37])
  })

  test('are weighed, and what was read of them is gone', () => {
    const blind = shareBlinds(2, { threshold: 1, holders: [1], random: primitives.random })[0]!
    const of = (fill: number) =>
      share(new Uint8Array(32).fill(fill), { threshold: 1, holders: [1], random: primitives.random })[0]!
    const parts = { key: encodeShare(of(1)), seed: encodeShare(of(2)), blind: encodeShare(blind) }
    const by = Uint32Array.from({ length: 64 }, (_, k) => (k < 32 ? k + 1 : 100 * k))
    const found = weighed(parts, by)
    // Elements of 0x0101 and of 0x0202, sixteen each.
    for (const w of [0, 1]) {
      let sum = BigInt(blind.values[w]!)
      for (let c = 0; c < 16; c++) sum += BigInt(by[32 * w + c]!) * 257n + BigInt(by[32 * w + 16 + c]!) * 514n
      expect(found[w]).toBe(Number(sum % 65537n))
    }
    expect(zeros(blind.values)).toBe(false)
  })
})

describe('primitives without secrecy', () => {
  const open = openPrimitives()
  const bytes = (...values: number[]): Bytes => Uint8Array.from(values)

  test('have secrets for public keys, and both sides agree', async () => {
    const [a, b] = [await open.keyPair(bytes(1, 2, 3)), await open.keyPair(bytes(4, 8, 3))]
    expect(a.publicKey).toEqual(bytes(1, 2, 3))
    expect(await a.agree(b.publicKey)).toEqual(bytes(5, 10, 0))
    expect(await b.agree(a.publicKey)).toEqual(bytes(5, 10, 0))
  })

  test('sign with nothing, and take everything for signed', async () => {
    const secret = bytes(1, 2)
    const { publicKey, sign } = await open.signer(secret)
    secret.fill(0)
    expect(publicKey).toEqual(bytes(1, 2))
    expect(await sign(bytes(5))).toEqual(new Uint8Array(64))
    expect(await open.verify({ publicKey, text: bytes(5), signature: bytes() })).toBe(true)
  })

  test('mask with zeros, however many', async () => {
    for (const n of [4, 0, 100, 7]) expect(await open.stream(bytes(9), n)).toEqual(new Uint8Array(n))
  })

  test('seal nothing, but take the room for it', async () => {
    const sealed = await open.seal(bytes(1), bytes(5, 6, 7), { beside: bytes() })
    expect(sealed).toEqual(Uint8Array.from([5, 6, 7, ...new Array(16).fill(0)]))
    expect(await open.open(bytes(2), sealed, { beside: bytes() })).toEqual(bytes(5, 6, 7))
  })

  test('derive by the name alone, so that no two are alike', async () => {
    const info = bytes(1, 2, 3)
    const derived = (n: number) => open.derive(bytes(9), { salt: bytes(), info, bytes: n })
    const hash = await primitives.hash(info)
    expect(await derived(32)).toEqual(hash)
    expect(await derived(10)).toEqual(hash.slice(0, 10))
    expect(await derived(40)).toEqual(Uint8Array.from([...hash, ...new Array(8).fill(0)]))
  })
})
