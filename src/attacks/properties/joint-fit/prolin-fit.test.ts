import { describe, expect, test } from 'vitest'
import { f1Of, featureWorld } from '../../../../test/property-world.js'
import { rng } from '../../../numeric/random/rng.js'
import { sigmoid } from '../../../numeric/special/elementary-functions.js'
import type { FeatureSums } from '../detector/feature-sums.js'
import { expectedFeatures } from '../expected-features.js'
import { likeliestFeatures, type Pulls } from './prolin-features.js'
import { fitProlin } from './prolin-fit.js'
import { type ProlinProblem, prolinLosses, prolinProblem } from './prolin-losses.js'
import { fitByMtAdam } from './prolin-mtadam.js'

const reg = (features: FeatureSums) =>
  expectedFeatures(features, { lambda: 5, weights: Float64Array.from(features.shapes, ({ v }) => v) })
const problemOf = (features: FeatureSums) => prolinProblem(features, reg(features))

/** What `likeliestFeatures` minimises. */
function squares(
  problem: ProlinProblem,
  { plus, minus }: Pulls,
  { X, gamma }: { X: Float64Array; gamma: number },
): number {
  let sum = 0
  for (const [p, x] of X.entries()) {
    sum += (plus[p]! * ((x - problem.plusMean[p]!) / problem.plusStd[p]!) ** 2) / 2
    sum += (minus[p]! * ((x - problem.minusMean[p]!) / problem.minusStd[p]!) ** 2) / 2
  }
  const tau = new Float64Array(problem.clients).fill(0.5)
  return sum + gamma * prolinLosses(problem, { X, tau }).reg
}

describe('the likeliest features', () => {
  const { features } = featureWorld({ seed: 5, N: 8, n: 12, perRound: 4, plusStd: 2 })
  const problem = problemOf(features)
  const size = problem.round.length
  const plus = rng(1).uniforms(size)
  const pulls = { plus, minus: plus.map((x) => 1 - x) }

  test.each([0, 1, 1000])('add up to the sums, and no others that do are likelier (gamma %d)', (gamma) => {
    const X = likeliestFeatures(problem, pulls, gamma)
    expect(prolinLosses(problem, { X, tau: new Float64Array(8) }).lstsq).toBeLessThan(1e-18)
    const value = squares(problem, pulls, { X, gamma })
    for (let k = 0; k < 40; k++) {
      // Any step that keeps the sums: two entries of one round move against each other.
      const step = new Float64Array(size)
      const draws = rng('steps').fork(k)
      for (let r = 0; r < 12; r++) {
        const own = Array.from(problem.round.keys()).filter((p) => problem.round[p] === r)
        const [a, b] = Array.from(draws.fork(r).sample(own.length, 2), (i) => own[i]!)
        const by = draws.fork(r, 'by').normal({ std: 0.01 })
        step[a!]! += by
        step[b!]! -= by
      }
      expect(squares(problem, pulls, { X: X.map((x, p) => x + step[p]!), gamma })).toBeGreaterThan(value)
    }
  })

  test('hundreds of rounds are solved by products alone, to the same features', () => {
    const many = problemOf(featureWorld({ seed: 6, N: 30, n: 520, perRound: 3 }).features)
    const even = { plus: new Float64Array(1560).fill(0.5), minus: new Float64Array(1560).fill(0.5) }
    const X = likeliestFeatures(many, even, 1)
    expect(prolinLosses(many, { X, tau: new Float64Array(30) }).lstsq).toBeLessThan(1e-12)
  })
})

describe('the joint optimisation', () => {
  test('finds who has it where the features are plain', () => {
    const { features, having } = featureWorld({ seed: 7, gap: 8 })
    for (const likelihood of ['paper', 'code'] as const) {
      const tau = reg(features).map(sigmoid)
      const fit = fitProlin([problemOf(features)], { likelihood, gamma: 1, tau })
      const claimed = Array.from(fit.tau, (t) => t > 0.5)
      expect(f1Of(claimed, having)).toBe(1)
      for (const [i, p] of fit.probability.entries()) expect(p > 0.5).toBe(having[i])
    }
  })

  test('ends no higher than MTAdam does, whose sums are not kept', () => {
    for (const seed of [1, 2, 3]) {
      const { features } = featureWorld({ seed, gap: 2 })
      const problem = problemOf(features)
      const options = { likelihood: 'paper' as const, gamma: 1, tau: reg(features).map(sigmoid) }
      const ours = fitProlin([problem], options).losses
      const theirs = fitByMtAdam([problem], { ...options, steps: 1500 }).losses
      expect(ours.lstsq).toBeLessThan(1e-15)
      expect(theirs.lstsq).toBeGreaterThan(1e-9)
      expect(ours.ml + ours.reg).toBeLessThan(theirs.ml + theirs.reg + theirs.lstsq + 1)
    }
  })

  test('several features are weighed together: two weak ones beat one', () => {
    let [one, two] = [0, 0]
    for (let seed = 0; seed < 6; seed++) {
      const first = featureWorld({ seed, gap: 2.2 })
      // The same clients and rounds, another draw of the features.
      const noise = rng('other').fork(seed)
      const second = {
        ...first.features,
        G: first.features.G.map((g, r) => {
          const { plusMean, minusMean } = first.features.shapes[r]!
          let sum = 0
          for (let p = first.features.A.rowStart[r]!; p < first.features.A.rowStart[r + 1]!; p++) {
            sum += (first.having[first.features.A.column[p]!] ? plusMean : minusMean) + noise.normal()
          }
          return Number.isFinite(g) ? sum : g
        }),
      }
      const scored = (all: FeatureSums[]) => {
        const tau = reg(all[0]!).map(sigmoid)
        const { tau: end } = fitProlin(all.map(problemOf), { likelihood: 'paper', gamma: 1, tau })
        return (
          f1Of(
            Array.from(end, (t) => t > 0.5),
            first.having,
          ) / 6
        )
      }
      one += scored([first.features])
      two += scored([first.features, second])
    }
    expect(two).toBeGreaterThan(one)
  })

  test('a crowd is fitted without trying every flip', () => {
    const { features, having } = featureWorld({ seed: 9, N: 450, n: 900, perRound: 20, positives: 20, gap: 10 })
    const tau = reg(features).map(sigmoid)
    const fit = fitProlin([problemOf(features)], { likelihood: 'paper', gamma: 1, tau, mostWork: 0 })
    expect(
      f1Of(
        Array.from(fit.tau, (t) => t > 0.5),
        having,
      ),
    ).toBeGreaterThan(0.9)
  })
})
