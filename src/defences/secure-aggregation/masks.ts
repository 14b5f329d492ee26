/** Masks: key streams as numbers modulo 2^32, derived from a secret for one session and one purpose. */

import type { Bytes, Primitives } from './primitives.js'
import { purpose, type Session } from './wire-messages.js'

export interface MaskPlace {
  readonly session: Session
  readonly length: number
}

/** The mask that u and v share; the lower place adds it, the higher one takes it away. */
export function pairMask(
  primitives: Primitives,
  shared: Bytes,
  { session, length, u, v }: MaskPlace & { readonly u: number; readonly v: number },
): Promise<Uint32Array> {
  return maskOf(primitives, shared, { session, length, info: purpose('mask', Math.min(u, v), Math.max(u, v)) })
}

/** The mask of one client alone, from its seed. */
export function selfMask(
  primitives: Primitives,
  seed: Bytes,
  place: MaskPlace & { readonly u: number },
): Promise<Uint32Array> {
  return maskOf(primitives, seed, { ...place, info: purpose('self', place.u) })
}

async function maskOf(
  primitives: Primitives,
  secret: Bytes,
  { session, length, info }: MaskPlace & { readonly info: Bytes },
): Promise<Uint32Array> {
  const key = await primitives.derive(secret, { salt: session, info, bytes: 32 })
  const bytes = await primitives.stream(key, 4 * length)
  return new Uint32Array(bytes.buffer, bytes.byteOffset, length)
}

/**
 * to += sign * mask, modulo 2^32. As signed numbers the same bits come out, and faster; four at a time halve the time of
 * what is, beside the key agreements, most of the work.
 */
export function addMask(to: Uint32Array, mask: Uint32Array, sign: 1 | -1): void {
  const [sums, own] = [signed(to), signed(mask)]
  const n = sums.length
  let j = 0
  if (sign === 1) {
    for (; j + 3 < n; j += 4) {
      sums[j] = (sums[j]! + own[j]!) | 0
      sums[j + 1] = (sums[j + 1]! + own[j + 1]!) | 0
      sums[j + 2] = (sums[j + 2]! + own[j + 2]!) | 0
      sums[j + 3] = (sums[j + 3]! + own[j + 3]!) | 0
    }
    for (; j < n; j++) sums[j] = (sums[j]! + own[j]!) | 0
    return
  }
  for (; j + 3 < n; j += 4) {
    sums[j] = (sums[j]! - own[j]!) | 0
    sums[j + 1] = (sums[j + 1]! - own[j + 1]!) | 0
    sums[j + 2] = (sums[j + 2]! - own[j + 2]!) | 0
    sums[j + 3] = (sums[j + 3]! - own[j + 3]!) | 0
  }
  for (; j < n; j++) sums[j] = (sums[j]! - own[j]!) | 0
}

const signed = ({ buffer, byteOffset, length }: Uint32Array): Int32Array => new Int32Array(buffer, byteOffset, length)

/** What client u does with the mask that it shares with v. */
export const signOf = (u: number, v: number): 1 | -1 => (u < v ? 1 : -1)

/** Works through a list a few at a time: enough to keep the threads of the cryptography busy, not all of memory. */
export async function eachOf<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  for (let k = 0; k < items.length; k += atOnce) await Promise.all(items.slice(k, k + atOnce).map(work))
}
