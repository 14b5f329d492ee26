import { describe, expect, test } from 'vitest'
import { posteriorOf } from '../value-posterior.js'
import type { Exact } from './one-step-shares.js'
import { byEquations, byReplay, leastSure, unfitting, verifies } from './weighed-guesses.js'

const problem = (records: number, values: number, rate: 'known' | 'one' = 'known') =>
  ({ rounds: [{}, {}, {}], rate, gradients: { records, values } }) as unknown as Parameters<typeof byReplay>[0]

test('a message verifies guesses where nothing is open, rounding explains it, and every guess is sure', () => {
  const sure = { open: 0, excess: 5, confidence: Float64Array.of(1, leastSure) }
  expect(verifies(sure)).toBe(true)
  expect(verifies({ ...sure, open: 1 })).toBe(false)
  expect(verifies({ ...sure, excess: 5.001 })).toBe(false)
  expect(verifies({ ...sure, confidence: Float64Array.of(1, 0.9999989) })).toBe(false)
  expect(verifies({ ...sure, confidence: Float64Array.of(1, 0.9999991) })).toBe(true)
})

describe('messages that the stated protocol does not give', () => {
  const fit = { misfit: 0.81, expected: 0.1, reach: 1.51, p: 1e-5 }
  test('are refused where they went elsewhere, most of them is left, and far more than expected', () => {
    expect(() => unfitting(fit)).toThrow('the messages are not what the stated protocol gives: 0.81 of the messages')
    expect(() => unfitting({ ...fit, reach: 0.66 })).toThrow('0.66 times as far (p = 1e-5)')
    expect(() => unfitting({ ...fit, reach: 0 })).toThrow('are not what')
    expect(() => unfitting({ ...fit, expected: 0.114 })).toThrow('are not what')
  })
  test('and are told of otherwise', () => {
    const others = [{ reach: 1.5 }, { reach: 0.67 }, { misfit: 0.8 }, { expected: 0.115 }]
    for (const other of others)
      expect(unfitting({ ...fit, ...other })).toMatch(
        /^the stated protocol and the guesses do not go together: .*sure$/,
      )
  })
})

test('guesses that end as the client did: the rest of a confidence is shared among the other values', () => {
  const replayed = { guesses: Int32Array.of(1, 0), confidence: Float64Array.of(0.75, 0.5), misfit: 1e-9, excess: 0.9 }
  expect(byReplay(problem(2, 3), replayed)).toEqual({
    shares: Float64Array.of(0.125, 0.75, 0.125, 0.5, 0.25, 0.25),
    guesses: replayed.guesses,
    warnings: [],
    surest: 2 / 3,
    details: { solver: 'replayed', rounds: 3, unknowns: 4, misfit: 1e-9, excess: 0.9 },
  })
})

describe('guesses of an exact system', () => {
  const exact: Exact = {
    p: Float64Array.of(0.9, 0.1),
    guesses: Int32Array.of(1, 0),
    ...{ misfit: 1e-12, condition: 30, trustedDigits: 12, equations: 9, open: 0, rate: 0.5, excess: 1 },
    confidence: Float64Array.of(1, 1),
  }
  const told = { solver: 'exact', unknowns: 2, equations: 9, condition: 30, trustedDigits: 12 }

  test('are certain where they are verified', () => {
    expect(byEquations(problem(2, 2), exact)).toEqual({
      shares: Float64Array.of(0, 1, 1, 0),
      guesses: exact.guesses,
      warnings: [],
      surest: 1,
      details: { ...told, misfit: 1e-12, excess: 1, verified: true, explained: true, open: 0 },
    })
    expect(byEquations(problem(2, 2, 'one'), exact).details).toMatchObject({ rateFactor: 0.5 })
  })

  test('are no surer than others nearby leave them, nor than their shares, where some are open', () => {
    const open = { ...exact, open: 1, confidence: Float64Array.of(0.25, 1) }
    const { shares, surest, details, warnings } = byEquations(problem(2, 2), open)
    const near = [0.9, 0.1].map((x) => x * x)
    const distances = [Float64Array.of(near[0]!, near[1]!), Float64Array.of((0.9 - 1) ** 2, (0.1 - 1) ** 2)]
    const plain = posteriorOf(distances, { residuals: 1 }).shares
    expect([...shares.subarray(0, 2)]).toEqual([0.75, 0.25])
    expect(shares[2]).toBeCloseTo(plain[2]!, 12)
    expect(shares[3]).toBeCloseTo(1 - plain[2]!, 12)
    expect([surest, details.verified, details.explained, details.open]).toEqual([2 / 3, false, true, 1])
    expect(warnings).toEqual([expect.stringMatching(/^1 unknowns are left open/)])
    const worse = byEquations(problem(2, 2), { ...open, excess: 5.01 })
    expect(worse.details).toMatchObject({ verified: false, explained: false })
    expect(worse.warnings).toHaveLength(2)
    expect(worse.warnings[0]).toMatch('the guesses leave 1.0e-12 of the message unexplained')
    expect(byEquations(problem(2, 2), { ...open, excess: 5 }).warnings).toHaveLength(1)
  })

  test('leave what is not theirs to other values as these share it', () => {
    const p = Float64Array.of(0.7, 0.1, 0.2, 0.3) // shares of values 1 and 2, of two records each
    const guesses = Int32Array.of(1, 0)
    const open = { ...exact, p, guesses, open: 2, confidence: Float64Array.of(0.2, 0.1) }
    const { shares } = byEquations(problem(2, 3), open)
    const off = (i: number, v: number): number =>
      (p[i]! - Number(v === 1)) * (p[i]! - Number(v === 1)) +
      (p[2 + i]! - Number(v === 2)) * (p[2 + i]! - Number(v === 2))
    const distances = [0, 1, 2].map((v) => Float64Array.of(off(0, v), off(1, v)))
    const plain = posteriorOf(distances, { residuals: 2 }).shares
    expect(shares[1]).toBeCloseTo(0.2, 14)
    expect(shares[0]! / shares[2]!).toBeCloseTo(plain[0]! / plain[2]!, 10)
    expect(shares[0]! + shares[2]!).toBeCloseTo(0.8, 12)
    expect(shares[3]).toBeCloseTo(0.1, 14)
    expect(shares[4]! / shares[5]!).toBeCloseTo(plain[4]! / plain[5]!, 10)
    expect(shares[4]! + shares[5]!).toBeCloseTo(0.9, 12)
  })
})
