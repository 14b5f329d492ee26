import { expect, test } from 'vitest'
import { isFirst, pairKeys } from './pair-keys.js'
import { type Bytes, type KeyLine, webCrypto } from './primitives.js'

const primitives = webCrypto()
const derivation = { salt: primitives.random(16), info: primitives.random(8), bytes: 64 }

test('two who sit in one thread have the same key, found once and not kept; a stranger has the same without it', async () => {
  let agreements = 0
  const pair = async () => {
    const own = await primitives.keyPair(primitives.random(32))
    const agree: typeof own.agree = (other) => {
      agreements++
      return own.agree(other)
    }
    return { ...own, agree }
  }
  const [a, b, c] = await Promise.all([pair(), pair(), pair()])
  const [here, there] = [pairKeys(primitives), pairKeys(primitives)]
  for (const own of [a, b]) here.seat(own)
  there.seat(c)
  const first = await here.between(a, b.publicKey, derivation)
  const due = first.slice()
  first.fill(0) // whoever gets a key may overwrite it
  expect(await here.between(b, a.publicKey, derivation)).toEqual(due)
  expect(agreements).toBe(1)
  expect(await here.between(b, a.publicKey, derivation)).toEqual(due)
  expect(agreements).toBe(2)
  expect(await here.between(a, c.publicKey, derivation)).toEqual(await there.between(c, a.publicKey, derivation))
  expect(agreements).toBe(4)
  for (const own of [a, b]) here.leave(own) // what was left for them is gone, and nothing more is kept
  await here.between(a, b.publicKey, derivation)
  await here.between(b, a.publicKey, derivation)
  expect(agreements).toBe(6)
})

test('of two who sit in different threads one finds the key: the other is left it, and what it did not get it finds itself', async () => {
  const mail: [Bytes[], Bytes[]] = [[], []]
  const lineOf = (k: 0 | 1): KeyLine => ({
    post: (records) => mail[1 - k]!.push(records.slice()),
    take: () => mail[k].splice(0),
  })
  const [here, there] = [pairKeys({ ...primitives, line: lineOf(0) }), pairKeys({ ...primitives, line: lineOf(1) })]
  const own = async () => primitives.keyPair(primitives.random(32))
  const [us, them] = [
    await Promise.all(Array.from({ length: 9 }, own)),
    await Promise.all(Array.from({ length: 4 }, own)),
  ]
  for (const one of us) here.seat(one)
  for (const one of them) there.seat(one)
  const pairs = us.flatMap((u) => them.map((v) => [u, v] as const))
  for (const [u, v] of pairs) await here.prepare(u, v.publicKey, derivation)
  expect(mail[1].map(({ length }) => length)).toEqual([32 * 128])
  let agreements = 0
  const counting = (one: (typeof us)[number]) => ({
    ...one,
    agree: (other: Bytes) => {
      agreements++
      return one.agree(other)
    },
  })
  for (const [u, v] of pairs) {
    const theirs = await there.between(counting(v), u.publicKey, derivation)
    expect(theirs).toEqual(await here.between(counting(u), v.publicKey, derivation))
    const due = { ...derivation }
    expect(theirs).toEqual(await primitives.derive(await u.agree(v.publicKey), due))
  }
  // 36 pairs: 32 of them travelled, and nobody agreed a second time but for the last four.
  expect(agreements).toBe(4)
})

test('of every two clients one is first', () => {
  for (let u = 1; u < 12; u++) for (let v = 1; v < u; v++) expect(isFirst(u, v)).toBe(!isFirst(v, u))
  const load = Array.from({ length: 11 }, (_, i) => Array.from({ length: 11 }, (_, j) => i !== j && isFirst(i + 1, j + 1)).filter(Boolean).length) // biome-ignore format: a line
  expect([Math.min(...load), Math.max(...load)]).toEqual([5, 5])
})
