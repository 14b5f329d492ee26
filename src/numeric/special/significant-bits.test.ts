import { expect, test } from 'vitest'
import { rng } from '../random/rng.js'
import { gridStep, roundedTo, significantBits, unitOfBits } from './significant-bits.js'

const values = (...all: number[]) => Float64Array.from(all)
const drawn = rng(3).normals(50)

test('the width of the numbers, whatever they are stored in', () => {
  const third = 1 / 3
  expect(significantBits([values(third)])).toBe(53)
  expect(significantBits([values(Math.fround(third), 0, -Math.fround(1e-20 / 7))])).toBe(24)
  expect(significantBits([values(Math.fround(third)), values(third)])).toBe(53)
  expect(significantBits([values(0.333251953125)])).toBe(11) // a third as a half-precision number
  expect(significantBits([values(0, 1, -2, 0.5)])).toBe(53) // round numbers say nothing
  expect(significantBits([values()])).toBe(53)
})

test('singles that went through a few sums in double precision are singles still', () => {
  const singles = drawn.map(Math.fround)
  const there = singles.map((x, i) => x - drawn[49 - i]!)
  const back = there.map((d, i) => drawn[49 - i]! + d)
  expect(significantBits([there])).toBe(53)
  expect(significantBits([back])).toBe(24)
  expect(significantBits([singles.map((x) => (x * 0.3) / 0.3)])).toBe(24)
  expect(significantBits([drawn.map((x) => (roundedTo(x, 8) * 0.7) / 0.7)])).toBe(8)
})

test.each([8, 11, 24])('rounding to %d bits: to nearest, and never by more than its unit', (bits) => {
  for (const x of drawn) expect(Math.abs(roundedTo(x, bits) - x)).toBeLessThanOrEqual(unitOfBits(bits) * Math.abs(x))
  expect([...drawn].map((x) => roundedTo(x, 24))).toEqual([...drawn].map(Math.fround))
  expect(roundedTo(1e308, 24)).toBe(1e308)
})

test('the step of a grid', () => {
  const step = 0.0371
  expect(gridStep(drawn.map((x) => step * Math.round(x / step)))).toBeCloseTo(step, 12)
  expect(gridStep(drawn.map((x) => 0.1 + step * Math.round(x / step)))).toBeCloseTo(step, 9)
  expect(gridStep(drawn)).toBeUndefined()
  expect(gridStep(drawn.map(Math.fround))).toBeUndefined()
  expect(gridStep(values(1, 2, 3))).toBeUndefined() // too few to tell
})
