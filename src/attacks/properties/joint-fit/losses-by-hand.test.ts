import { describe, expect, test } from 'vitest'
import { featureWorld } from '../../../../test/property-world.js'
import { rng } from '../../../numeric/random/rng.js'
import {
  type Likelihood,
  logDensity,
  logProducts,
  type Printing,
  prolinLosses,
  prolinProblem,
} from './prolin-losses.js'

/** Clients of other weights and rounds of other deviations; the last client never took part. */
const N = 5
const { features } = featureWorld({ seed: 2, N: N - 1, n: 6, perRound: 2, gap: 1, plusStd: 1.4 })
const value = features.A.value.map((x, p) => x * (0.5 + (features.A.column[p]! % 3)))
const shapes = features.shapes.map((shape, r) => ({
  ...shape,
  minusStd: 0.6 + (r % 3) / 2,
  plusStd: 1.4 - (r % 2) / 2,
}))
const expected = rng(5).normals(N)
const problem = prolinProblem({ A: { ...features.A, cols: N, value }, G: features.G, shapes }, expected)
const size = problem.round.length
const X = rng(6).normals(size)
const tau = Float64Array.of(0.2, 0.9, 0.5, 0.7, 0.4)

const density = (x: number, mean: number, std: number) =>
  Math.exp(-(((x - mean) / std) ** 2) / 2) / (std * Math.sqrt(2 * Math.PI))

/** The entries of client i: round, weight, place. */
const entriesOf = (i: number) =>
  Array.from(problem.round.slice(problem.start[i], problem.start[i + 1]), (r, k) => {
    const p = problem.start[i]! + k
    return { r, p, w: problem.weight[p]!, shape: shapes[r]! }
  })

/** The losses as they stand in the comment, sum by sum. */
function byHand(x: Float64Array, t: Float64Array, likelihood: Likelihood, printing: Printing) {
  let [ml, reg, lstsq] = [0, 0, 0]
  for (let i = 0; i < N; i++) {
    const own = entriesOf(i).map(({ p, shape }) => [
      density(x[p]!, shape.plusMean, shape.plusStd),
      density(x[p]!, shape.minusMean, shape.minusStd),
    ])
    const product = (k: number) => own.reduce((all, one) => all * one[k]!, 1)
    if (likelihood === 'paper') ml -= Math.log(t[i]! * product(0) + (1 - t[i]!) * product(1))
    else for (const [plus, minus] of own) ml -= Math.log(1 + t[i]! * plus! + (1 - t[i]!) * minus!)
    const values = entriesOf(i).map(({ p }) => x[p]!)
    const R = values.length
    if (R === 0) continue
    if (printing === 'printed') for (const v of values) reg += (v / R - expected[i]!) ** 2
    else reg += (values.reduce((sum, v) => sum + v, 0) / R - expected[i]!) ** 2
  }
  for (let r = 0; r < features.G.length; r++) {
    const shares = Array.from({ length: N }, (_, i) =>
      entriesOf(i).reduce((sum, one) => (one.r === r ? sum + one.w * x[one.p]! : sum), 0),
    )
    const { v } = shapes[r]!
    if (printing === 'printed') for (const share of shares) lstsq += v * (features.G[r]! - share) ** 2
    else lstsq += v * (features.G[r]! - shares.reduce((sum, share) => sum + share, 0)) ** 2
  }
  return { ml, reg, lstsq }
}

describe.each(['paper', 'code'] as const)('likelihood: %s', (likelihood) => {
  test.each(['corrected', 'printed'] as const)('the losses and their slopes, %s', (printing) => {
    const gradients = {
      ...{ mlX: new Float64Array(size), mlTau: new Float64Array(N) },
      ...{ regX: new Float64Array(size), lstsqX: new Float64Array(size) },
    }
    const asked = byHand(X, tau, likelihood, printing)
    for (const found of [
      prolinLosses(problem, { X, tau }, { likelihood, printing, gradients }),
      prolinLosses(problem, { X, tau }, { likelihood, printing }),
    ]) {
      for (const key of ['ml', 'reg', 'lstsq'] as const) expect(found[key]).toBeCloseTo(asked[key], 9)
    }
    const moved = (list: Float64Array, j: number, by: number) => list.map((v, k) => (k === j ? v + by : v))
    for (let p = 0; p < size; p++) {
      const [up, down] = [1e-5, -1e-5].map((by) => byHand(moved(X, p, by), tau, likelihood, printing))
      expect(gradients.mlX[p]).toBeCloseTo((up!.ml - down!.ml) / 2e-5, 6)
      expect(gradients.regX[p]).toBeCloseTo((up!.reg - down!.reg) / 2e-5, 6)
      expect(gradients.lstsqX[p]).toBeCloseTo((up!.lstsq - down!.lstsq) / 2e-5, 6)
    }
    for (let i = 0; i < N; i++) {
      const [up, down] = [1e-5, -1e-5].map((by) => byHand(X, moved(tau, i, by), likelihood, printing))
      expect(gradients.mlTau[i]).toBeCloseTo((up!.ml - down!.ml) / 2e-5, 6)
    }
  })
})

test('the likelihood of the paper and the corrected squares are taken unless told', () => {
  expect(prolinLosses(problem, { X, tau })).toEqual(
    prolinLosses(problem, { X, tau }, { likelihood: 'paper', printing: 'corrected' }),
  )
})

test('densities and their products', () => {
  expect(logDensity(3, 1, 4)).toBeCloseTo(Math.log(density(3, 1, 4)), 12)
  for (let i = 0; i < N; i++) {
    const own = entriesOf(i)
    const [plus, minus] = logProducts(problem, X, i)
    const sum = (of: (one: (typeof own)[number]) => number) => own.reduce((all, one) => all + Math.log(of(one)), 0)
    expect(plus).toBeCloseTo(
      sum(({ p, shape }) => density(X[p]!, shape.plusMean, shape.plusStd)),
      9,
    )
    expect(minus).toBeCloseTo(
      sum(({ p, shape }) => density(X[p]!, shape.minusMean, shape.minusStd)),
      9,
    )
  }
})
