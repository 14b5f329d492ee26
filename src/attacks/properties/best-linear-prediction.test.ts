import { describe, expect, test } from 'vitest'
import { featureWorld } from '../../../test/property-world.js'
import { sparseFromTriplets, type Triplet } from '../../numeric/linalg/sparse.js'
import { blup, measuringVariance } from './best-linear-prediction.js'

const shape = { minusMean: -1, minusStd: 1, plusMean: 3, plusStd: 2, measured: 4, v: 1 }

test('the variance of measuring grows with the square of the weight, and falls with how many were measured', () => {
  expect(measuringVariance(3, { ...shape, minusStd: 2 })).toBe(9)
  expect(measuringVariance(3, { ...shape, minusStd: 2, measured: 12 })).toBe(3)
})

test('one client, heard once: the prediction and its probability by hand', () => {
  const A = sparseFromTriplets({ rows: 1, cols: 1 }, [[0, 0, 2]])
  const [phi, g] = [0.25, 5]
  const { q, probability } = blup({ A, G: Float64Array.of(g), shapes: [shape] }, phi)
  const D = 4 * (phi * 4 + (1 - phi) * 1) + (4 * 1) / 4
  const b = (2 * 4) / Math.sqrt(D)
  const z = (g - 2 * (-1 + phi * 4)) / Math.sqrt(D)
  const lambda = 1 / (phi * (1 - phi))
  expect(q[0]).toBeCloseTo(phi + (b * z) / (b * b + lambda), 12)
  const k = 1 - lambda / (lambda + b * b)
  const variance = k * (1 - k) * phi * (1 - phi)
  const [having, lacking] = [q[0]! - phi - (1 - phi) * k, q[0]! - phi + phi * k]
  const odds = (lacking * lacking - having * having) / (2 * variance) + Math.log(phi / (1 - phi))
  expect(probability[0]).toBeCloseTo(1 / (1 + Math.exp(-odds)), 10)
})

/** Two clients who are only ever heard together, in one sum that has next to no noise. */
function pair(turns: number, start: number, lambda: number, square: number): number {
  let t = start
  for (let turn = 0; turn < turns; turn++) t = 1 / (lambda + square / (1 + square * t))
  return t
}

test('what two clients leave open between them is settled in thirty turns, from what is known of one beforehand', () => {
  const A = sparseFromTriplets({ rows: 1, cols: 2 }, [[0, 0, 1], [0, 1, 1]] as Triplet[]) // biome-ignore format: a line
  const sure = { ...shape, minusStd: 1e-3, plusStd: 1e-3, measured: 1e12 }
  const phi = 0.3
  const { q, probability } = blup({ A, G: Float64Array.of(2.2), shapes: [sure] }, phi)
  const lambda = 1 / (phi * (1 - phi))
  const square = 16 / (2e-6 + 4e-18)
  const left = pair(30, 1 / lambda, lambda, square) * lambda
  // The chain is slow here: another start, or a turn more or less, would show.
  for (const other of [pair(30, lambda, lambda, square), pair(29, 1 / lambda, lambda, square)])
    expect(Math.abs(other * lambda - left)).toBeGreaterThan(1e-4)
  const k = 1 - left
  const variance = k * (1 - k) * phi * (1 - phi)
  const [having, lacking] = [q[0]! - phi - (1 - phi) * k, q[0]! - phi + phi * k]
  const odds = (lacking * lacking - having * having) / (2 * variance) + Math.log(phi / (1 - phi))
  expect(probability[0]).toBeCloseTo(1 / (1 + Math.exp(-odds)), 9)
  expect(probability[1]).toBeCloseTo(probability[0]!, 8)
})

describe('many clients', () => {
  test('by products alone as by a factorisation: those beyond a thousand, of whom few were heard', () => {
    const { features } = featureWorld({ seed: 3, N: 12, n: 20, perRound: 4, plusStd: 1.5 })
    const wider = (cols: number) => blup({ ...features, A: { ...features.A, cols } }, 0.25)
    const [few, atMost, more] = [wider(12), wider(1000), wider(1001)]
    for (let i = 0; i < 12; i++) {
      expect(atMost.q[i]).toBeCloseTo(few.q[i]!, 12)
      expect(more.q[i]).toBeCloseTo(few.q[i]!, 7)
      expect(more.probability[i]).toBeCloseTo(few.probability[i]!, 6)
    }
    expect(more.q[1000]).toBe(0.25) // never heard
    expect(more.probability[1000]).toBeCloseTo(0.25, 9)
  })
})
