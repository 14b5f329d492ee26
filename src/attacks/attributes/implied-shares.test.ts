import { expect, test } from 'vitest'
import { impliedShares } from './implied-shares.js'

/** A dummy that is on for a share p of the records, standardised. */
const dummy = (p: number, scale = 1) => {
  const s = Math.sqrt(p * (1 - p)) * scale
  return { off: -p / s, on: (1 - p) / s }
}

test('one standardised dummy tells how common both of its values are', () => {
  const { off, on } = dummy(0.2)
  const [without, share] = impliedShares([[off], [on]])!
  expect(share).toBeCloseTo(0.2, 12)
  expect(without).toBeCloseTo(0.8, 12)
  expect(impliedShares([[on], [off]])![0]).toBeCloseTo(0.2, 12)
})

test('a column for each of three values, or for two of them', () => {
  const [a, b, c] = [0.5, 0.3, 0.2].map((p) => dummy(p)) as [ReturnType<typeof dummy>, ReturnType<typeof dummy>, ReturnType<typeof dummy>] // biome-ignore format: a line
  const all = impliedShares([[a.on, b.off, c.off], [a.off, b.on, c.off], [a.off, b.off, c.on]])! // biome-ignore format: a line
  expect(all.map((p) => Math.round(1e9 * p) / 1e9)).toEqual([0.5, 0.3, 0.2])
  const two = impliedShares([[a.off, b.off], [a.on, b.off], [a.off, b.on]])! // biome-ignore format: a line
  expect(two.map((p) => Math.round(1e9 * p) / 1e9)).toEqual([0.2, 0.5, 0.3])
})

test('undefined where no share is implied', () => {
  expect(impliedShares([[0], [1]])).toBeUndefined() // plain zeros and ones
  expect(impliedShares([[-1], [1], [1]])).toBeUndefined() // on for two values
  expect(impliedShares([[-1], [0], [1]])).toBeUndefined() // no dummy
  const { off, on } = dummy(0.2)
  expect(impliedShares([[on, off], [off, on]])).toBeUndefined() // biome-ignore format: they sum to 0.4
  const [a, b] = [dummy(0.7), dummy(0.6)]
  expect(impliedShares([[a.off, b.off], [a.on, b.off], [a.off, b.on]])).toBeUndefined() // biome-ignore format: to 1.3
  expect(impliedShares([[off, 0.5], [on, 0.5]])).toBeUndefined() // biome-ignore format: a column is constant
})

test('deviations that divide by n - 1 are recognised, others are not', () => {
  const { off, on } = dummy(0.25, 1.005)
  expect(impliedShares([[off], [on]])![1]).toBeCloseTo(0.25, 12)
  const wide = dummy(0.25, 1.02)
  expect(impliedShares([[wide.off], [wide.on]])).toBeUndefined()
  const narrow = dummy(0.25, 0.98)
  expect(impliedShares([[narrow.off], [narrow.on]])).toBeUndefined()
})

test('shares of a full set of columns may miss 1 by a thousandth', () => {
  const set = (...shares: number[]) => {
    const dummies = shares.map((p) => dummy(p))
    return impliedShares(shares.map((_, v) => dummies.map(({ on, off }, c) => (c === v ? on : off))))
  }
  expect(set(0.5, 0.3, 0.2009)).toHaveLength(3)
  expect(set(0.5, 0.3, 0.1991)).toHaveLength(3)
  expect(set(0.5, 0.3, 0.2011)).toBeUndefined()
  expect(set(0.5, 0.3, 0.1989)).toBeUndefined()
})
