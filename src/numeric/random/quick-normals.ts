/**
 * Normal numbers in singles, for noise on many parameters at once: the plain meaning of wasm/quick-normals.ts, to the bit. The
 * stream's first four blocks are the states of four small generators (sfc32 of [doty2010]); two words of one of them are a
 * radius of 39 bits, a sign and an angle of 24, and these a pair of normal numbers by [box1958]. Numbers reach 7.4; beyond lie
 * 10^-13 of a normal distribution. It is a simulation's noise: whoever must keep a secret needs a generator that is made for it.
 */
import { philoxFill } from './philox.js'
import type { Rng } from './rng.js'

const f = Math.fround
const [lanes, pairs] = [4, 8] // numbers come in eights: four of one half of the pairs, four of the other
const rootHalf = 0x3f3504f3 // the bits of sqrt(1/2)
const perTurn = 4.656612873077393e-10 // 2^-31
const single = new Float32Array(1)
const bits = new Int32Array(single.buffer)

/** Minimax polynomials, in singles. -2 log((1 + s) / (1 - s)) / s in s^2; sin and cos of v quarter turns in v^2, the first over v. */
const logTerms = [-0.8259493485107113, -1.3330438295713398, -4.0000004771194915].map(f)
const sinTerms = [
  0.00015082263875756073, -0.004672232919016382, 0.07968848466863895, -0.6459633611991625, 1.5707962901538963,
].map(f)
const cosTerms = [
  0.0008581906198971357, -0.020810627520198643, 0.2536507446358577, -1.233698214668898, 0.9999999534666709,
].map(f)

/** std times the first n numbers of a stream that nothing was drawn from. */
export function quickNormals(stream: Rng, n: number, std = 1): Float32Array {
  const [key0, key1, high0, high1] = stream.address()
  const key = [key0!, key1!]
  const blocks = philoxFill(new Uint32Array(4 * lanes), { counter: [0, 0, high0!, high1!], key })
  const numbers = new Float32Array(Math.ceil(n / pairs) * pairs)
  for (let lane = 0; lane < lanes; lane++) {
    const word = smallGenerator(blocks.subarray(4 * lane, 4 * lane + 4))
    for (let at = lane; at < numbers.length; at += pairs) {
      const [one, other] = normalPair(word(), word(), std)
      numbers[at] = one
      numbers[at + lanes] = other
    }
  }
  return numbers.subarray(0, n)
}

/** [box1958] std times the two normal numbers of two words. */
export function normalPair(first: number, second: number, std: number): [number, number] {
  const r = f(signedRadius(first, second) * f(std))
  const v = f(f(second << 8) * perTurn)
  const w = f(v * v)
  return [f(r * f(polynomial(sinTerms, w) * v)), f(r * polynomial(cosTerms, w))]
}

/** [doty2010] sfc32: words that add up, are shifted and turned, with a counter among them. */
function smallGenerator(state: Uint32Array): () => number {
  let [a, b, c, count] = [state[0]! | 0, state[1]! | 0, state[2]! | 0, state[3]! | 0]
  return () => {
    const word = (a + b + count) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + word) | 0
    count = (count + 1) | 0
    return word
  }
}

/** sqrt(-2 log u) with the sign of the first word's last bit; u are its other bits, and eight and a half of the second's. */
function signedRadius(first: number, second: number): number {
  single[0] = f(f(first >>> 1) + f(f((second >>> 23) | 1) * 0.001953125))
  const over = (bits[0]! - (rootHalf + (31 << 23))) | 0 // u = 2^e m with m between sqrt(1/2) and sqrt(2)
  const e = over >> 23
  bits[0] = (over & 0x7fffff) + rootHalf
  const m = single[0]
  const s = f(f(m - 1) / f(m + 1))
  const square = f(f(e * f(-2 * Math.LN2)) + f(s * polynomial(logTerms, f(s * s))))
  const r = f(Math.sqrt(square))
  return (first & 1) === 1 ? -r : r
}

function polynomial(terms: readonly number[], x: number): number {
  let sum = terms[0]!
  for (let i = 1; i < terms.length; i++) sum = f(f(sum * x) + terms[i]!)
  return sum
}
