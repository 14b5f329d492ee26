import { expect, test } from 'vitest'
import { rng } from '../../../../numeric/random/rng.js'
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
