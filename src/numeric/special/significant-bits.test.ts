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

test('widths are read off the widest significand, and fewer than 8 bits say nothing', () => {
  // 129 has 8 bits, 65 has 7, 4097 has 13, 2^24 + 1 has 25.
  expect([significantBits([values(129)]), significantBits([values(65)])]).toEqual([8, 53])
  expect(significantBits([values(1.0078125, 1.0078125, 129)])).toBe(8)
  expect(significantBits([values(4097, 129)])).toBe(13)
  expect(significantBits([values(4097 * 2 ** -40)])).toBe(13)
  expect(significantBits([values(2 ** 24 + 1)])).toBe(25)
  // Up to single precision they are what they are, however small beside the others.
  expect(significantBits([values(129, Math.fround(1e-20 / 3))])).toBe(24)
  expect([8, 11, 24].map(unitOfBits)).toEqual([1 / 256, 1 / 2048, 2 ** -24])
})

test('the last places of a double are relative to the largest value of each list', () => {
  const worn = (bits: number, size: number) => drawn.map((x) => (size * roundedTo(x, bits) * 0.7) / 0.7)
  expect(significantBits([worn(11, 1)])).toBe(11)
  for (const size of [2 ** 30, 2 ** -30]) {
    expect(significantBits([worn(24, size)])).toBe(24)
    expect(significantBits([drawn.map((x) => size * x)])).toBe(53)
  }
  expect(significantBits([values(0, 0), worn(24, 1)])).toBe(24)
})

test('halves and a little more are rounded up, a little less down', () => {
  for (const bits of [8, 11, 24]) {
    const unit = 2 ** (1 - bits)
    for (const k of [0, 1, 5, 2 ** (bits - 1) - 2]) {
      const at = 1 + k * unit
      expect(roundedTo(at + unit / 2 + 2 ** -50, bits)).toBe(at + unit)
      expect(roundedTo(at + unit / 2 - 2 ** -50, bits)).toBe(at)
      expect(roundedTo(-at - unit / 2 - 2 ** -50, bits)).toBe(-at - unit)
    }
  }
})

const counted = (n: number, at: (i: number) => number) => Float64Array.from({ length: n }, (_, i) => at(i))

test('a grid has at least 16 values and less than 65,536 levels', () => {
  expect(gridStep(counted(15, (i) => 3 * i))).toBeUndefined()
  expect(gridStep(counted(16, (i) => 3 * i))).toBe(3)
  // However often each is there.
  expect(gridStep(counted(60, (i) => 3 * (i % 15)))).toBeUndefined()
  expect(gridStep(counted(60, (i) => 3 * (i % 16)))).toBe(3)
  expect(gridStep(counted(17, (i) => (i === 16 ? 65_535 : i)))).toBe(1)
  expect(gridStep(counted(17, (i) => (i === 16 ? 65_536 : i)))).toBeUndefined()
  expect(gridStep(counted(20, () => 4))).toBeUndefined()
})

test('the least gap counts wherever it is', () => {
  expect(gridStep(counted(20, (i) => (i === 0 ? 0 : i - 0.5)))).toBe(0.5)
  expect(gridStep(counted(20, (i) => (i === 19 ? 18.5 : i)))).toBe(0.5)
})

test('long lists are looked at as a whole, far from 0 too', () => {
  expect(gridStep(counted(3000, (i) => 1e6 + 0.25 * ((7 * i) % 200)))).toBe(0.25)
  expect(gridStep(counted(3000, (i) => (i < 1024 ? i % 2 : (7 * i) % 200)))).toBe(1)
  expect(gridStep(rng(5).normals(3000))).toBeUndefined()
})

test('values lie on a grid but for rounding', () => {
  const off = (by: number) => gridStep(counted(101, (i) => (i === 50 ? i + by : i)))
  // A millionth of a step, times the root of 100 levels.
  expect(off(0.8e-5)).toBe(1)
  expect(off(1.3e-5)).toBeUndefined()
})
