/** Neighbours drawn by the client itself, from randomness that nobody else has a hand in. */
import type { Bytes } from '../secure-aggregation/primitives.js'

/** `count` of the places, none twice, each set as likely as any other; all of them when there are no more. */
export function drawPlaces(places: readonly number[], count: number, random: (bytes: number) => Bytes): number[] {
  const left = [...places]
  const drawn = Math.min(count, left.length)
  const word = wordsOf(random, drawn)
  for (let k = 0; k < drawn; k++) {
    const at = k + evenly(left.length - k, word)
    ;[left[k], left[at]] = [left[at]!, left[k]!]
  }
  return left.slice(0, drawn)
}

/** Words of 32 bits, so many at a time. */
function wordsOf(random: (bytes: number) => Bytes, atOnce: number): () => number {
  let [drawn, next] = [new Uint32Array(0), 0]
  return () => {
    if (next === drawn.length) [drawn, next] = [new Uint32Array(random(4 * atOnce).buffer), 0]
    return drawn[next++]!
  }
}

/** 0 .. bound - 1: draws that would favour the lower ones are thrown away. */
function evenly(bound: number, word: () => number): number {
  const limit = 4294967296 - (4294967296 % bound)
  for (;;) {
    const x = word()
    if (x < limit) return x % bound
  }
}
