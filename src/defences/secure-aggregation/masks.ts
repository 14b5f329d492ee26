/** Masks: key streams as numbers modulo 2^32, derived from a secret for one session and one purpose. */

import { addWordsInto, type WordTerm } from '../../numeric/engine/word-sums.js'
import type { Derivation } from './pair-keys.js'
import type { Bytes, Primitives } from './primitives.js'
import { purpose, type Session } from './wire-messages.js'

export interface MaskPlace {
  readonly session: Session
  readonly length: number
}

/** How the key of the mask that u and v share follows from their secret. */
export const maskDerivation = ({ session, u, v }: Pair): Derivation => ({
  salt: session,
  info: purpose('mask', Math.min(u, v), Math.max(u, v)),
  bytes: 32,
})

interface Pair {
  readonly session: Session
  readonly u: number
  readonly v: number
}

/** The mask that u and v share; the lower place adds it, the higher one takes it away. */
export async function pairMask(
  primitives: Primitives,
  shared: Bytes,
  { length, ...pair }: MaskPlace & Pair,
): Promise<Uint32Array> {
  return maskFrom(primitives, await primitives.derive(shared, maskDerivation(pair)), length)
}

/** The mask of one client alone, from its seed. */
export async function selfMask(
  primitives: Primitives,
  seed: Bytes,
  { session, length, u }: MaskPlace & { readonly u: number },
): Promise<Uint32Array> {
  const key = await primitives.derive(seed, { salt: session, info: purpose('self', u), bytes: 32 })
  return maskFrom(primitives, key, length)
}

/** The key stream of a mask; the key is overwritten. */
export async function maskFrom(primitives: Primitives, key: Bytes, length: number): Promise<Uint32Array> {
  const bytes = await primitives.stream(key, 4 * length)
  key.fill(0)
  return new Uint32Array(bytes.buffer, bytes.byteOffset, length)
}

/**
 * Works a list of masks into `to`: each is made and added (1) or taken away (-1), modulo 2^32, a few at a time. Adding
 * them up is, beside the key agreements, most of the work.
 */
export async function addMasks<T>(
  to: Uint32Array,
  items: readonly T[],
  maskOf: (item: T) => Promise<WordTerm>,
): Promise<void> {
  for (let k = 0; k < items.length; k += atOnce) {
    addWordsInto(to, await Promise.all(items.slice(k, k + atOnce).map(maskOf)))
  }
}

/** to += sign * mask, modulo 2^32: as signed numbers the same bits come out, and faster. */
export function addMask(to: Uint32Array, mask: Uint32Array, sign: 1 | -1): void {
  const [sums, own] = [signed(to), signed(mask)]
  if (sign === 1) for (let j = 0; j < sums.length; j++) sums[j] = (sums[j]! + own[j]!) | 0
  else for (let j = 0; j < sums.length; j++) sums[j] = (sums[j]! - own[j]!) | 0
}

const signed = ({ buffer, byteOffset, length }: Uint32Array): Int32Array => new Int32Array(buffer, byteOffset, length)

/** What client u does with the mask that it shares with v. */
export const signOf = (u: number, v: number): 1 | -1 => (u < v ? 1 : -1)

/** Enough at a time to keep the threads of the cryptography busy, not all of memory. */
const atOnce = 8

/** Works through a list a few at a time. */
export async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let k = 0; k < items.length; k += atOnce) await Promise.all(items.slice(k, k + atOnce).map(work))
}
