/**
 * The discrete Fourier transform of 2^k complex numbers, in place, in two arrays. Forward leaves frequencies in the order of
 * their reversed bits and inverse takes them so, which spares both a permutation; `conjugatePlace` finds -f beside f.
 */
import { internal } from '../../errors.js'
import { cosPi, sinPi } from './circular.js'

export interface ComplexArray {
  readonly re: Float64Array
  readonly im: Float64Array
}

interface Turns {
  readonly cos: Float64Array
  readonly sin: Float64Array
}

let kept: Turns = { cos: Float64Array.of(1), sin: Float64Array.of(0) }

/** cos and sin of pi j / half for j < half, for every half = 1, 2, 4, ... up to `most`: those of half begin at half - 1. */
function turnsUpTo(most: number): Turns {
  if (kept.cos.length >= 2 * most - 1) return kept
  const cos = new Float64Array(2 * most - 1)
  const sin = new Float64Array(2 * most - 1)
  for (let j = 0; j < most; j++) {
    cos[most - 1 + j] = cosPi(j / most)
    sin[most - 1 + j] = sinPi(j / most)
  }
  for (let half = most / 2; half >= 1; half /= 2) {
    for (let j = 0; j < half; j++) {
      cos[half - 1 + j] = cos[2 * half - 1 + 2 * j]!
      sin[half - 1 + j] = sin[2 * half - 1 + 2 * j]!
    }
  }
  kept = { cos, sin }
  return kept
}

function checked({ re, im }: ComplexArray): number {
  const n = re.length
  if (n !== im.length || n === 0 || (n & (n - 1)) !== 0 || n > 1 << 26) {
    throw internal(`a Fourier transform of ${n} and ${im.length} numbers`)
  }
  return n
}

/** X_f = sum_j x_j exp(-2 pi i j f / n), frequency f at the place of its reversed bits. */
export function fourier(x: ComplexArray): void {
  const n = checked(x)
  const { re, im } = x
  if (n < 2) return
  const { cos, sin } = turnsUpTo(n / 2)
  for (let half = n / 2; half >= 1; half >>= 1) {
    for (let start = 0; start < n; start += 2 * half) {
      for (let j = start, at = half - 1; j < start + half; j++, at++) {
        const k = j + half
        const ar = re[j]!
        const ai = im[j]!
        const br = re[k]!
        const bi = im[k]!
        re[j] = ar + br
        im[j] = ai + bi
        const dr = ar - br
        const di = ai - bi
        const c = cos[at]!
        const s = sin[at]!
        re[k] = dr * c + di * s
        im[k] = di * c - dr * s
      }
    }
  }
}

/** The way back from what `fourier` left, the factor 1 / n included. */
export function inverseFourier(x: ComplexArray): void {
  const n = checked(x)
  const { re, im } = x
  if (n < 2) return
  const { cos, sin } = turnsUpTo(n / 2)
  for (let half = 1; half < n; half <<= 1) {
    for (let start = 0; start < n; start += 2 * half) {
      for (let j = start, at = half - 1; j < start + half; j++, at++) {
        const k = j + half
        const c = cos[at]!
        const s = sin[at]!
        const br = re[k]! * c - im[k]! * s
        const bi = im[k]! * c + re[k]! * s
        const ar = re[j]!
        const ai = im[j]!
        re[j] = ar + br
        im[j] = ai + bi
        re[k] = ar - br
        im[k] = ai - bi
      }
    }
  }
  for (let j = 0; j < n; j++) {
    re[j]! /= n
    im[j]! /= n
  }
}

/** The place of frequency -f, given that of f, in the order of reversed bits. */
export function conjugatePlace(place: number): number {
  return place === 0 ? 0 : 3 * (1 << (31 - Math.clz32(place))) - 1 - place
}
