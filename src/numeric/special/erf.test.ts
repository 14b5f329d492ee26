import { expect, test } from 'vitest'
import { erf, erfc, expMinusSquare, logErfc, scaledErfc } from './erf.js'

// mpmath 1.4.1, 50 digits: erf(mpf(x)), erfc, log(erfc), exp(x^2) erfc(x); from 1e3 on log erfc by its asymptotic series.
const erfValues = [
  [1e-300, 1.1283791670955126e-300],
  [1e-8, 1.1283791670955126e-8],
  [0.1, 0.1124629160182849],
  [0.46875, 0.49261347321793797],
  [0.5, 0.5204998778130465],
  [1, 0.8427007929497149],
  [2.5, 0.999593047982555],
  [5.9, 0.9999999999999999],
] as const
const erfcValues = [
  [-3, 1.9999779095030015],
  [-0.3, 1.3286267594591274],
  [1e-9, 0.9999999988716208],
  [0.4, 0.5716076449533315],
  [0.47, 0.5062549491139179],
  [1, 0.15729920705028513],
  [3.9, 3.4792248597231765e-8],
  [4.1, 6.700027654084918e-9],
  [10, 2.088487583762545e-45],
  [20, 5.395865611607901e-176],
  [26.5, 2.2109076642637343e-307],
] as const
const logErfcValues = [
  [-30, Math.LN2],
  [-3, 0.6931361352504468],
  [-0.1, 0.10657640058652249],
  [1e-12, -1.1283791670961491e-12],
  [0.3, -0.39843005144008525],
  [0.5, -0.7350111298370844],
  [2, -5.364941264616638],
  [10, -102.87988902484489],
  [100, -10005.177585122665],
  [1e3, -1000007.4801207219],
  [1e6, -1000000000014.3878],
  [1e100, -1e200],
] as const
const scaledValues = [
  [-5, 144009798674.66104],
  [-0.2, 1.2726020284831958],
  [0.3, 0.7345993345676551],
  [1, 0.427583576155807],
  [50, 0.011281536265323773],
  [1e9, 5.641895835477563e-10],
] as const
const tables = { erf: [erf, erfValues], erfc: [erfc, erfcValues], logErfc: [logErfc, logErfcValues] } as const

test.each(Object.entries(tables))('%s agrees with 50 digits', (_, [f, values]) => {
  for (const [x, expected] of values) expect(Math.abs(f(x) / expected - 1), `at ${x}`).toBeLessThan(2e-15)
})

test('scaledErfc agrees with 50 digits', () => {
  for (const [x, expected] of scaledValues) expect(Math.abs(scaledErfc(x) / expected - 1)).toBeLessThan(2e-15)
  expect(scaledErfc(-30)).toBe(Infinity)
})

test('the ends of the line', () => {
  expect([erf(-Infinity), erf(0), erf(Infinity), erf(NaN)]).toEqual([-1, 0, 1, NaN])
  expect([erfc(-Infinity), erfc(Infinity), erfc(NaN), erfc(30)]).toEqual([2, 0, NaN, 0])
  expect([logErfc(-Infinity), logErfc(Infinity), logErfc(NaN)]).toEqual([Math.LN2, -Infinity, NaN])
  expect([expMinusSquare(0), expMinusSquare(1e200), expMinusSquare(NaN)]).toEqual([1, 0, NaN])
})

test('neighbouring pieces meet: erf is odd, and increases across each border', () => {
  for (const border of [0.46875, 4]) {
    const step = border * 2e-16
    const below = erfc(border - 2 * step)
    const above = erfc(border + 2 * step)
    expect(below).toBeGreaterThanOrEqual(above * (1 - 1e-15))
    expect(below / above - 1).toBeLessThan(1e-13)
    expect(erf(-border)).toBe(-erf(border))
  }
})
