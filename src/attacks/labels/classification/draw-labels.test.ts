import { expect, test } from 'vitest'
import { drawLabels, slopeOfNegatives } from './draw-labels.js'

const draw = (numbers: readonly number[], recordCount: number, offsets?: readonly number[]) =>
  drawLabels(
    Float64Array.from(numbers),
    { slope: -1, ...(offsets && { offsets: Float64Array.from(offsets) }) },
    recordCount,
  )

test('the slope is what is below zero, a class in n more, for each record', () => {
  expect(slopeOfNegatives(Float64Array.of(-3, 1, -1, 0), 2)).toBe(((5 / 4) * -4) / 2)
  expect(slopeOfNegatives(Float64Array.of(2, 1), 3)).toBeCloseTo(0, 15)
})

test('every class below zero comes once, then the lowest again and again, each draw lifting it by the slope', () => {
  expect(draw([-2, 1, -1], 2)).toEqual([0, 2])
  // After the first draws: -1, 1, 0; the first class is lowest, then it ties with the third and comes first.
  expect(draw([-2, 1, -1], 5)).toEqual([0, 2, 0, 0, 2])
  expect(draw([0, 3, 0.5], 3)).toEqual([0, 2, 0])
})

test('offsets are taken off between the two stages', () => {
  // 0, 0, 0.5 after the first draw; -1.5 for the last class, which then is lowest twice.
  expect(draw([-1, 0, 0.5], 3, [0, 0, 2])).toEqual([0, 2, 2])
  // An offset does not put a class into the first stage, or take it out.
  expect(draw([-1, 0.5, 0.5], 1, [-9, 2, 0])).toEqual([0])
})

test('of more classes below zero than records, the lowest', () => {
  expect(draw([-1, -3, -2], 2)).toEqual([1, 2])
  expect(draw([-1, -3, -2], 3)).toEqual([0, 1, 2])
  expect(draw([-1, -3, -2], 0)).toEqual([])
})

test('the numbers that were handed over stay as they were', () => {
  const numbers = Float64Array.of(-2, 1)
  drawLabels(numbers, { slope: -1 }, 4)
  expect([...numbers]).toEqual([-2, 1])
})
