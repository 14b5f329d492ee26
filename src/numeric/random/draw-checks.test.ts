import { expect, test } from 'vitest'
import { checkCount, checkedNormal, checkPositive } from './draw-checks.js'

test('a standard normal unless told; its deviation may be 0, not less', () => {
  expect(checkedNormal()).toEqual({ mean: 0, std: 1 })
  expect(checkedNormal({ mean: -3 })).toEqual({ mean: -3, std: 1 })
  expect(checkedNormal({ std: 0 })).toEqual({ mean: 0, std: 0 })
  for (const std of [-1e-9, Number.POSITIVE_INFINITY, Number.NaN]) {
    expect(() => checkedNormal({ std })).toThrow(`normal: the standard deviation is ${std}; it must be finite and at least 0`) // biome-ignore format: a line
  }
  for (const mean of [Number.NEGATIVE_INFINITY, Number.NaN]) {
    expect(() => checkedNormal({ mean })).toThrow(`normal: the mean is ${mean}; it must be finite`)
  }
})

test('positive numbers, at least as large as is asked', () => {
  for (const x of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => checkPositive(x, 'gamma: the shape is')).toThrow(`gamma: the shape is ${x}; it must be finite and positive`) // biome-ignore format: a line
  }
  expect(() => checkPositive(5e-324, 'x')).not.toThrow()
  expect(() => checkPositive(1.5, 'x', 1.5)).not.toThrow()
  expect(() => checkPositive(1.49, 'x', 1.5)).toThrow('x 1.49; it must be finite and at least 1.5')
  expect(() => checkPositive(-1, 'x', -2)).toThrow('x -1')
})

test('counts are whole numbers up to a most', () => {
  for (const n of [0, 5]) expect(() => checkCount(n, 'n', 5)).not.toThrow()
  for (const n of [-1, 2.5, 6, Number.NaN]) {
    expect(() => checkCount(n, 'normals:', 5)).toThrow(`normals: ${n}; an integer from 0 to 5 is needed`)
  }
  expect(() => checkCount(2 ** 31, 'n')).not.toThrow()
  expect(() => checkCount(2 ** 31 + 1, 'n')).toThrow('an integer from 0 to 2147483648 is needed')
})
