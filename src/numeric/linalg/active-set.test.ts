import { expect, test } from 'vitest'
import { activeSet } from './active-set.js'

interface Script {
  readonly x?: readonly number[]
  readonly free?: readonly number[]
  /** One list after another, the last one ever after. */
  readonly gains: readonly (readonly number[])[]
  readonly minima: readonly (readonly number[] | undefined)[]
  readonly maxIterations?: number
}

/** Answers as written, and what was asked. */
function played({ x = [1, 1, 0], free = [0, 1], gains, minima, maxIterations = 9 }: Script) {
  const asked: number[][] = []
  const seen: number[][] = []
  const found = activeSet({
    size: x.length,
    start: { x: Float64Array.from(x), free },
    minimise(variables) {
      asked.push([...variables])
      const answer = minima[asked.length - 1]
      return answer === undefined ? undefined : Float64Array.from(answer)
    },
    gains(at) {
      seen.push([...at])
      return Float64Array.from(gains[Math.min(seen.length, gains.length) - 1]!)
    },
    noise: 0.125,
    maxIterations,
  })
  return { x: [...found.x], free: found.free, minima: found.iterations, worst: found.kktViolation, asked, seen }
}
const open = [0, 0, 1]
const closed = [0, 0, 0]

test('the variable that reaches zero first is fixed there, wherever it stands', () => {
  const second = played({ gains: [open, closed], minima: [[-1, -3, 2], [-0.5, 1], [2]] })
  expect(second.asked).toEqual([[0, 1, 2], [0, 2], [2]])
  expect(second).toMatchObject({ x: [0, 0, 2], free: [2], minima: 3 })
  const first = played({ gains: [open, closed], minima: [[-3, -1, 2], undefined] })
  expect(first.asked).toEqual([
    [0, 1, 2],
    [1, 2],
  ])
  // A quarter of the way, where the dependent pair leaves it.
  expect(first).toMatchObject({ x: [0, 0.5, 0.5], free: [1, 2], minima: 2 })
})

test('of two at once the first is fixed, and the other if it is not above zero', () => {
  const both = played({ gains: [open, closed], minima: [[-1, -1, 2], [3]] })
  expect(both.asked).toEqual([[0, 1, 2], [2]])
  const [x, z] = [0.5, -1.4]
  expect(x + (x / (x - z)) * (z - x)).toBeGreaterThan(0) // by rounding
  const one = played({
    x: [x, x, 0],
    gains: [open, closed],
    minima: [
      [z, z, 2],
      [3, 3],
    ],
  })
  expect(one.asked).toEqual([
    [0, 1, 2],
    [1, 2],
  ])
  const [y, w] = [0.1, -0.7]
  expect(y + (y / (y - w)) * (w - y)).toBeLessThan(0)
  const below = played({ x: [y, y, 0], gains: [open, closed], minima: [[w, w, 2], [3]] })
  expect(below).toMatchObject({ x: [0, 0, 3], free: [2] })
})

test('a minimum at zero itself is a bound, one above it is not', () => {
  const at = played({
    gains: [open, closed],
    minima: [
      [0, 2, 2],
      [5, 6],
    ],
  })
  expect(at.asked).toEqual([
    [0, 1, 2],
    [1, 2],
  ])
  expect(at).toMatchObject({ x: [0, 5, 6], free: [1, 2] })
  const above = played({ gains: [open, closed], minima: [[0.0625, 2, 3]] })
  expect(above).toMatchObject({ x: [0.0625, 2, 3], free: [0, 1, 2], minima: 1 })
})

test('a variable that would not grow is refused until another does', () => {
  const x = [0, 0, 0]
  const gains = [
    [3, 2, 1],
    [3, 2, 1],
    [3, 2, 1],
    [3, 0, 1],
    [0, 0, 0],
  ]
  const refused = played({ x, free: [], gains, minima: [undefined, [0], [4], [5, 4]] })
  expect(refused.asked).toEqual([[0], [1], [2], [2, 0]])
  expect(refused).toMatchObject({ x: [4, 0, 5], free: [0, 2] })
})

test('the first of equal gains is let free; a gain of the noise is none', () => {
  expect(played({ x: [0, 0, 0], free: [], gains: [[1, 1, 1], closed], minima: [[0.5]] }).asked).toEqual([[0]])
  const still = played({ gains: [[-0.25, 0.25, 0.125]], minima: [] })
  expect(still).toMatchObject({ asked: [], minima: 0, worst: 0.25, free: [0, 1], seen: [[1, 1, 0]] })
  expect(played({ x: [0, 0, 2], free: [2], gains: [[-1, 0, -3]], minima: [] }).worst).toBe(3)
  const low = played({ x: [0, 0, 0], free: [], gains: [[-1, -2, -1]], minima: [] })
  expect(low).toMatchObject({ asked: [], worst: 0 })
})

test('as many minimisations as were allowed, and no more', () => {
  const script = { gains: [open, closed], minima: [[-1, -3, 2], [-0.5, 1], [2]] }
  expect(played({ ...script, maxIterations: 3 }).minima).toBe(3)
  expect(() => played({ ...script, maxIterations: 2 })).toThrow('no optimum of 3 variables within 2 minimisations')
})
