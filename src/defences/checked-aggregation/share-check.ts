/**
 * Whether the shares that a client dealt belong together, told before anybody masks: holders publish a weighing of their
 * shares under a blind that was dealt with them, and the weighings lie on one polynomial if the shares do.
 */
import { type Bytes, type Primitives, refused } from '../secure-aggregation/primitives.js'
import {
  decodeShare,
  elements,
  inverse,
  prime,
  reduced,
  type Share,
  shareBytes,
  times,
} from '../secure-aggregation/shamir.js'
import { oneShare, sealedBytes, secretBytes } from '../secure-aggregation/wire-messages.js'
import { wrongPlaces } from './decode-shares.js'
import { toHex } from './terms.js'

/** Weighings of each client's shares: shares that do not belong together pass all of them with probability 65,537^-this. */
export const weighings = 2
/** Of a blind, and of what a holder publishes: one element for each weighing. */
export const weighedBytes = shareBytes(2 * weighings)
/** Shares of two secrets and of the blind, sealed. */
export const dealtBytes = sealedBytes + weighedBytes
export const challengeBytes = 32

const weights = secretBytes // two secrets of so many bytes, two bytes an element

/** Elements that weigh shares, from a challenge that the server committed to before anybody dealt. */
export async function weightsFrom(primitives: Primitives, challenge: Bytes, session: Bytes): Promise<Uint32Array> {
  const info = new TextEncoder().encode('overhear weighing ')
  const key = await primitives.derive(challenge, { salt: session, info, bytes: 32 })
  const words = new Uint32Array((await primitives.stream(key, 4 * weights * weighings)).slice().buffer)
  return words.map((word) => word % prime)
}

/** Refuses a challenge that the terms did not name: with two of them a server would learn of the secrets. */
export async function checkChallenge(primitives: Primitives, challenge: Bytes, named: string): Promise<void> {
  if (toHex(await primitives.hash(challenge)) !== named) throw refused('a challenge that the terms did not name')
}

/** blind + sum of weight times share, once for each weighing; of the shares nothing else is left behind. */
export function weighed(
  { key, seed, blind }: { readonly key: Bytes; readonly seed: Bytes; readonly blind: Bytes },
  by: Uint32Array,
): Uint32Array {
  const [keys, seeds] = [key, seed].map((bytes) => decodeShare(bytes, { at: 1, secretBytes }).values)
  const sums = decodeShare(blind, { at: 1, secretBytes: 2 * weighings }).values.slice()
  const count = weights / 2
  for (let w = 0; w < weighings; w++) {
    const from = w * weights
    let sum = sums[w]!
    for (let c = 0; c < count; c++) {
      sum = reduced(sum + times(by[from + c]!, keys![c]!))
      sum = reduced(sum + times(by[from + count + c]!, seeds![c]!))
    }
    sums[w] = sum
  }
  for (const share of [keys!, seeds!]) share.fill(0)
  return sums
}

/** The three parts of what was sealed. */
export function partsOf(text: Bytes): { readonly key: Bytes; readonly seed: Bytes; readonly blind: Bytes } {
  if (text.length !== 2 * oneShare + weighedBytes) throw refused(`shares of ${text.length} bytes`)
  return { key: text.slice(0, oneShare), seed: text.slice(oneShare, 2 * oneShare), blind: text.slice(2 * oneShare) }
}

/**
 * Places whose weighings lie off the polynomial of the others; undefined when there is no such polynomial. Vectors that
 * are orthogonal to every polynomial of degree below t tell at once where all is well, but for one case in 65,537^2.
 */
export function strayPlaces(
  shares: readonly Share[],
  t: number,
  random: Primitives['random'],
): ReadonlySet<number> | undefined {
  const m = shares.length
  if (m <= t) return new Set()
  const factors = shares.map(({ at: x }) => {
    let below = 1
    for (const { at: y } of shares) if (y !== x) below = times(below, reduced(x - y + prime))
    return inverse(below)
  })
  for (let trial = 0; trial < 2; trial++) {
    const g = elements(m - t, random)
    const sums = new Uint32Array(shares[0]!.values.length)
    for (const [i, { at, values }] of shares.entries()) {
      let factor = 0
      for (let k = g.length - 1; k >= 0; k--) factor = reduced(times(factor, at) + g[k]!)
      factor = times(factor, factors[i]!)
      for (let c = 0; c < sums.length; c++) sums[c] = reduced(sums[c]! + times(factor, values[c]!))
    }
    if (sums.some((sum) => sum !== 0)) return wrongPlaces(shares, t)
  }
  return new Set()
}
