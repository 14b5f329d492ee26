/** A secret from shares of which some are wrong: Shamir's shares are a Reed-Solomon code, and spare ones correct it. */

import type { Bytes } from '../secure-aggregation/primitives.js'
import { combine, inverse, prime, reduced, type Share, times } from '../secure-aggregation/shamir.js'

export interface Decoded {
  readonly secret: Bytes
  /** Places whose shares were wrong. */
  readonly wrong: readonly number[]
}

export interface Decoding {
  readonly threshold: number
  /** Whether a secret is the one that was committed to. */
  isRight(secret: Bytes): Promise<boolean>
  /** Places whose shares were wrong elsewhere: they come last. */
  readonly suspects?: ReadonlySet<number>
}

/** With m shares, up to (m - t) / 2 wrong ones are found and left out; undefined when no secret fits. */
export async function decodeShares(
  shares: readonly Share[],
  { threshold: t, isRight, suspects = new Set() }: Decoding,
): Promise<Decoded | undefined> {
  if (shares.length < t) return undefined
  const trusted = [...shares.filter(({ at }) => !suspects.has(at)), ...shares.filter(({ at }) => suspects.has(at))]
  const first = combined(trusted, t)
  if (first !== undefined && (await isRight(first))) return { secret: first, wrong: [] }
  const wrong = wrongPlaces(shares, t)
  if (wrong === undefined) return undefined
  const right = shares.filter(({ at }) => !wrong.has(at))
  const secret = combined(right, t)
  // Shares beyond t that agree vouch for the secret, whatever was committed to.
  if (secret === undefined || (right.length === t && !(await isRight(secret)))) return undefined
  return { secret, wrong: [...wrong] }
}

function combined(shares: readonly Share[], t: number): Bytes | undefined {
  try {
    return combine(shares, t)
  } catch {
    return undefined
  }
}

/** Places at which some chunk lies off its polynomial; undefined when more do than can be told. */
export function wrongPlaces(shares: readonly Share[], t: number): Set<number> | undefined {
  const places = shares.map(({ at }) => at)
  const wrong = new Set<number>()
  const radius = Math.floor((shares.length - t) / 2)
  const chunks = shares[0]!.values.length
  for (let c = 0; c < chunks; c++) {
    const values = shares.map(({ values: own }) => own[c]!)
    const f = decodePolynomial(places, values, t)
    if (f === undefined) return undefined
    for (const [i, x] of places.entries()) if (valueAt(f, x) !== values[i]) wrong.add(x)
    if (wrong.size > radius) return undefined
  }
  return wrong
}

/** Coefficients, the constant first; the last one is not 0. */
type Polynomial = readonly number[]

/** [gao2003] The polynomial of degree below t that most of the points lie on, by a Euclidean algorithm cut short. */
function decodePolynomial(xs: readonly number[], ys: readonly number[], t: number): Polynomial | undefined {
  const m = xs.length
  let [older, newer] = [through(xs), interpolate(xs, ys)]
  let [olderV, newerV]: [Polynomial, Polynomial] = [[], [1]]
  while (2 * (newer.length - 1) >= m + t) {
    const { quotient, rest } = divide(older, newer)
    ;[older, newer] = [newer, rest]
    ;[olderV, newerV] = [newerV, minus(olderV, product(quotient, newerV))]
  }
  if (newer.length === 0) return []
  const { quotient, rest } = divide(newer, newerV)
  return rest.length === 0 && quotient.length <= t ? quotient : undefined
}

const trimmed = (f: number[]): number[] => {
  while (f.length > 0 && f.at(-1) === 0) f.pop()
  return f
}

function valueAt(f: Polynomial, x: number): number {
  let sum = 0
  for (let k = f.length - 1; k >= 0; k--) sum = reduced(times(sum, x) + f[k]!)
  return sum
}

/** prod (x - x_i) */
function through(xs: readonly number[]): number[] {
  let f = [1]
  for (const x of xs) f = product(f, [prime - x, 1])
  return f
}

function product(f: Polynomial, g: Polynomial): number[] {
  if (f.length === 0 || g.length === 0) return []
  const h = new Array<number>(f.length + g.length - 1).fill(0)
  for (const [i, a] of f.entries()) for (const [j, b] of g.entries()) h[i + j] = reduced(h[i + j]! + times(a, b))
  return trimmed(h)
}

function minus(f: Polynomial, g: Polynomial): number[] {
  const n = Math.max(f.length, g.length)
  return trimmed(Array.from({ length: n }, (_, k) => reduced((f[k] ?? 0) + prime - (g[k] ?? 0))))
}

function divide(f: Polynomial, g: Polynomial): { readonly quotient: number[]; readonly rest: number[] } {
  const rest = [...f]
  const quotient = new Array<number>(Math.max(0, f.length - g.length + 1)).fill(0)
  const lead = inverse(g.at(-1)!)
  for (let k = quotient.length - 1; k >= 0; k--) {
    const factor = times(rest[k + g.length - 1]!, lead)
    quotient[k] = factor
    for (const [j, b] of g.entries()) rest[k + j] = reduced(rest[k + j]! + prime - times(factor, b))
  }
  return { quotient: trimmed(quotient), rest: trimmed(rest) }
}

/** Newton's divided differences. */
function interpolate(xs: readonly number[], ys: readonly number[]): number[] {
  const differences = [...ys]
  for (let k = 1; k < xs.length; k++) {
    for (let i = xs.length - 1; i >= k; i--) {
      const above = reduced(differences[i]! + prime - differences[i - 1]!)
      differences[i] = times(above, inverse(reduced(xs[i]! + prime - xs[i - k]!)))
    }
  }
  let f: number[] = []
  for (let k = xs.length - 1; k >= 0; k--)
    f = minus(product(f, [prime - xs[k]!, 1]), [reduced(prime - differences[k]!)])
  return f
}
