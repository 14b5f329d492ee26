import { expect, test } from 'vitest'
import { checkpoints, exposureOf } from './rounds-until-exposed.js'

test('points are spread evenly, as many as there are rounds at most, the last one all of them', () => {
  expect(checkpoints(10, 0)).toEqual([])
  expect(checkpoints(10, 1)).toEqual([10])
  expect(checkpoints(10, 4)).toEqual([3, 5, 8, 10])
  expect(checkpoints(3, 8)).toEqual([1, 2, 3])
})

const rounds = [10, 20, 30, 40]
const curves = (...rows: number[][]) => rows.map((row) => Float64Array.from(row))

test('without a point there is no exposure', () => {
  expect(exposureOf({ seen: [], probabilities: [] }, { ids: ['a'], rounds, positive: [true] })).toBe(undefined)
})

test('exposed from the point on from which the probability stays above', () => {
  const ids = ['always', 'late', 'back', 'never', 'last', 'at', 'second']
  const probabilities = curves(
    [0.96, 0.99, 0.99, 0.1, 0, 0.951, 0.9],
    [1, 0.123456, 0.99, 0.2, 0.5, 0.951, 0.99],
    [0.97, 0.98, 0.9, 0.3, 0.95001, 0.95, 0.99],
  )
  const told = exposureOf({ seen: [1, 3, 4], probabilities }, { ids, rounds, positive: ids.map(() => false) })!
  expect(told.rounds).toEqual([10, 30, 40])
  expect(told.above).toBe(0.95)
  expect(told.exposedAt).toEqual({ always: 10, late: 40, last: 40, second: 30 })
  expect(told.lastBelow).toEqual({ always: null, late: 30, last: 30, second: 10 })
  expect(Object.keys(told.probability)).toEqual(ids)
  const { late } = told.probability
  expect(late).toEqual([0.99, 0.1235, 0.98])
})

test('what is no number exposes nobody', () => {
  const told = exposureOf({ seen: [4], probabilities: curves([Number.NaN]) }, { ids: ['a'], rounds, positive: [false] })
  expect(told?.exposedAt).toEqual({})
})

test('of more than two hundred clients only those who are accused or exposed have curves', () => {
  const told = (count: number) => {
    const ids = Array.from({ length: count }, (_, i) => `c${i}`)
    const positive = ids.map((_, i) => i === 3)
    const one = Float64Array.from(ids, (_, i) => (i === 5 ? 0.99 : 0.5))
    return Object.keys(exposureOf({ seen: [4], probabilities: [one] }, { ids, rounds, positive })!.probability)
  }
  expect(told(200)).toHaveLength(200)
  expect(told(201)).toEqual(['c3', 'c5'])
})
