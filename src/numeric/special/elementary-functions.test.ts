import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as scalar from './elementary-functions.js'

/** Distance in units of the last place of the expected value. */
function ulps(got: number, expected: number): number {
  if (Object.is(got, expected) || (Number.isNaN(got) && Number.isNaN(expected)) || got === expected) return 0
  const size = Math.abs(expected)
  const exponent = Math.max(Math.floor(Math.log2(size)), -1022)
  return Math.abs(got - expected) / 2 ** (exponent - 52)
}

// The engine's own functions are good to about one ulp: a second opinion, not the definition.
const cases = {
  exp: [scalar.exp, Math.exp, -745, 709.7, 2],
  log: [scalar.log, Math.log, 0, 1e300, 2],
  log1p: [scalar.log1p, Math.log1p, -0.9, 1e6, 3],
  tanh: [scalar.tanh, Math.tanh, -25, 25, 3],
  sigmoid: [scalar.sigmoid, (x: number) => 1 / (1 + Math.exp(-x)), -700, 700, 3],
  softplus: [scalar.softplus, (x: number) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x))), -700, 700, 3],
} as const

describe.each(Object.entries(cases))('%s', (_name, [ours, theirs, min, max, bound]) => {
  test(`agrees with the engine's to ${bound} ulp`, () => {
    const values = fc.oneof(
      fc.double({ min, max, noNaN: true }),
      fc.double({ min: Math.max(min, -2), max: Math.min(max, 2), noNaN: true }),
    )
    fc.assert(
      fc.property(values, (x) => ulps(ours(x), theirs(x)) <= bound),
      { numRuns: 5000 },
    )
  })
})

test('the edges are exact', () => {
  const { exp, log, log1p, sigmoid, softplus, tanh } = scalar
  expect([exp(0), exp(-Infinity), exp(Infinity), exp(NaN), exp(710), exp(-746)]).toEqual([
    1,
    0,
    Infinity,
    NaN,
    Infinity,
    0,
  ])
  expect([log(1), log(0), log(Infinity), log(-1), log(NaN), log(5e-324)]).toEqual([
    0,
    -Infinity,
    Infinity,
    NaN,
    NaN,
    -744.4400719213812,
  ])
  expect([log1p(0), log1p(-1), log1p(Infinity), log1p(1e-300)]).toEqual([0, -Infinity, Infinity, 1e-300])
  expect([sigmoid(0), sigmoid(-Infinity), sigmoid(Infinity)]).toEqual([0.5, 0, 1])
  expect([tanh(0), tanh(-Infinity), tanh(Infinity), tanh(NaN)]).toEqual([0, -1, 1, NaN])
  expect([softplus(-Infinity), softplus(Infinity)]).toEqual([0, Infinity])
})
