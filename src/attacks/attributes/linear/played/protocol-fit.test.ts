import { expect, test } from 'vitest'
import { rng } from '../../../../numeric/random/rng.js'
import { normalCdf } from '../../../../numeric/special/normal.js'
import { plainMetric } from '../residual-metric.js'
import { fitOf, playedTurns, strainOf } from './protocol-fit.js'

const [T, P, plays] = [12, 200, 6]
const noisy = (t: number, k: number | string, std = 1): Float64Array => rng(1).fork(t, k).normals(P, { mean: 0, std })
const truth = Array.from({ length: T }, (_, t) => rng(2).fork(t).normals(P, { mean: 0, std: 2 }))

const sum = (a: Float64Array, b: Float64Array): Float64Array => a.map((x, j) => x + b[j]!)

/** Messages that are `by` times as long as the plays, with noise of that deviation where plays have 1. */
function madeFit(by: number, std: number) {
  const played = truth.map((m, t) => Array.from({ length: plays }, (_, k) => sum(m, noisy(t, k))))
  const messages = played.map((own) => own[0]!.map((_, j) => own.reduce((total, one) => total + one[j]!, 0) / plays))
  const full = Math.sqrt(plays / (plays - 1))
  const scatter = played.flatMap((own, t) => own.map((one) => one.map((x, j) => (x - messages[t]![j]!) * full)))
  const heard = truth.map((m, t) =>
    sum(
      m.map((x) => by * x),
      noisy(t, 'heard', std),
    ),
  )
  const square = (v: Float64Array): number => v.reduce((total, x) => total + x * x, 0)
  const left = heard.map((m, t) => square(m.map((x, j) => x - messages[t]![j]!)))
  return fitOf({
    messages: heard.map(square),
    left,
    played: playedTurns({ messages, scatter }, { heard, plays, metric: plainMetric }),
  })
}

test('messages as they were rehearsed fit, and strain nothing', () => {
  const found = madeFit(1, 1)
  expect(found.misfit / found.expected).toBeCloseTo(1, 1)
  expect(found.reach).toBeCloseTo(1, 1)
  expect(found.p).toBeGreaterThan(0.3)
  expect(strainOf(found)).toBe(0)
})

test('twice the noise, or half the way, does not', () => {
  const [noisier, shorter] = [madeFit(1, 2), madeFit(0.5, 1)]
  expect(noisier.p).toBeLessThan(1e-4)
  expect(noisier.reach).toBeCloseTo(1, 1)
  expect(strainOf(noisier)).toBeGreaterThan(3)
  expect(shorter.p).toBeLessThan(1e-4)
  expect(shorter.reach).toBeCloseTo(0.5, 1)
  expect(strainOf(shorter)).toBeGreaterThan(30)
})

test('log odds are strained from the very probabilities on that are named', () => {
  const strain = (p: number, more: object = {}) => strainOf({ misfit: 0.1, expected: 0.1, reach: 1, p, ...more })
  expect([strain(1), strain(0.05), strain(0.0499), strain(0.002)]).toEqual([0, 0, 0.5, 0.5])
  expect(strain(0.00199)).toBe(1)
  expect(strain(0, { misfit: 0.6, expected: 0.2 })).toBeCloseTo(9, 12)
  expect(strain(0, { misfit: 0.2, expected: 0.01 })).toBeCloseTo(16, 12) // no less than 0.0025 is expected
  expect(strain(0, { reach: 1.3 })).toBeCloseTo(25, 10)
  expect(strain(0, { reach: 0.7 })).toBeCloseTo(25, 10)
})

test('a fit by hand: two rounds, two plays', () => {
  const played = { scatter: [[1, 3], [2, 2]], along: [9, 8], reached: [[1, -1], [0, 2]], square: [8, 10] } // biome-ignore format: a line
  const { misfit, expected, reach, p } = fitOf({ messages: [10, 20], left: [4, 6], played })
  expect(misfit).toBeCloseTo(Math.sqrt(0.35), 14)
  expect(expected).toBeCloseTo(Math.sqrt((0.3 + 0.15) / 2), 14)
  expect(reach).toBeCloseTo((0.9 + 0.4) / (0.8 + 0.5), 14)
  // 0.7 is found where 0.45 is expected, give or take the root of 0.1414^2 + 0.0675^2 + 0.005^2.
  const spread = Math.sqrt(0.02 + 0.0675 * 0.0675 + 0.005 * 0.005)
  expect(p).toBeCloseTo(2 * normalCdf(-0.25 / spread), 12)
  const short = fitOf({ messages: [10, 20], left: [1, 1], played: { ...played, along: [3, 2] } })
  const wander = Math.sqrt(0.03 + 0.0075) / 1.3
  expect(short.p).toBeCloseTo(4 * normalCdf(-(1 - 0.4 / 1.3) / Math.sqrt(wander * wander + 0.0036)), 10)
  const silent = { scatter: [[0]], along: [0], reached: [[0]], square: [0] }
  const p0 = 4 * normalCdf(-1 / 0.06)
  expect(fitOf({ messages: [0], left: [0], played: silent })).toEqual({ misfit: 0, expected: 0, reach: 0, p: p0 })
})
