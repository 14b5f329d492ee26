import { describe, expect, test } from 'vitest'
import { featureWorld } from '../../../../test/property-world.js'
import { rng } from '../../../numeric/random/rng.js'
import { sigmoid } from '../../../numeric/special/elementary-functions.js'
import type { FeatureSums } from '../detector/feature-sums.js'
import { expectedFeatures } from '../expected-features.js'
import { likeliestFeatures } from './prolin-features.js'
import { fitProlin } from './prolin-fit.js'
import { flipped, flipWork, nearbyOdds } from './prolin-flips.js'
import { type ProlinProblem, prolinLosses, prolinProblem } from './prolin-losses.js'

const reg = (features: FeatureSums) =>
  expectedFeatures(features, { lambda: 5, weights: Float64Array.from(features.shapes, ({ v }) => v) })
const problemOf = (features: FeatureSums) => prolinProblem(features, reg(features))

/** Clients of other weights, and one who never took part. */
function weighted({ A, G, shapes }: FeatureSums, seed: number): FeatureSums {
  const by = rng(seed).fork('weights').uniforms(A.cols)
  const value = A.value.map((x, p) => x * (0.5 + by[A.column[p]!]!))
  return { A: { ...A, cols: A.cols + 1, value }, G, shapes }
}

/** min over X of L_ml + gamma L_reg for tau in {0, 1}, by solving for X. */
function objective(problems: readonly ProlinProblem[], tau: Float64Array, gamma: number): number {
  return problems.reduce((sum, problem) => {
    const plus = new Float64Array(problem.round.length)
    for (const [i, t] of tau.entries()) plus.fill(t, problem.start[i]!, problem.start[i + 1]!)
    const X = likeliestFeatures(problem, { plus, minus: plus.map((t) => 1 - t) }, gamma)
    const { ml, reg: held } = prolinLosses(problem, { X, tau })
    return sum + ml + gamma * held
  }, 0)
}

const other = (tau: Float64Array, i: number): Float64Array => tau.map((t, j) => (j === i ? 1 - t : t))

/** Share of pairs, one that has it and one that has not, that are ranked rightly; ties are half. */
function areaOf(score: Float64Array, having: readonly boolean[]): number {
  let [wins, pairs] = [0, 0]
  for (const [i, a] of score.entries()) {
    for (const [j, b] of score.entries()) {
      if (!having[i] || having[j]) continue
      pairs++
      wins += a > b ? 1 : a === b ? 0.5 : 0
    }
  }
  return wins / pairs
}

describe('flips', () => {
  const worlds = [1, 2].map((seed) => featureWorld({ seed, N: 9, n: 14, perRound: 4, gap: 2, plusStd: 1.7 }))
  const problems = worlds.map(({ features }, f) => problemOf(weighted(features, f)))

  test.each([0, 1, 1000])('cost what solving anew says, and none is left that gains (gamma %d)', (gamma) => {
    // From a corner far away, so that many flips are taken on the way.
    const { tau, odds } = flipped(problems, new Float64Array(10).fill(1), { gamma })
    expect(tau.some((t) => t === 0)).toBe(true)
    const value = objective(problems, tau, gamma)
    for (let i = 0; i < 9; i++) {
      const cost = objective(problems, other(tau, i), gamma) - value
      expect(cost).toBeGreaterThan(-1e-6)
      expect(odds[i]).toBeCloseTo(tau[i] === 1 ? cost : -cost, 6)
    }
    expect(odds[9]).toBeCloseTo(0, 12)
  })

  test('end with a pass that takes none, and tell how far they are', () => {
    const ticks: number[][] = []
    const run = (from: Float64Array) => {
      ticks.length = 0
      return flipped(problems, from, { gamma: 1, tick: (...at) => void ticks.push(at) }).tau
    }
    const end = run(new Float64Array(10).fill(1))
    expect(ticks.length).toBeGreaterThan(10)
    expect(ticks.map(([done]) => done)).toEqual(ticks.map((_, k) => k))
    expect(new Set(ticks.map(([, total]) => total))).toEqual(new Set([100]))
    expect(run(end)).toEqual(end)
    expect(ticks).toHaveLength(10)
  })

  test('end at the best of all corners where the features are plain', () => {
    const { features, having } = featureWorld({ seed: 3, N: 8, n: 16, perRound: 3, gap: 6 })
    const problem = [problemOf(features)]
    const { tau } = flipped(problem, new Float64Array(8), { gamma: 1 })
    let [best, at] = [Number.POSITIVE_INFINITY, 0]
    for (let bits = 0; bits < 256; bits++) {
      const corner = Float64Array.from({ length: 8 }, (_, i) => (bits >> i) & 1)
      const value = objective(problem, corner, 1)
      if (value < best) [best, at] = [value, bits]
    }
    for (const [i, t] of tau.entries()) expect(t).toBe((at >> i) & 1)
    expect(Array.from(tau, (t) => t === 1)).toEqual(having)
  })
})

describe('flips by themselves, where S cannot be inverted', () => {
  test('are exact for a client whose rounds hold nobody else of weight', () => {
    // Every round has one participant: S is diagonal but for the pull of L_reg, which gamma = 0 takes away.
    const { features } = featureWorld({ seed: 4, N: 6, n: 20, perRound: 1, plusStd: 2 })
    const problem = problemOf(features)
    const tau = Float64Array.from([1, 0, 1, 0, 0, 1])
    const plus = new Float64Array(20)
    for (const [i, t] of tau.entries()) plus.fill(t, problem.start[i]!, problem.start[i + 1]!)
    const X = likeliestFeatures(problem, { plus, minus: plus.map((t) => 1 - t) }, 0)
    const odds = nearbyOdds([problem], [X], { tau, gamma: 0 })
    const value = objective([problem], tau, 0)
    for (const [i, t] of tau.entries()) {
      const cost = objective([problem], other(tau, i), 0) - value
      expect(odds[i]).toBeCloseTo(t === 1 ? cost : -cost, 8)
    }
  })

  test('rank clients better than the regression, where clients are more than sums', () => {
    for (const seed of [1, 2, 3]) {
      const { features, having } = featureWorld({
        seed,
        N: 400,
        n: 120,
        perRound: 40,
        positives: 40,
        gap: 4,
        plusStd: 1.2,
      })
      const start = reg(features).map(sigmoid)
      const area = (mostWork: number): number =>
        areaOf(
          fitProlin([problemOf(features)], { likelihood: 'paper', gamma: 1, tau: start, mostWork }).probability,
          having,
        )
      const [large, exact, plain] = [area(0), area(1e12), areaOf(start, having)]
      expect(large).toBeGreaterThan(plain)
      expect(exact).toBeGreaterThan(plain)
    }
  })
})

test('the work of a pass is an inverse of the rounds, and a system of each client', () => {
  const one = { rounds: 2, clients: 3, start: Int32Array.of(0, 1, 3, 6) } as unknown as ProlinProblem
  expect(flipWork([one])).toBe(8 + 1 + 8 + 27)
  expect(flipWork([one, { ...one, rounds: 3, clients: 1 }])).toBe(44 + 27 + 1)
  expect(flipWork([])).toBe(0)
})
