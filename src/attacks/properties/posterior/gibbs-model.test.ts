import { describe, expect, test } from 'vitest'
import { sparseFromTriplets } from '../../../numeric/linalg/sparse.js'
import type { FeatureShape } from '../detector/detector.js'
import { extras, freeOf, gibbsModel, ownScales, rhos, shifts, shiftTerms, tails } from './gibbs-model.js'
import { oddsOf, usualBelief } from './gibbs-walk.js'

/** Half the distance of the means 3, 0 and 4, the root of the mean square deviation 4, 0 and 3: t is 5, 0 and 5. */
const shapes: FeatureShape[] = [
  { plusMean: 8, plusStd: Math.sqrt(31), minusMean: 2, minusStd: 1, measured: 10, v: 0.5 },
  { plusMean: 1, plusStd: 0, minusMean: 1, minusStd: 0, measured: 10, v: 0 },
  { plusMean: -6, plusStd: 3, minusMean: 2, minusStd: 3, measured: 4, v: 0.5 },
]
const A = sparseFromTriplets({ rows: 3, cols: 2 }, [
  [0, 0, 1],
  [0, 1, 2],
  [1, 1, 1],
  [2, 0, 0.5],
])
const G = Float64Array.of(1, 2, 3)
const model = gibbsModel({ A, G, shapes })

describe('the model as arrays', () => {
  test('entries lie client by client, times their weight', () => {
    expect([model.clients, model.rounds, ...model.start, ...model.round]).toEqual([2, 3, 0, 2, 4, 0, 2, 0, 1])
    expect([...model.weight]).toEqual([1, 0.5, 2, 1])
    expect([...model.mean[0]]).toEqual([2, 1, 4, 1])
    expect([...model.mean[1]]).toEqual([8, -3, 16, 1])
    expect([...model.std[0]]).toEqual([1, 1.5, 2, 0])
    expect([...model.std[1]]).toEqual([Math.sqrt(31), 1.5, 2 * Math.sqrt(31), 0])
    expect([...model.effect]).toEqual([5, 2.5, 10, 0])
    expect(model.G).toBe(G)
  })

  test('and rounds by the weight of all in them', () => {
    expect([...model.units]).toEqual([5, 0, 5])
    expect([...model.spread]).toEqual([1 + 4, 0, 2.25])
    expect([...model.levels]).toEqual([2, 8, 1, Math.sqrt(31), 1, 1, 0, 0, 2, -6, 3, 3])
    expect([...model.measured]).toEqual([9 / 10, 0, (0.25 * 9) / 4])
  })

  test("an effect goes with the median of s over t; a round without either has the client's own", () => {
    expect(model.ratio).toEqual([0.6, 1])
    const twice = gibbsModel({ A, G, shapes: [shapes[0]!, shapes[0]!, shapes[2]!] })
    expect(twice.ratio).toEqual([0.2, Math.sqrt(31) / 5])
    const small = (shape: FeatureShape): FeatureShape => {
      const { plusMean, plusStd, minusMean, minusStd } = shape
      return {
        ...shape,
        plusMean: plusMean / 8,
        plusStd: plusStd / 8,
        minusMean: minusMean / 8,
        minusStd: minusStd / 8,
      }
    }
    expect(gibbsModel({ A, G, shapes: shapes.map(small) }).ratio).toEqual(model.ratio)
  })

  test('what all share is smooth: cos k x in the unit of each round, less the more it bends', () => {
    const [first, last] = [3 * 1, 0.5 * 3]
    for (let k = 0; k < shiftTerms; k++) {
      expect(model.basis[3 * k]).toBeCloseTo((first * Math.cos(k * Math.acos(-2 / 3))) / (1 + k), 12)
      expect(model.basis[3 * k + 1]).toBeCloseTo(0, 15)
      expect(model.basis[3 * k + 2]).toBeCloseTo((last * Math.cos(k * Math.acos(2 / 3))) / (1 + k), 12)
    }
    expect(model.basis).toHaveLength(15)
  })

  test('a client has what the tie leaves of its variance, and all of it beyond 1', () => {
    expect([0, 0.25, 0.75, 1, 1.5, 200].map(freeOf)).toEqual([1, 0.75, 0.25, 1, 1, 1])
  })
})

test('priors add up to one, those of rho in two parts', () => {
  const total = (grid: readonly { prior: number }[]) => grid.reduce((sum, { prior }) => sum + prior, 0)
  for (const grid of [rhos, extras, shifts, tails]) expect(total(grid)).toBeCloseTo(1, 12)
  expect(total(rhos.filter(({ value }) => value < 1))).toBeCloseTo(0.4, 12)
  expect(new Set(rhos.map(({ prior }) => prior)).size).toBe(2)
  for (const grid of [rhos, extras, shifts, tails, ownScales])
    expect(grid.map(({ value }) => value)).toEqual(grid.map(({ value }) => value).toSorted((a, b) => a - b))
})

describe('what is believed of who has the property', () => {
  test('as ten clients would make one, and that there is nobody', () => {
    expect(usualBelief(0.25)).toEqual({ a: 2.5, b: 7.5, nobody: 0.3 })
  })

  test.each([
    [{ a: 1, b: 9, nobody: 0.3 }, 6],
    [{ a: 2.5, b: 0.5, nobody: 0 }, 4],
    [{ a: 1, b: 1, nobody: 0.9 }, 1],
  ])('%j: odds of one more of %d are those of the sets, one by one', (belief, N) => {
    const { a, b, nobody } = belief
    const rising = (x: number, k: number) => Array.from({ length: k }, (_, j) => x + j).reduce((p, f) => p * f, 1)
    const of = (k: number) =>
      (k === 0 ? nobody : 0) + ((1 - nobody) * rising(a, k) * rising(b, N - k)) / rising(a + b, N)
    const odds = oddsOf(belief, N)
    expect(odds).toHaveLength(N)
    for (const [k, found] of odds.entries()) expect(found).toBeCloseTo(Math.log(of(k + 1) / of(k)), 12)
  })
})
