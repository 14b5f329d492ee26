import { expect, test } from 'vitest'
import { type Rng, rng } from './rng.js'

/** Fisher and Yates from the front, one draw after another. */
function shuffled(draws: Rng, n: number, k: number): Int32Array {
  const places = Int32Array.from({ length: n }, (_, i) => i)
  for (let i = 0; i < k; i++) {
    const j = i + draws.integer(n - i)
    ;[places[i], places[j]] = [places[j]!, places[i]!]
  }
  return places.slice(0, k)
}

// Of 65,536 places two in five shuffles meet a word that may have to be rejected.
test.each([
  [65_536, 65_536, 8],
  [65_536, 20_000, 8],
  [65_537, 65_537, 1],
  [7, 7, 50],
  [7, 2, 50],
  [100, 3, 50],
])('of %d places %d are drawn as one by one, and what is drawn next is the same', (n, k, seeds) => {
  for (let seed = 0; seed < seeds; seed++) {
    const [a, b] = [rng(seed), rng(seed)]
    const [found, expected] = [a.sample(n, k), shuffled(b, n, k)]
    expect(found.findIndex((place, i) => place !== expected[i])).toBe(-1)
    expect(found.length).toBe(k)
    expect(a.u32()).toBe(b.u32())
    expect(a.sample(9, 9)).toEqual(shuffled(b, 9, 9)) // not fresh any more
  }
})
