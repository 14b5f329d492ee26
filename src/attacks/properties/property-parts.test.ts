import { describe, expect, test } from 'vitest'
import { contextFor, only } from '../../../test/attack-context.js'
import { deriveAs, handParams, keptDetector, sumsView } from '../../../test/hand-features.js'
import { leastSquares } from '../../numeric/linalg/least-squares.js'
import { matrix, matrixOf } from '../../numeric/linalg/matrix.js'
import { sparseFromDense } from '../../numeric/linalg/sparse.js'
import { rng } from '../../numeric/random/rng.js'
import type { Claimed } from '../attack.js'
import { contribution } from './contribution.js'
import type { FeatureShape } from './detector/detector.js'
import { byDisaggregation } from './disaggregation.js'
import { expectedFeatures } from './expected-features.js'
import { plantedSums, strangersRounds } from './property-controls.js'
import { regressed } from './round-weights.js'
import { shrunkShares } from './shrunk-shares.js'
import type { SumsView } from './usable-sums.js'

/** Rounds of different weights and deviations; the last tells nothing that could be measured. */
function features(n: number) {
  const A = matrix(n, 4)
  const draws = rng(n)
  for (let r = 0; r < n; r++) for (const i of draws.fork(r).sample(4, 2)) A.data[4 * r + i] = 1 + (r % 3)
  const shapes = Array.from({ length: n }, (_, r): FeatureShape => {
    return {
      plusMean: 1,
      plusStd: 9,
      minusMean: 0,
      minusStd: r === n - 1 ? 0 : 1 + (r % 4),
      measured: 5 + (r % 2),
      v: 0.1 + (r % 5) / 9,
    }
  })
  return { A: sparseFromDense(A), G: draws.normals(n), shapes, dense: A }
}

/** The spread of all in a round, and the error of the measured mean once for every one of them. */
function noiseOf({ dense, shapes }: ReturnType<typeof features>): Float64Array {
  const noise = shapes.map(({ minusStd, measured }, r) => {
    const weights = Array.from(dense.data.slice(4 * r, 4 * r + 4))
    const squares = weights.reduce((sum, w) => sum + w * w, 0)
    const total = weights.reduce((sum, w) => sum + w, 0)
    return minusStd * Math.sqrt(squares + total ** 2 / measured)
  })
  const least = 1e-6 * Math.max(...noise)
  return Float64Array.from(noise, (std) => Math.max(std, least))
}

describe('rounds by the variance of their sums', () => {
  test('shrunk as the sums suggest', () => {
    const one = features(12)
    const found = regressed(one, { lambda: 5, weights: 'variance' })
    const asked = shrunkShares(one.A, one.G, noiseOf(one)).x
    for (const [i, x] of asked.entries()) expect(found[i]).toBeCloseTo(x, 9)
  })

  test('of more than fifteen hundred rounds with lambda, in all as much as published', () => {
    const one = features(1501)
    const sure = noiseOf(one).map((std) => 1 / (std * std))
    const total = (values: Iterable<number>) => [...values].reduce((sum, x) => sum + x, 0)
    const by = total(one.shapes.map(({ v }) => v)) / total(sure)
    const found = regressed(one, { lambda: 5, weights: 'variance' })
    const asked = expectedFeatures(one, { lambda: 5, weights: sure.map((v) => by * v) })
    for (const [i, x] of asked.entries()) expect(found[i]).toBeCloseTo(x, 9)
  })
})

test('disaggregation: every detector on every update by least squares, the mean of their decisions', () => {
  const A = matrixOf([
    [1, 0, 0],
    [1, 1, 0],
    [0, 2, 1],
    [1, 0, 1],
  ])
  const products = matrix(4, 4, rng(1).normals(16, { std: 3 }))
  const offsets = [0.5, -1, 2, 0]
  const { score, positive, probability } = byDisaggregation(sparseFromDense(A), { products, offsets })
  const asked = [0, 0, 0]
  for (const [r, c] of offsets.entries()) {
    const x = leastSquares(A, matrix(4, 1, products.data.slice(4 * r, 4 * r + 4))).X.data
    for (const [i, v] of x.entries()) asked[i]! += 1 / (1 + Math.exp(-v - c)) / 4
  }
  for (const [i, p] of asked.entries()) expect(score[i]).toBeCloseTo(p, 10)
  expect(positive).toEqual(asked.map((p) => p > 0.5))
  expect(new Set(positive).size).toBe(2)
  expect(probability).toBe(null)
})

describe('controls', () => {
  const options = {
    property: 'inversion',
    pairs: 8,
    records: 5,
    floor: 0.1,
    features: 1,
    maxNorm: 0,
    riding: 'any',
  } as const
  const truth = (having: readonly string[] | undefined) => ({ property: () => having }) as never
  const weights = { aggregateWeights: 'samples' }
  const view = sumsView({
    took: ['ab', 'c', 'bd'],
    sampleCounts: [...'abcd'].map((id, i) => ({ id, samples: 1 + i })),
  }) as SumsView

  test('planted: those who have it return one update, the others another, each as often as it weighs', async () => {
    const derive = deriveAs((index) => [Float64Array.of(100 + index, 1), Float64Array.of(1, 0)])
    const weighted = { ...view, protocol: { ...view.protocol, ...weights } } as never
    const planted = await plantedSums({ view: weighted, truth: truth(['b']), rng: rng(1), derive }, options)
    expect(planted.params).toEqual({ curve: 0 })
    const { aggregates } = planted.view as unknown as SumsView
    expect(aggregates.rounds).toEqual([10, 11, 12])
    const sums = await Promise.all(aggregates.rounds.map(async (round) => (await aggregates.read(round)).dThetaSum))
    // a, b, c and d weigh 1, 2, 3 and 4.
    for (const [r, asked] of [
      [1 + 2 * 100, 2],
      [3, 0],
      [2 * 102 + 4, 2],
    ].entries())
      for (const [j, x] of asked.entries()) expect(sums[r]![j]).toBeCloseTo(x, 10)
    await expect(
      plantedSums({ view: weighted, truth: truth(undefined), rng: rng(1), derive }, options),
    ).rejects.toThrow('the truth does not say who has "inversion"')
  })

  test('strangers: as many in every round, of all who took part in any', async () => {
    const told = [5, 6, 7].map((round, r) => ({
      round,
      participants: ['b', 'a', 'c', 'e'].slice(0, r + 2),
      dropped: ['x'],
    }))
    const { view: changed, params } = await strangersRounds({ view: { participation: told }, rng: rng(2) })
    expect(params).toEqual({ curve: 0 })
    for (const [r, { round, participants, dropped }] of changed.participation!.entries()) {
      const drawn = rng(2)
        .fork('round', round)
        .sample(4, r + 2)
      expect(participants).toEqual(Array.from(drawn, (i) => ['a', 'b', 'c', 'e'][i]!))
      expect([round, dropped]).toEqual([5 + r, ['x']])
    }
    await expect(strangersRounds({ view: {} as { participation?: typeof told }, rng: rng(2) })).rejects.toThrow(
      'nobody says who took part',
    )
  })
})

test('contribution: sums in units of what detectors tell wrong labels by, shrunk by their noise', async () => {
  const took = ['ab', 'bc', 'cd', 'ac', 'abd', 'd', 'bcd', 'a']
  const heard = rng(8).normals(8, { std: 4 })
  const shapes = took.map((_, r) => ({
    plusMean: 2 + r,
    plusStd: 1,
    minusMean: r === 3 ? 9 : 1 - r / 2,
    minusStd: 1 + r / 4,
    measured: 4 + r,
    v: 0.5,
  }))
  const asked: unknown[] = []
  const derive = deriveAs((index, settings) => {
    asked.push(settings.property)
    return [...keptDetector(7), ...keptDetector(2, shapes[index]!)]
  })
  const view = sumsView({ took, sum: (r) => heard[r]! })
  const { property: _, ...params } = handParams
  const outcome = (await contribution.run(view, {
    ...contextFor(),
    params: { ...params, features: 2 },
    derive,
  } as never)) as Claimed
  expect(new Set(asked)).toEqual(new Set(['mislabelled']))
  const A = matrixOf(took.map((ids) => [...'abcd'].map((id) => Number(ids.includes(id)))))
  const [y, noise] = [new Float64Array(8), new Float64Array(8)]
  for (const [r, { plusMean, minusMean, minusStd, measured }] of shapes.entries()) {
    const W = took[r]!.length
    const unit = r === 3 ? 1e-3 * minusStd : plusMean - minusMean
    y[r] = (W * plusMean - 2 * heard[r]!) / unit
    noise[r] = (minusStd * Math.sqrt(W + (W * W) / measured)) / unit
  }
  const { x, common, ratio } = shrunkShares(sparseFromDense(A), y, noise)
  for (const [i, { score }] of only(outcome, 'contribution').clients.entries()) expect(score / x[i]!).toBeCloseTo(1, 8)
  expect(outcome.details).toMatchObject({ rounds: 8, clients: 4, rank: 4, noiseRatio: ratio, inseparable: [] })
  expect((outcome.details.common as number) / common).toBeCloseTo(1, 8)
})
