import { describe, expect, test } from 'vitest'
import { anderson, fixedPoint } from './anderson.js'
import { sgd } from './sgd.js'

/** x ↦ Q D Q x + b, Q a reflection, D from 0 to `radius`: a contraction with that rate. */
function affine(n: number, radius: number): (x: Float64Array) => Float64Array {
  const w = Float64Array.from({ length: n }, (_, i) => Math.cos(2 * i + 1))
  const ww = w.reduce((sum, a) => sum + a * a, 0)
  const reflect = (v: Float64Array) => {
    const d = v.reduce((sum, a, i) => sum + a * w[i]!, 0)
    return v.map((a, i) => a - ((2 * d) / ww) * w[i]!)
  }
  return (x) => reflect(reflect(x).map((a, i) => (a * radius * i) / Math.max(n - 1, 1))).map((a, i) => a + Math.sin(i))
}

const stop = { maxIterations: 10_000, gradientTolerance: 1e-10 }

describe('on a linear map', () => {
  const map = affine(50, 0.99)
  const start = new Float64Array(50)
  const plain = fixedPoint(sgd({ learningRate: 1 }), map, start, stop)

  test.each([5, 10, 20])('a memory of %i needs less than a fifth of the plain iterations', (memory) => {
    const found = fixedPoint(anderson({ memory }), map, start, stop)
    expect(found.reason).toBe('gradient')
    expect(plain.reason).toBe('gradient')
    expect(5 * found.iterations).toBeLessThan(plain.iterations)
    // ‖x − x*‖ ≤ ‖x − g(x)‖ / (1 − 0.99)
    for (const [j, xj] of map(found.x).entries()) expect(Math.abs(found.x[j]! - xj)).toBeLessThanOrEqual(1e-10)
  })

  test('a memory as long as the space ends after about as many steps, like GMRES', () => {
    expect(fixedPoint(anderson({ memory: 50 }), map, start, stop).iterations).toBeLessThanOrEqual(51)
  })

  test('no memory is the plain iteration to the bit', () => {
    expect(fixedPoint(anderson({ memory: 0 }), map, start, { maxIterations: 60 })).toEqual(
      fixedPoint(sgd({ learningRate: 1 }), map, start, { maxIterations: 60 }),
    )
  })

  test('a divergent map is tamed', () => {
    const expanding = affine(10, -1.5)
    expect(fixedPoint(sgd({ learningRate: 1 }), expanding, new Float64Array(10), stop).reason).toBe('non-finite')
    expect(fixedPoint(anderson({ memory: 10 }), expanding, new Float64Array(10), stop).reason).toBe('gradient')
  })

  test.each([0.5, 0.9])('damping %d and a heavier regularisation still arrive', (damping) => {
    expect(fixedPoint(anderson({ damping, regularisation: 1e-8 }), map, start, stop).reason).toBe('gradient')
  })
})

test('one dimension: one difference is the secant method', () => {
  const found = fixedPoint(anderson({ memory: 1, regularisation: 0 }), (x) => x.map(Math.cos), Float64Array.of(1), stop)
  expect(found.iterations).toBeLessThanOrEqual(7)
  expect(found.x[0]).toBeCloseTo(0.7390851332151607, 10) // the Dottie number, OEIS A003957
})

test('two steps by hand', () => {
  // g(x) = x / 2 + 1: f(0) = 1; x = 1, f = 1/2; Δx = 1, Δf = −1/2, γ = −1, x = 1 + 1/2 + (1 − 1/2) = 2
  const method = anderson({ memory: 3, regularisation: 0 })
  const x = Float64Array.of(0)
  const state = method.init(1)
  method.stepInto(x, Float64Array.of(-1), state)
  expect(x[0]).toBe(1)
  method.stepInto(x, Float64Array.of(-0.5), state)
  expect(x[0]).toBeCloseTo(2, 14)
})

test('and damped', () => {
  // f(0) = 1; x = 1/2, f = 3/4; Δx = 1/2, Δf = −1/4, γ = −3, x = 1/2 + 3/8 + 3 (1/2 − 1/8) = 2
  const method = anderson({ memory: 3, regularisation: 0, damping: 0.5 })
  const x = Float64Array.of(0)
  const state = method.init(1)
  method.stepInto(x, Float64Array.of(-1), state)
  expect(x[0]).toBe(0.5)
  method.stepInto(x, Float64Array.of(-0.75), state)
  expect(x[0]).toBeCloseTo(2, 14)
})

test('a map that moves everything by the same amount has no fixed point, and the walk says so', () => {
  const found = fixedPoint(anderson(), (x) => x.map((a) => a + 1), Float64Array.of(0, 0), { maxIterations: 10 })
  expect(found).toMatchObject({ reason: 'iterations', iterations: 10 })
  expect([...found.x]).toEqual([10, 10]) // residuals never change, so nothing is combined
})

test.each([0, 1])('the fixed point itself, and %i dimensions', (n) => {
  const found = fixedPoint(anderson(), (x) => x.slice(), new Float64Array(n).fill(2), stop)
  expect(found).toMatchObject({ reason: 'gradient', iterations: 0, value: 0 })
})

test('linearly dependent differences do no harm', () => {
  // All motion is along one line, and the memory asks for five directions.
  const found = fixedPoint(anderson({ memory: 5 }), (x) => x.map((a) => 0.9 * a + 1), new Float64Array(3), stop)
  expect(found.reason).toBe('gradient')
  for (const xj of found.x) expect(xj).toBeCloseTo(10, 8)
})

test('a vector as long as a small network is no hardship', () => {
  const n = 20_000
  const map = (x: Float64Array) => x.map((a, j) => ((j % 7) / 7) * a + 1)
  const found = fixedPoint(anderson({ memory: 8 }), map, new Float64Array(n), stop)
  expect(found.reason).toBe('gradient')
  expect(found.iterations).toBeLessThan(12) // seven eigenvalues
})

test('what cannot be meant is refused', () => {
  expect(() => anderson({ memory: 0.5 })).toThrow('memory is 0.5')
  expect(() => anderson({ damping: 0 })).toThrow('damping is 0; it must be finite, above 0, at most 1')
  expect(() => anderson({ regularisation: -1 })).toThrow('regularisation is -1')
  expect(() => fixedPoint(anderson(), () => new Float64Array(1), new Float64Array(2), stop)).toThrow(
    'the map sends 2 entries to 1',
  )
})
