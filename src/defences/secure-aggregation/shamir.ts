/** Shamir's secret sharing over the prime field of 65,537 elements, two bytes of the secret at a time. */
import { OverhearError } from '../../errors.js'
import type { Bytes } from './primitives.js'

/** The largest known Fermat prime: remainders need no division. */
export const prime = 65537

/** The holder's place (from 1) and one field element for every two bytes of the secret. */
export interface Share {
  readonly at: number
  readonly values: Uint32Array
}

/** x mod 65,537 for 0 <= x < 2^32, as 2^16 = -1 there. */
export function reduced(x: number): number {
  const rest = (x & 0xffff) - (x >>> 16)
  return rest < 0 ? rest + prime : rest
}

/** a b mod 65,537; only 65,536 squared does not fit in 32 bits. */
export function times(a: number, b: number): number {
  return a === 65536 && b === 65536 ? 1 : reduced(Math.imul(a, b) >>> 0)
}

/** Inverse by Fermat: a^(p - 2) = a^65535. */
export function inverse(a: number): number {
  let [power, result] = [a, a]
  for (let k = 1; k < 16; k++) {
    power = times(power, power)
    result = times(result, power)
  }
  return result
}

/** Elements drawn evenly: two bytes reach 65,535, so that a third now and then stands for the last one. The bytes are overwritten. */
export function elements(count: number, random: (bytes: number) => Bytes): Uint32Array {
  const drawn = new Uint32Array(count)
  for (let have = 0; have < count; ) {
    const bytes = random(4 * (count - have))
    for (let k = 0; k < bytes.length && have < count; k += 4) {
      // 17 bits, thrown away unless they name an element.
      const x = bytes[k]! | (bytes[k + 1]! << 8) | ((bytes[k + 2]! & 1) << 16)
      if (x < prime) drawn[have++] = x
    }
    bytes.fill(0)
  }
  return drawn
}

export interface Sharing {
  /** So many shares give the secret, fewer give nothing. */
  readonly threshold: number
  /** Places of the holders, from 1. */
  readonly holders: readonly number[]
  random(bytes: number): Bytes
}

/** [shamir1979] Values at the holders' places of polynomials of degree threshold - 1 whose value at 0 is the secret. */
export function share(secret: Bytes, { threshold: t, holders, random }: Sharing): Share[] {
  if (secret.length % 2 !== 0)
    throw new OverhearError('E_SHAPE', `a secret of ${secret.length} bytes`, 'even is needed')
  if (!(Number.isInteger(t) && t >= 1 && t <= holders.length)) {
    throw new OverhearError('E_VALUE', `a threshold of ${t} for ${holders.length} holders`, 'from 1 up to all of them')
  }
  checkPlaces(holders)
  const constants = Uint32Array.from(
    { length: secret.length / 2 },
    (_, c) => secret[2 * c]! | (secret[2 * c + 1]! << 8),
  )
  return dealt(constants, { threshold: t, holders, random })
}

/** Shares of so many elements that nobody has chosen: all of their polynomials are drawn evenly. */
export const shareBlinds = (count: number, sharing: Sharing): Share[] => dealt(elements(count, sharing.random), sharing)

/** With the polynomials anybody could open what was shared: they are overwritten once it is. */
function dealt(constants: Uint32Array, { threshold: t, holders, random }: Sharing): Share[] {
  const coefficients = elements(constants.length * (t - 1), random)
  const shares = holders.map((at) => {
    const values = new Uint32Array(constants.length)
    for (let c = 0; c < values.length; c++) {
      let sum = 0
      for (let k = t - 2; k >= 0; k--) sum = reduced(times(sum, at) + coefficients[c * (t - 1) + k]!)
      values[c] = reduced(times(sum, at) + constants[c]!)
    }
    return { at, values }
  })
  for (const secret of [coefficients, constants]) secret.fill(0)
  return shares
}

/** The secret of `threshold` shares; a wrong share gives a wrong secret, so that whoever combines must check it. */
export function combine(shares: readonly Share[], threshold: number): Bytes {
  if (shares.length < threshold) {
    const found = `${shares.length} shares of a secret`
    throw new OverhearError('E_VALUE', found, `${threshold} are needed`)
  }
  const used = shares.slice(0, threshold)
  checkPlaces(used.map(({ at }) => at))
  const chunks = used[0]!.values.length
  const secret = new Uint8Array(2 * chunks)
  // Lagrange at 0: prod over j != i of x_j / (x_j - x_i).
  const weights = used.map(({ at: x }, i) => {
    let [above, below] = [1, 1]
    for (const [j, { at: y }] of used.entries()) {
      if (j === i) continue
      above = times(above, y)
      below = times(below, reduced(y - x + prime))
    }
    return times(above, inverse(below))
  })
  for (let c = 0; c < chunks; c++) {
    let sum = 0
    for (const [i, { values }] of used.entries()) sum = reduced(sum + times(weights[i]!, values[c]!))
    if (sum > 0xffff) throw new OverhearError('E_VALUE', 'shares that give no secret', 'some of them are wrong')
    secret[2 * c] = sum & 0xff
    secret[2 * c + 1] = sum >>> 8
  }
  return secret
}

function checkPlaces(places: readonly number[]): void {
  const bad = places.find((at, i) => !(Number.isInteger(at) && at >= 1 && at < prime) || places.indexOf(at) !== i)
  if (bad === undefined) return
  throw new OverhearError('E_VALUE', `a holder at place ${bad}`, 'places are whole, from 1, and nobody has two')
}

/** Bytes that a share of `secretBytes` takes: the low halves, then one bit each for the element 65,536. */
export const shareBytes = (secretBytes: number): number => secretBytes + Math.ceil(secretBytes / 16)

export function encodeShare({ values }: Pick<Share, 'values'>): Bytes {
  const n = values.length
  const bytes = new Uint8Array(shareBytes(2 * n))
  for (let c = 0; c < n; c++) {
    bytes[2 * c] = values[c]! & 0xff
    bytes[2 * c + 1] = (values[c]! >>> 8) & 0xff
    bytes[2 * n + (c >> 3)]! |= (values[c]! >>> 16) << (c & 7)
  }
  return bytes
}

export function decodeShare(bytes: Uint8Array, { at, secretBytes }: { at: number; secretBytes: number }): Share {
  const n = secretBytes / 2
  if (bytes.length !== shareBytes(secretBytes)) {
    throw new OverhearError('E_SHAPE', `a share of ${bytes.length} bytes`, `${shareBytes(secretBytes)} are needed`)
  }
  const values = new Uint32Array(n)
  for (let c = 0; c < n; c++) {
    const top = (bytes[2 * n + (c >> 3)]! >>> (c & 7)) & 1
    values[c] = bytes[2 * c]! | (bytes[2 * c + 1]! << 8) | (top << 16)
    if (values[c]! >= prime) throw new OverhearError('E_VALUE', `a share holds ${values[c]}`, 'it is no field element')
  }
  return { at, values }
}
