import { expect, test } from 'vitest'
import { distancesOf } from './value-evidence.js'

const at = (p: readonly number[], gradient: readonly number[]) => ({
  ...{ p: Float64Array.from(p), gradient: Float64Array.from(gradient) },
  ...{ sweeps: 1, settled: true },
})

test('what the messages say nothing of speaks for no value', () => {
  expect(distancesOf(new Float64Array(1), at([0.5], [0.25]), 1)).toEqual([Float64Array.of(0), Float64Array.of(0)])
  const none = distancesOf(new Float64Array(4), at([0.25, 0.5], [0.25, 1]), 1)
  expect(none).toEqual([0, 0, 0].map((x) => Float64Array.of(x)))
})

test.each([0.25, 4])('a record by itself: %d times the square of the way to each value', (q) => {
  // Where it would go alone: 0.25 - 0.125 / q.
  const [zero, one] = distancesOf(Float64Array.of(q), at([0.25], [0.125]), 1)
  const alone = 0.25 - 0.125 / q
  expect(zero![0]).toBeCloseTo(q * alone * alone, 14)
  expect(one![0]).toBeCloseTo(q * (1 - alone) * (1 - alone), 14)
})

test.each([0.25, 4])('three values: the square in the metric of the record, whose diagonal is %d and more', (q) => {
  // Two records that do not meet; the second stands where it would go alone.
  const Q = Float64Array.of(q, 0, q / 2, 0, 0, 1, 0, 0, q / 2, 0, 2 * q, 0, 0, 0, 0, 3)
  const found = distancesOf(Q, at([0.5, 0.125, 0.25, 0.5], [q, 0, q, 0]), 2)
  // [1 1/2; 1/2 2] x = (1, 1): x = (6/7, 2/7).
  const [a, b] = [0.5 - 6 / 7, 0.25 - 2 / 7]
  const of = (x: number, y: number): number => q * (x * x + x * y + 2 * y * y)
  expect(found[0]![0]).toBeCloseTo(of(-a, -b), 9)
  expect(found[1]![0]).toBeCloseTo(of(1 - a, -b), 9)
  expect(found[2]![0]).toBeCloseTo(of(-a, 1 - b), 9)
  const second = (x: number, y: number): number => (x - 0.125) * (x - 0.125) + 3 * (y - 0.5) * (y - 0.5)
  for (const [v, [x, y]] of ([[0, 0], [1, 0], [0, 1]] as const).entries()) // biome-ignore format: a line
    expect(found[v]![1]).toBeCloseTo(second(x, y), 9)
})
