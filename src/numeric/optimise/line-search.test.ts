import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Along, strongWolfe } from './line-search.js'

type Line = (step: number) => Along
const at =
  (f: (a: number) => number, df: (a: number) => number): Line =>
  (a) => ({ value: f(a), slope: df(a) })

// [more1994] functions 1, 2 and 5 of the line search paper of Moré and Thuente
const yanai = (b1: number, b2: number): Line => {
  const g = (b: number) => Math.sqrt(1 + b * b) - b
  const part = (a: number, b: number) => Math.sqrt((1 - a) ** 2 + b * b)
  return at(
    (a) => g(b1) * part(a, b2) + g(b2) * Math.sqrt(a * a + b1 * b1),
    (a) => (-g(b1) * (1 - a)) / part(a, b2) + (g(b2) * a) / Math.sqrt(a * a + b1 * b1),
  )
}
const lines: Record<string, Line> = {
  rational: at(
    (a) => -a / (a * a + 2),
    (a) => (a * a - 2) / (a * a + 2) ** 2,
  ),
  quintic: at(
    (a) => (a + 0.004) ** 5 - 2 * (a + 0.004) ** 4,
    (a) => 5 * (a + 0.004) ** 4 - 8 * (a + 0.004) ** 3,
  ),
  'yanai, sharp': yanai(0.01, 0.001),
  parabola: at(
    (a) => (a - 3) ** 2,
    (a) => 2 * (a - 3),
  ),
  wall: at(
    (a) => (a < 2 ? -Math.log(2 - a) - 3 * a : NaN),
    (a) => (a < 2 ? 1 / (2 - a) - 3 : NaN),
  ),
}
const firstSteps = [1e-3, 1e-1, 1, 10, 1e3]

describe.each(Object.entries(lines))('%s', (_name, phi) => {
  test.each(firstSteps)('meets both Wolfe conditions from a first step of %d', (firstStep) => {
    for (const [c1, c2] of [
      [1e-4, 0.9],
      [1e-4, 0.1],
      [1e-3, 1e-2],
    ] as const) {
      const start = phi(0)
      let last = Number.NaN
      const counted: Line = (a) => {
        last = a
        return phi(a)
      }
      const result = strongWolfe(counted, start, { firstStep, sufficientFall: c1, curvature: c2 })
      if (!result.found) throw new Error(result.reason)
      const end = phi(result.step)
      expect(end.value).toBeLessThanOrEqual(start.value + c1 * result.step * start.slope)
      expect(Math.abs(end.slope)).toBeLessThanOrEqual(-c2 * start.slope)
      expect(last).toBe(result.step)
      expect(result.evaluations).toBeLessThanOrEqual(25)
    }
  })
})

test('any quartic with a descent at 0 gets a step that meets both conditions', () => {
  const c = fc.double({ min: -10, max: 10, noNaN: true })
  fc.assert(
    fc.property(
      fc.double({ min: -10, max: -1e-3, noNaN: true }),
      c,
      c,
      fc.double({ min: 1e-3, max: 10, noNaN: true }),
      (p, q, r, s) => {
        const phi = at(
          (a) => 1 + a * (p + a * (q + a * (r + a * s))),
          (a) => p + a * (2 * q + a * (3 * r + a * 4 * s)),
        )
        const result = strongWolfe(phi, phi(0))
        if (!result.found) return false
        const { value, slope } = phi(result.step)
        return value <= 1 + 1e-4 * result.step * p && Math.abs(slope) <= -0.9 * p
      },
    ),
    { numRuns: 2000 },
  )
})

test('a direction that does not descend is refused without a look', () => {
  const never: Line = () => {
    throw new Error('looked')
  }
  for (const slope of [0, 1, Number.NaN]) {
    expect(strongWolfe(never, { value: 1, slope })).toEqual({ found: false, reason: 'not-descent', evaluations: 0 })
  }
})

test('a line that is nowhere finite, and one that lies about its slope, are told apart', () => {
  const lying: Line = (a) => ({ value: a, slope: 1 })
  const broken: Line = () => ({ value: Infinity, slope: NaN })
  expect(strongWolfe(broken, { value: 0, slope: -1 })).toMatchObject({ found: false, reason: 'non-finite' })
  expect(strongWolfe(lying, { value: 0, slope: -1 })).toMatchObject({ found: false, reason: 'exhausted' })
})

test('a line without a bottom ends, and at a lower point', () => {
  const phi = at(
    (a) => -a,
    () => -1,
  )
  const result = strongWolfe(phi, phi(0), { maxEvaluations: 10 })
  expect(result).toMatchObject({ found: true, evaluations: 10 })
  expect(result.found && result.step).toBeGreaterThan(1e4)
})

test('where values are lost in rounding the slopes still lead', () => {
  const phi = at(
    (a) => 1 + 1e-18 * (a - 3) ** 2,
    (a) => 2e-18 * (a - 3),
  )
  expect(phi(1).value).toBe(phi(0).value)
  const result = strongWolfe(phi, phi(0), { curvature: 0.1 })
  expect(result.found && Math.abs(result.step - 3)).toBeLessThanOrEqual(0.3)
})

test('nor does rounding upwards mislead it', () => {
  const phi: Line = (a) => ({ value: a === 0 ? 1 : 1 + 3 * Number.EPSILON, slope: 2e-18 * (a - 3) })
  const result = strongWolfe(phi, phi(0), { curvature: 0.1 })
  expect(result.found && Math.abs(result.step - 3)).toBeLessThanOrEqual(0.3)
})

test('out of evaluations it settles for the lower point, and ends there', () => {
  const asked: number[] = []
  const phi: Line = (a) => {
    asked.push(a)
    return { value: (a - 3) ** 2, slope: 2 * (a - 3) }
  }
  // 2 falls, but is too steep; 8 is too far
  const result = strongWolfe(phi, { value: 9, slope: -6 }, { firstStep: 2, curvature: 0.1, maxEvaluations: 2 })
  expect(result).toEqual({ found: true, step: 2, evaluations: 3 })
  expect(asked).toEqual([2, 8, 2])
})

test('what cannot be meant is refused', () => {
  const phi = lines.parabola!
  expect(() => strongWolfe(phi, phi(0), { sufficientFall: 0.5 })).toThrow('sufficientFall is 0.5')
  expect(() => strongWolfe(phi, phi(0), { curvature: 1e-5 })).toThrow('curvature is 0.00001')
  expect(() => strongWolfe(phi, phi(0), { firstStep: 0 })).toThrow('firstStep is 0')
})

test('unless told, forty places are looked at', () => {
  const endless = at(
    (a) => -a,
    () => -1,
  )
  expect(strongWolfe(endless, endless(0))).toEqual({ found: true, step: 4 ** 39, evaluations: 40 })
})

test('where values are lost in rounding, a slope may rise to what is left of the first by both conditions', () => {
  // 1 at all places; slopes go along a line to `end` times the first at a step of 1.
  const flat =
    (end: number): Line =>
    (a) => ({ value: 1, slope: 1e-18 * ((1 + end) * a - 1) })
  const looks = (end: number) => strongWolfe(flat(end), flat(end)(0), { sufficientFall: 0.4 }).evaluations
  // 1 - 2 * 0.4 = 0.2
  expect([0.19, 0.21].map(looks)).toEqual([1, 2])
  // The secant through both ends of a longer bracket meets a straight line's zero.
  const far: Line = (a) => ({ value: 1, slope: 2e-18 * (a - 3) })
  const found = strongWolfe(far, far(0), { firstStep: 8, curvature: 0.1 })
  expect(found).toEqual({ found: true, step: 3, evaluations: 2 })
})

test('a value that should have fallen by more than rounding, and did not, is a step too long', () => {
  const phi = at(
    (a) => 1 - a + 2 * a * a - a * a * a,
    (a) => -1 + 4 * a - 3 * a * a,
  )
  expect(phi(1)).toEqual({ value: 1, slope: 0 })
  const result = strongWolfe(phi, phi(0))
  expect(result.found && phi(result.step).value).toBeLessThan(1)
})
