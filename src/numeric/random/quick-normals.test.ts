import { expect, test } from 'vitest'
import { addNoise } from '../engine/added-noise.js'
import { createEngine } from '../engine/engine.js'
import { normalCdf } from '../special/normal.js'
import { normalPair, quickNormals } from './quick-normals.js'
import { rng } from './rng.js'

const many = 1_000_000
const steps = 400 // and as many streams: a generator must be as good in its first words as in its later ones
const drawn = manyNumbers()

/** Numbers of the kernel: the bits of `quickNormals`, which another test holds it to. */
function manyNumbers(): Float32Array {
  const host = createEngine()
  const to = host.allocate(4 * many).address
  const values = host.view('f32', to, many).fill(0)
  const each = many / steps
  for (let s = 0; s < steps; s++) {
    const place = { precision: 'f32', address: to + 4 * s * each, d: each } as const
    addNoise(host, place, { stream: rng('steps').fork(s), std: 1 })
  }
  return values as Float32Array
}

const mean = (of: (x: number, i: number) => number): number => drawn.reduce((sum, x, i) => sum + of(x, i), 0) / many
/** How many deviations a mean over all of them lies from what it should be, given the variance of one. */
const apart = (of: (x: number, i: number) => number, expected: number, variance: number): number =>
  Math.abs(mean(of) - expected) / Math.sqrt(variance / many)

test('moments to the sixth', () => {
  expect(apart((x) => x, 0, 1)).toBeLessThan(4)
  expect(apart((x) => x * x, 1, 2)).toBeLessThan(4)
  expect(apart((x) => x * x * x, 0, 15)).toBeLessThan(4)
  expect(apart((x) => x ** 4, 3, 96)).toBeLessThan(4)
  expect(apart((x) => x ** 6, 15, 10_170)).toBeLessThan(4)
})

test('neighbours, the two of a pair, lanes and streams know nothing of each other, nor do their squares', () => {
  for (const lag of [1, 2, 3, 4, 5, 8, 16, many / steps]) {
    const other = (i: number): number => drawn[(i + lag) % many]!
    expect(
      apart((x, i) => x * other(i), 0, 1),
      `lag ${lag}`,
    ).toBeLessThan(4)
    expect(
      apart((x, i) => (x * x - 1) * (other(i) ** 2 - 1), 0, 4),
      `squares, lag ${lag}`,
    ).toBeLessThan(4)
  }
})

test('[kolmogorov] no more than chance from the normal distribution', () => {
  const sorted = drawn.toSorted()
  let worst = 0
  for (let i = 0; i < many; i += 97) {
    worst = Math.max(worst, Math.abs(normalCdf(sorted[i]!) - (i + 0.5) / many))
  }
  expect(worst * Math.sqrt(many)).toBeLessThan(1.95) // at a level of 0.001
})

test.each([2, 3, 4, 4.5])('as many beyond %d as there should be, on either side', (far) => {
  const expected = normalCdf(-far) * many
  const [below, above] = [mean((x) => (x < -far ? 1 : 0)) * many, mean((x) => (x > far ? 1 : 0)) * many]
  for (const count of [below, above]) expect(Math.abs(count - expected)).toBeLessThan(4 * Math.sqrt(expected) + 1)
})

test('a pair is the exact one as far as a single can say it, down to the last of 39 bits', () => {
  const stream = rng('words')
  for (let i = 0; i < 20_000; i++) {
    const shift = i % 32 // small first words: far tails
    const [first, second] = [stream.u32() >>> shift, i % 3 === 0 ? stream.u32() & 0x00ffffff : stream.u32()]
    const u = ((first >>> 1) + ((second >>> 23) | 1) / 512) / 2 ** 31
    const r = Math.sqrt(-2 * Math.log(u)) * (first & 1 ? -1 : 1)
    const angle = ((second << 8) / 2 ** 31) * (Math.PI / 2)
    const [sin, cos] = normalPair(first, second, 1)
    // u has the bits of a single: near 1 that is much of r.
    const allowed = 3e-7 * Math.abs(r) + Math.min(6e-8 / Math.abs(r), 4e-4)
    expect(Math.abs(sin - r * Math.sin(angle))).toBeLessThan(allowed)
    expect(Math.abs(cos - r * Math.cos(angle))).toBeLessThan(allowed)
  }
  expect(normalPair(0, 0, 1)[1]).toBeCloseTo(Math.sqrt(80 * Math.LN2), 5) // u = 2^-40
  expect(Math.abs(normalPair(0xfffffffe, 0xff000000, 1)[1])).toBe(0) // u rounds to 1
})

test('a stream has its own numbers, and the first of them whatever their count', () => {
  const ten = quickNormals(rng(1), 10, 2)
  expect([...quickNormals(rng(1), 3, 2)]).toEqual([...ten.subarray(0, 3)])
  expect([...quickNormals(rng(2), 10, 2)]).not.toEqual([...ten])
  expect(quickNormals(rng(1), 0)).toHaveLength(0)
})
