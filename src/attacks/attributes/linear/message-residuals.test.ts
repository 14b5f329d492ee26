import { describe, expect, test } from 'vitest'
import { bareProblem, tabledProblem } from '../../../../test/tabled-problem.js'
import { misfitOf, residualsOf, strangers, sumsAt, sumsOf } from './message-residuals.js'
import { plainMetric } from './residual-metric.js'

// Two records of three values; two parameters.
const table = [
  [[1, 0], [2, -1]],
  [[3, 4], [0, 1]],
  [[-1, 8], [4, 1]],
] // biome-ignore format: a table
const rounds = [{ mean: [1, 2] }, { mean: [0, 3], by: 2 }]
const p = Float64Array.of(0.5, 1, 0.25, 0) // record 0: 1/4, 1/2, 1/4; record 1: the second value
const first = [1 / 4 + 3 / 2 - 1 / 4 + 0, 2 + 2 + 1]

test.each([
  ['with factors', tabledProblem],
  ['without', bareProblem],
])('sums of gradients are those in shares of the values, %s', (_, make) => {
  const problem = make({ table, rounds })
  const found = sumsAt(problem, problem.rounds[1]!.at, [p, new Float64Array(4)])
  expect(found.map((sum) => [...sum])).toEqual([first.map((x) => 2 * x), [6, -2]])
  expect(sumsOf(problem, p).map((sum) => [...sum])).toEqual([first, first.map((x) => 2 * x)])
})

describe('records that nobody knows', () => {
  test('add as many means of the known ones, or of all values alike', () => {
    const problem = bareProblem({ table, rounds, samples: 5 })
    expect(strangers(problem, p).map((sum) => [...sum])).toEqual([
      first.map((x) => x * 1.5),
      first.map((x) => 2 * x * 1.5),
    ])
    const even = [3, 13 / 3]
    for (const [t, sum] of strangers(problem, undefined).entries())
      for (const [j, x] of even.entries()) expect(sum[j]).toBeCloseTo(1.5 * (t + 1) * x, 12)
  })
  test('are none where all are known, and nothing is computed for them', () => {
    const problem = bareProblem({ table, rounds })
    const silent = { ...problem, gradients: { ...problem.gradients, weighted: undefined as never } }
    expect(strangers(silent, p)).toEqual([new Float64Array(2), new Float64Array(2)])
  })
})

test('a residual is the message at its rate, without offset and sum', () => {
  const problem = bareProblem({ table, rounds, samples: 3 })
  const [sums, offsets] = [[Float64Array.of(1, 1), Float64Array.of(2, 2)], [Float64Array.of(4, 5), Float64Array.of(6, 7)]] // biome-ignore format: a line
  const found = residualsOf(problem, { sums, offsets, rates: [2, 0.5] })
  expect(found.map((r) => [...r])).toEqual([[1, 6], [-8, -4.5]]) // biome-ignore format: a line
})

test('the misfit is the mean share of a message that is left, however small messages are', () => {
  const offsets = [Float64Array.of(0, 0), Float64Array.of(1, 0)]
  const pass = { rounds: [0, 1], weights: [1, 1], metric: plainMetric, offsets }
  const sums = [Float64Array.of(3, 0), Float64Array.of(1, 2)]
  const messages = [Float64Array.of(3, 4), Float64Array.of(8, 0)]
  // (6, 8) - (3, 0) over 10; (4, 0) - (1, 0) - (1, 2) over 4.
  const misfit = (Math.sqrt(73) / 10 + Math.sqrt(8) / 4) / 2
  expect(misfitOf(messages, { sums, rates: [2, 0.5], pass })).toBeCloseTo(misfit, 14)
  const small = (list: Float64Array[]) => list.map((one) => one.map((x) => x / 1024))
  const less = { sums: small(sums), rates: [2, 0.5], pass: { ...pass, offsets: small(offsets) } }
  expect(misfitOf(small(messages), less)).toBeCloseTo(misfit, 14)
  const none = { sums: [new Float64Array(2)], rates: [1], pass: { ...pass, offsets: [new Float64Array(2)] } }
  expect(misfitOf([new Float64Array(2)], none)).toBe(0)
})
