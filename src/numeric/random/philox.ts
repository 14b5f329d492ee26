/** Philox4x32-10, the counter-based generator of [salmon2011]: for each key a permutation of the 128-bit counters. */
import { OverhearError } from '../../errors.js'

const ROUNDS = 10
// [salmon2011] multipliers, and their 16-bit halves.
const M0 = 0xd2511f53
const M0_HIGH = 0xd251
const M0_LOW = 0x1f53
const M1 = 0xcd9e8d57
const M1_HIGH = 0xcd9e
const M1_LOW = 0x8d57
// Steps of the key from round to round: fractions of the golden ratio and of sqrt(3).
const W0 = 0x9e3779b9
const W1 = 0xbb67ae85

/** Words are unsigned 32-bit numbers, the least significant first. */
export interface PhiloxInput {
  readonly counter: ArrayLike<number> // 4 words
  readonly key: ArrayLike<number> // 2 words
}

/** The block of four words at one counter. */
export function philox(input: PhiloxInput): Uint32Array {
  return philoxFill(new Uint32Array(4), input)
}

/** Fills `out` with blocks; each next one has the counter's low 64 bits one higher, the high 64 bits stay. */
export function philoxFill(out: Uint32Array, { counter, key }: PhiloxInput): Uint32Array {
  if (counter.length !== 4 || key.length !== 2 || out.length % 4 !== 0) {
    throw new OverhearError(
      'E_SHAPE',
      `philox was given ${counter.length} counter words, ${key.length} key words and room for ${out.length}`,
      'it takes 4 and 2, and fills blocks of 4',
    )
  }
  fillBlocks(out, key[0]!, key[1]!, counter[0]!, counter[1]!, counter[2]!, counter[3]!)
  return out
}

/** The blocks of the counters whose low half is 0, 1, ...: the first `words` words of `out`. */
export function fillFirst(
  out: Uint32Array,
  words: number,
  key0: number,
  key1: number,
  high0: number,
  high1: number,
): void {
  fill(out, words, key0, key1, 0, 0, high0, high1)
}

/** The same, with the words of key and counter one by one. */
export function fillBlocks(
  out: Uint32Array,
  key0: number,
  key1: number,
  counter0: number,
  counter1: number,
  counter2: number,
  counter3: number,
): void {
  fill(out, out.length, key0, key1, counter0, counter1, counter2, counter3)
}

function fill(
  out: Uint32Array,
  words: number,
  key0: number,
  key1: number,
  counter0: number,
  counter1: number,
  counter2: number,
  counter3: number,
): void {
  const firstKey0 = key0 | 0
  const firstKey1 = key1 | 0
  const high0 = counter2 | 0
  const high1 = counter3 | 0
  let low0 = counter0 | 0
  let low1 = counter1 | 0
  for (let at = 0; at < words; at += 4) {
    let c0 = low0
    let c1 = low1
    let c2 = high0
    let c3 = high1
    let k0 = firstKey0
    let k1 = firstKey1
    for (let round = 0; round < ROUNDS; round++) {
      // High 32 bits of the 64-bit products M0 c0 and M1 c2 from 16-bit halves; no sum of two exceeds 2^32.
      const p = c0 & 0xffff
      const q = c0 >>> 16
      const pq = (Math.imul(M0_LOW, q) + (Math.imul(M0_LOW, p) >>> 16)) | 0
      const qp = (Math.imul(M0_HIGH, p) + (pq & 0xffff)) | 0
      const top0 = (Math.imul(M0_HIGH, q) + (pq >>> 16) + (qp >>> 16)) | 0
      const r = c2 & 0xffff
      const s = c2 >>> 16
      const rs = (Math.imul(M1_LOW, s) + (Math.imul(M1_LOW, r) >>> 16)) | 0
      const sr = (Math.imul(M1_HIGH, r) + (rs & 0xffff)) | 0
      const top1 = (Math.imul(M1_HIGH, s) + (rs >>> 16) + (sr >>> 16)) | 0
      const bottom0 = Math.imul(M0, c0)
      c0 = top1 ^ c1 ^ k0
      c1 = Math.imul(M1, c2)
      c2 = top0 ^ c3 ^ k1
      c3 = bottom0
      k0 = (k0 + W0) | 0
      k1 = (k1 + W1) | 0
    }
    out[at] = c0
    out[at + 1] = c1
    out[at + 2] = c2
    out[at + 3] = c3
    low0 = (low0 + 1) | 0
    if (low0 === 0) low1 = (low1 + 1) | 0
  }
}
