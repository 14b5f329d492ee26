import { describe, expect, test } from 'vitest'
import { matrix, matrixOf } from '../../../numeric/linalg/matrix.js'
import { norm } from '../../../numeric/linalg/vector.js'
import { activeRounds } from './sending-rounds.js'
import { spreadModels } from './spread-models.js'

const start = Float64Array.of(3, 0, 4)
const none = matrix(0, 3)

test('a step along each coordinate, one against all of them, then the same mirrored', () => {
  const { sent, withHeard } = spreadModels({ start, count: 9, size: 0.4, heard: none })
  const back = 2 / Math.sqrt(3)
  const steps = [
    [2, 0, 0],
    [0, 2, 0],
    [0, 0, 2],
    [-back, -back, -back],
  ]
  const mirrored = steps.map((step) => step.map((x) => -x))
  expect(withHeard).toBe(false)
  for (const [k, step] of [...steps, ...mirrored, steps[0]!].entries())
    for (const [j, x] of step.entries()) expect(sent[k]![j]! - start[j]!).toBeCloseTo(x, 12)
  expect(sent).toHaveLength(9)
})

test('the length of a step is that of the start, or 1 where that is nothing', () => {
  const { sent } = spreadModels({ start: new Float64Array(3), count: 4, size: 0.4, heard: none })
  expect([...sent[0]!]).toEqual([0.4, 0, 0])
  expect(norm(sent[3]!)).toBeCloseTo(0.4, 12)
})

describe('fewer messages than tell the map', () => {
  /** Spread 5 along (1, 1, 0), 1 along (0, 0, 1) and 0.1 along (1, -1, 0), about a mean. */
  const heard = matrixOf([
    [10 + 5, 20 + 5, 30],
    [10 - 5, 20 - 5, 30],
    [10, 20, 31],
    [10, 20, 29],
    [10.1, 19.9, 30],
    [9.9, 20.1, 30],
  ])
  const root = Math.SQRT1_2

  test('along the directions in which the models heard differ least', () => {
    const { sent, withHeard } = spreadModels({ start, count: 3, size: 1, heard })
    expect(withHeard).toBe(true)
    const directions = [
      [root, -root, 0],
      [0, 0, 1],
      [root, root, 0],
    ]
    for (const [k, direction] of directions.entries()) {
      const step = sent[k]!.map((x, j) => (x - start[j]!) / 5)
      const sign = Math.sign(step.reduce((sum, x, j) => sum + x * direction[j]!, 0))
      for (const [j, x] of direction.entries()) expect(sign * step[j]!).toBeCloseTo(x, 10)
    }
    expect(spreadModels({ start, count: 2, size: 1, heard }).sent).toEqual(sent.slice(0, 2))
  })

  test.each(['first', 'last'])('every one of them counts, the %s too', (place) => {
    const rows = [[9, 0, 0], [0, 4, 0], [0, -4, 0], ...new Array(7).fill([0, 0, 0])]
    if (place === 'last') rows.reverse()
    const { sent } = spreadModels({ start, count: 2, size: 1, heard: matrixOf(rows) })
    // Squares about the mean 0, 32 and 72.9.
    const steps = sent.map((one) => Array.from(one, (x, j) => Math.abs(x - start[j]!) / 5))
    for (const [k, step] of [
      [0, 0, 1],
      [0, 1, 0],
    ].entries())
      for (const [j, x] of step.entries()) expect(steps[k]![j]).toBeCloseTo(x, 10)
  })

  test('up to as many as there are parameters', () => {
    const of = (count: number) => spreadModels({ start, count, size: 1, heard }).withHeard
    expect([1, 3, 4].map(of)).toEqual([true, true, false])
  })
})

test('rounds: a number of them, or those that are named, rising', () => {
  expect(activeRounds([1])).toEqual([0])
  expect(activeRounds([3])).toEqual([0, 1, 2])
  expect(activeRounds([0, 5, 6])).toEqual([0, 5, 6])
  expect(activeRounds([3, 8])).toEqual([3, 8])
  const needed = 'a number of messages from 1, or several rounds that rise, is needed'
  expect(() => activeRounds([0])).toThrow(`rounds is 0; ${needed}`)
  expect(() => activeRounds([])).toThrow(`rounds is empty; ${needed}`)
  expect(() => activeRounds([2, 2])).toThrow(`rounds is 2,2; ${needed}`)
  expect(() => activeRounds([1, 3, 2])).toThrow(`rounds is 1,3,2; ${needed}`)
})
