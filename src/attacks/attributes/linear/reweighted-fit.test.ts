import { describe, expect, test } from 'vitest'
import { protocolOf } from '../../../../test/label-views.js'
import { tabledProblem } from '../../../../test/tabled-problem.js'
import { rng } from '../../../numeric/random/rng.js'
import type { Problem, RateMode } from './linear-problem.js'
import { type InferOptions, infer } from './reweighted-fit.js'

interface Made {
  readonly n?: number
  readonly values?: number
  readonly count?: number
  readonly rate?: RateMode
  /** By round: what its message was divided by. */
  readonly by?: (round: number) => number
  readonly noise?: number
}

/** One exact step on all records in each round: sums over a table, at other scales. */
function made({ n = 8, values = 2, count = 3, rate = 'known', by = () => 1, noise = 0 }: Made) {
  const P = 2 * n * values
  const table = Array.from({ length: values }, (_, v) => Array.from({ length: n }, (_, i) => [...rng(3).fork(v, i).normals(P)])) // biome-ignore format: a line
  const truth = Array.from({ length: n }, (_, i) => (i * i) % values)
  const rounds = Array.from({ length: count }, (_, t) => {
    const scale = 1 + (t % 3)
    const off = rng(4).fork(t).normals(P, { std: noise })
    const mean = Array.from(off, (x, j) => (truth.reduce((sum, v, i) => sum + scale * table[v]![i]![j]!, x) / n) * (1 / by(t))) // biome-ignore format: a line
    return { by: scale, mean }
  })
  const view = { protocol: protocolOf() }
  return { problem: { ...tabledProblem({ table, rounds, rate }), view } as unknown as Problem, truth }
}

const run = (problem: Problem, more: Partial<InferOptions> = {}) => {
  const told: number[][] = []
  const tick = (...by: number[]) => void told.push(by)
  const found = infer(problem, { passes: 3, rehearsals: 4, directions: 2, rng: rng('infer'), tick, ...more })
  return { ...found, told }
}

describe('passes', () => {
  test('are one in the plain metric and the others in that of residuals; turns that need it not are not played over', () => {
    const { problem, truth } = made({})
    const { history, guesses, misfit, told, fit, rates } = run(problem)
    expect(history.map(({ kind }) => kind)).toEqual(['plain', 'residuals', 'residuals'])
    expect(history[0]!.changed).toBe(8) // from none
    expect([...guesses]).toEqual(truth)
    expect(misfit).toBeLessThan(1e-3)
    expect([fit, ...rates]).toEqual([undefined, 1, 1, 1])
    expect([...new Set(told.map(([k, total]) => `${k} of ${total}`))]).toEqual(['0 of 3', '1 of 3', '2 of 3'])
  })

  test.each([
    ['three values', { values: 3 }],
    ['a round alone', { count: 1 }],
    ['twenty rounds', { count: 20 }],
    ['more, of which some are left out at first', { count: 21 }],
    ['many more', { count: 50, values: 3 }],
  ])('find what was sent: %s', (_, shape) => {
    const { problem, truth } = made({ n: 6, ...shape })
    const { guesses, misfit, rates, shares, settled } = run(problem)
    expect([...guesses]).toEqual(truth)
    expect(misfit).toBeLessThan(0.02)
    expect(rates).toEqual(problem.rounds.map(() => 1))
    for (const [i, v] of truth.entries()) expect(shares[v]![i]).toBeGreaterThan(0.9)
    expect(settled).toBe(true)
  })

  test('one is enough, and what is known from elsewhere counts', () => {
    const { problem, truth } = made({ noise: 60 })
    const evidence = Float64Array.from(truth, (v) => (v === 1 ? 60 : -60))
    const { history, guesses } = run(problem, { passes: 1, evidence })
    expect(history).toEqual([{ kind: 'plain', changed: 8 }])
    expect([...guesses]).toEqual(truth)
    expect([...run(problem, { passes: 1 }).guesses]).not.toEqual(truth)
  })
})

describe.each([3, 24, 45])('a rate that is not known, in %d rounds', (count) => {
  test('is one for all of them', () => {
    const { problem, truth } = made({ n: 6, count, rate: 'one', by: () => 2.5 })
    const { rates, guesses, misfit } = run(problem)
    expect(rates).toHaveLength(count)
    for (const rate of rates) expect(rate).toBeCloseTo(2.5, 2)
    expect([...guesses]).toEqual(truth)
    expect(misfit).toBeLessThan(0.02)
  })

  test('or its own in each', () => {
    const by = (t: number) => 1 + (t % 4) / 2
    const { problem, truth } = made({ n: 6, count, rate: 'each', by })
    const { rates, guesses, misfit } = run(problem)
    for (const [t, rate] of rates.entries()) expect(rate).toBeCloseTo(by(t), 2)
    expect([...guesses]).toEqual(truth)
    expect(misfit).toBeLessThan(0.02)
  })
})

test('turns are played over at most four times where five hundred values or more are open', () => {
  /** Passes that are planned for so many records of so many values, and that many rehearsals. */
  const planned = (n: number, values: number, rehearsals: number) => {
    const { problem } = made({ n: 1, values })
    const { view, gradients } = problem
    const many = { ...problem, view: { ...view, protocol: protocolOf({ batchSize: 4 }) }, gradients: { ...gradients, records: n }, samples: n } // biome-ignore format: a line
    let all = 0
    const tick = (_: number, total: number) => {
      all = total
      throw new Error('enough')
    }
    expect(() => run(many as unknown as Problem, { rehearsals, tick })).toThrow('enough')
    return all
  }
  expect([planned(499, 2, 9), planned(500, 2, 9), planned(500, 2, 3)]).toEqual([3 + 9, 3 + 4, 3 + 3])
  expect([planned(249, 3, 9), planned(250, 3, 9)]).toEqual([3 + 9, 3 + 4])
})
