import { describe, expect, test } from 'vitest'
import { featureWorld } from '../../../../test/property-world.js'
import { type Rng, rng } from '../../../numeric/random/rng.js'
import type { FeatureSums } from '../detector/feature-sums.js'
import { likeliestFeatures, type Pulls } from './prolin-features.js'
import { type ProlinProblem, prolinProblem } from './prolin-losses.js'

/** Clients of weights and expectations of their own, one of whom never took part. */
function problemOf({ A, G, shapes }: FeatureSums, draws: Rng): ProlinProblem {
  const by = draws.fork('weights').uniforms(A.cols)
  const value = A.value.map((x, p) => x * (0.5 + by[A.column[p]!]!))
  const varied = shapes.map((shape, r) => ({ ...shape, minusStd: 0.5 + (r % 4) / 2 }))
  return prolinProblem(
    { A: { ...A, cols: A.cols + 1, value }, G, shapes: varied },
    draws.fork('expected').normals(A.cols + 1),
  )
}

function pullsFor({ round }: ProlinProblem, draws: Rng): Pulls {
  const plus = draws.fork('pulls').uniforms(round.length)
  return { plus, minus: plus.map((t) => 1.2 - t) }
}

/** Where the objective has its least under the sums: its slope by an entry is the weight times one number a round. */
function expectLeast(problem: ProlinProblem, { plus, minus }: Pulls, gamma: number, X: Float64Array, digits: number) {
  const { clients, start, round, rounds, weight, G, expected, plusMean, plusStd, minusMean, minusStd } = problem
  const sums = new Float64Array(rounds)
  const slopes: number[][] = Array.from({ length: rounds }, () => [])
  for (let i = 0; i < clients; i++) {
    const own = X.slice(start[i]!, start[i + 1]!)
    const off = own.reduce((sum, x) => sum + x / own.length, 0) - expected[i]!
    for (const [k, x] of own.entries()) {
      const p = start[i]! + k
      sums[round[p]!]! += weight[p]! * x
      const likely =
        (plus[p]! * (x - plusMean[p]!)) / plusStd[p]! ** 2 + (minus[p]! * (x - minusMean[p]!)) / minusStd[p]! ** 2
      slopes[round[p]!]!.push((likely + (2 * gamma * off) / own.length) / weight[p]!)
    }
  }
  for (let r = 0; r < rounds; r++) {
    expect(sums[r]).toBeCloseTo(G[r]!, digits)
    for (const slope of slopes[r]!) expect(slope).toBeCloseTo(slopes[r]![0]!, digits)
  }
}

describe('the likeliest features that add up to the sums', () => {
  test.each([0, 0.7, 30])('nothing else is less, gamma %d', (gamma) => {
    for (let seed = 0; seed < 6; seed++) {
      const { features } = featureWorld({ seed, N: 7, n: 11, perRound: 3, gap: 2, plusStd: 1.7 })
      const problem = problemOf(features, rng(seed))
      const pulls = pullsFor(problem, rng(seed))
      const X = likeliestFeatures(problem, pulls, gamma)
      expect(X).toHaveLength(33)
      expectLeast(problem, pulls, gamma, X, 8)
    }
  })

  test.each([500, 501])('of %d rounds', (n) => {
    const { features } = featureWorld({ seed: 1, N: 4, n, perRound: 2, gap: 2 })
    const problem = problemOf(features, rng(2))
    const pulls = pullsFor(problem, rng(2))
    expectLeast(problem, pulls, 50, likeliestFeatures(problem, pulls, 50), n === 500 ? 8 : 5)
  })

  test('one client in a round has what is left by nobody else', () => {
    const { features } = featureWorld({ seed: 3, N: 5, n: 6, perRound: 1 })
    const problem = prolinProblem(features, new Float64Array(5))
    const X = likeliestFeatures(problem, pullsFor(problem, rng(1)), 4)
    for (const [p, x] of X.entries()) expect(x).toBeCloseTo(features.G[problem.round[p]!]!, 10)
  })
})
