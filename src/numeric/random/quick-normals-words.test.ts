import { expect, test } from 'vitest'
import { fillFirst, philox, philoxFill } from './philox.js'
import { normalPair, quickNormals } from './quick-normals.js'
import { rng } from './rng.js'

const mask = 0xffffffffn

/** [doty2010] sfc32 in integers of any size. */
function words(block: ArrayLike<number>): () => number {
  let [a, b, c, count] = Array.from(block, BigInt) as [bigint, bigint, bigint, bigint]
  return () => {
    const word = (a + b + count++) & mask
    a = b ^ (b >> 9n)
    b = (c * 9n) & mask
    c = (((c << 21n) | (c >> 11n)) + word) & mask
    return Number(word)
  }
}

test.each([
  [1, 1],
  [8, 1],
  [9, 2],
  [43, 0.25],
])('%d numbers of deviation %d: pairs of words of four generators in turn', (n, std) => {
  // biome-ignore format: a line
  const stream = rng('words').fork(n)
  const [key0, key1, ...high] = stream.address()
  const wanted = new Float32Array(48)
  for (let lane = 0; lane < 4; lane++) {
    const next = words(philox({ counter: [lane, 0, ...high], key: [key0!, key1!] }))
    for (let at = lane; at < 48; at += 8) [wanted[at], wanted[at + 4]] = normalPair(next() | 0, next() | 0, std) as [number, number] // biome-ignore format: a line
  }
  const found = quickNormals(rng('words').fork(n), n, std)
  expect([...found]).toEqual([...wanted.subarray(0, n)])
  if (std === 1) expect([...quickNormals(rng('words').fork(n), n)]).toEqual([...found])
})

test('no number of nothing', () => {
  expect(quickNormals(rng(1), 0)).toHaveLength(0)
})

test('a pair is a radius and an angle, and the first word has the sign', () => {
  for (const [first, second] of [
    [0x40000000, 0x00200000],
    [0x12345678, 0x00abcdef],
    [0x7ffffff0, 0x00ffffff],
    [2, 0x01400000],
  ] as const) {
    // biome-ignore format: a list
    const u = ((first >>> 1) + ((second >>> 23) | 1) / 512) / 2 ** 31
    const r = Math.sqrt(-2 * Math.log(u))
    // A quarter turn of the angle in 24 bits, from minus one to one.
    const v = (((second << 8) | 0) / 2 ** 31) * (Math.PI / 2)
    for (const std of [1, 3]) {
      const [sine, cosine] = normalPair(first, second, std)
      expect(Math.abs(sine - std * r * Math.sin(v))).toBeLessThan(2e-6 * std * r)
      expect(Math.abs(cosine - std * r * Math.cos(v))).toBeLessThan(2e-6 * std * r)
      const turned = normalPair(first | 1, second, std)
      expect([turned[0] + sine, turned[1] + cosine].map((x) => Math.abs(x) < 1e-5 * std)).toEqual([true, true])
    }
  }
})

test('thousands of blocks agree with big integers, carries and all', () => {
  const key = [0x9e3779b9, 0x243f6a88]
  const out = philoxFill(new Uint32Array(4 * 5_000), { counter: [7, 1, 2, 3], key })
  for (let i = 0; i < 5_000; i++) {
    let [c0, c1, c2, c3] = [BigInt(7 + i), 1n, 2n, 3n] as [bigint, bigint, bigint, bigint]
    let [k0, k1] = key.map(BigInt) as [bigint, bigint]
    for (let round = 0; round < 10; round++) {
      const [p0, p1] = [0xd2511f53n * c0, 0xcd9e8d57n * c2]
      ;[c0, c1, c2, c3] = [(p1 >> 32n) ^ c1 ^ k0, p1 & mask, (p0 >> 32n) ^ c3 ^ k1, p0 & mask]
      k0 = (k0 + 0x9e3779b9n) & mask
      k1 = (k1 + 0xbb67ae85n) & mask
    }
    const same = [c0, c1, c2, c3].every((word, j) => Number(word) === out[4 * i + j])
    if (!same) throw new Error(`block ${i}`)
  }
})

test('the first blocks of a stream have counters from 0, and what lies beyond is left', () => {
  const out = new Uint32Array(12).fill(5)
  fillFirst(out, 8, 1, 2, 3, 4)
  const blocks = [0, 1].flatMap((low) => [...philox({ counter: [low, 0, 3, 4], key: [1, 2] })])
  expect([...out]).toEqual([...blocks, 5, 5, 5, 5])
})
