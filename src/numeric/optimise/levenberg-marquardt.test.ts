import { describe, expect, test } from 'vitest'
import { matrix, matrixOf } from '../linalg/matrix.js'
import { levenbergMarquardt, type SquaresProblem } from './levenberg-marquardt.js'

// NIST StRD, nonlinear regression, Misra1a: y = b1 (1 − exp(−b2 x)), with its certified answer
const misra1a = {
  x: [77.6, 114.9, 141.1, 190.8, 239.9, 289, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760],
  y: [10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.4, 75.47, 81.78],
  certified: [2.3894212918e2, 5.5015643181e-4],
  squares: 1.2455138894e-1,
}
const misra: SquaresProblem = {
  residual: ([a, b]) => Float64Array.from(misra1a.x, (x, i) => a! * (1 - Math.exp(-b! * x)) - misra1a.y[i]!),
  jacobian: ([a, b]) => matrixOf(misra1a.x.map((x) => [1 - Math.exp(-b! * x), a! * x * Math.exp(-b! * x)])),
}
const stop = { maxIterations: 200, gradientTolerance: 1e-9 }

describe('a curve fit', () => {
  test.each([
    [500, 1e-4],
    [250, 5e-4],
  ])('reaches the certified answer from start (%d, %d)', (a, b) => {
    const found = levenbergMarquardt(misra, Float64Array.of(a, b), { maxIterations: 200 })
    for (const [j, certified] of misra1a.certified.entries()) expect(found.x[j]! / certified).toBeCloseTo(1, 9)
    expect((2 * found.value) / misra1a.squares).toBeCloseTo(1, 9)
    expect(found.iterations).toBeLessThan(40)
    expect([...found.residual]).toEqual([...misra.residual(found.x)])
  })

  test('Rosenbrock as a sum of squares', () => {
    const rosenbrock: SquaresProblem = {
      residual: ([a, b]) => Float64Array.of(10 * (b! - a! * a!), 1 - a!),
      jacobian: ([a]) =>
        matrixOf([
          [-20 * a!, 10],
          [-1, 0],
        ]),
    }
    const found = levenbergMarquardt(rosenbrock, Float64Array.of(-1.2, 1), stop)
    expect(found.reason).toBe('gradient')
    expect([...found.x]).toEqual([expect.closeTo(1, 8), expect.closeTo(1, 8)])
    expect(found.iterations).toBeLessThan(40)
  })
})

describe('without full rank', () => {
  const t = [0, 0.5, 1, 1.5, 2, 2.5]

  test('two factors of which only the product can be told', () => {
    const problem: SquaresProblem = {
      residual: ([a, b]) => Float64Array.from(t, (ti) => a! * b! * ti - 6 * ti),
      jacobian: ([a, b]) => matrixOf(t.map((ti) => [b! * ti, a! * ti])),
    }
    const found = levenbergMarquardt(problem, Float64Array.of(1, 1), stop)
    expect(found.reason).toBe('gradient')
    expect(found.x[0]! * found.x[1]!).toBeCloseTo(6, 9)
  })

  test('a parameter that nothing depends on stays where it was', () => {
    const problem: SquaresProblem = {
      residual: ([a]) => Float64Array.from(t, (ti) => Math.exp(a! * ti) - Math.exp(-0.7 * ti)),
      jacobian: ([a]) => matrixOf(t.map((ti) => [ti * Math.exp(a! * ti), 0])),
    }
    const found = levenbergMarquardt(problem, Float64Array.of(0.3, 42), stop)
    expect(found.reason).toBe('gradient')
    expect(found.x[0]).toBeCloseTo(-0.7, 8)
    expect(found.x[1]).toBe(42)
  })

  test('fewer residuals than parameters', () => {
    const problem: SquaresProblem = {
      residual: ([a, b, c]) => Float64Array.of(a! * a! + b! + c! - 3),
      jacobian: ([a]) => matrixOf([[2 * a!, 1, 1]]),
    }
    const found = levenbergMarquardt(problem, Float64Array.of(2, 1, 1), stop)
    expect(found.reason).toBe('gradient')
    expect(Math.abs(found.residual[0]!)).toBeLessThan(1e-9)
  })

  test('columns that are nearly the same, where normal equations would lose every digit', () => {
    // J = [[1, 1], [1e-9, 0], [0, 1e-9]] (Läuchli): JᵀJ is singular in doubles. Exact solution (1, 2).
    const J = matrixOf([
      [1, 1],
      [1e-9, 0],
      [0, 1e-9],
    ])
    const problem: SquaresProblem = {
      residual: ([a, b]) => Float64Array.of(a! - 1 + (b! - 2), 1e-9 * (a! - 1), 1e-9 * (b! - 2)),
      jacobian: () => J,
    }
    const found = levenbergMarquardt(problem, Float64Array.of(5, -7), { maxIterations: 500, damping: 1e-12 })
    expect([...found.x]).toEqual([expect.closeTo(1, 5), expect.closeTo(2, 5)])
  })
})

test('the optimum, no parameters and no residuals end at once', () => {
  const linear = (m: number, n: number): SquaresProblem => ({
    residual: (x) => Float64Array.from({ length: m }, (_, i) => x[i] ?? 0),
    jacobian: () =>
      matrix(
        m,
        n,
        Float64Array.from({ length: m * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0)),
      ),
  })
  for (const [m, n] of [
    [2, 2],
    [2, 0],
    [0, 2],
  ] as const) {
    const found = levenbergMarquardt(linear(m, n), new Float64Array(n), stop)
    expect(found).toMatchObject({ reason: 'gradient', iterations: 0, value: 0 })
  }
  // also without any tolerance: there is nowhere to go
  expect(levenbergMarquardt(linear(2, 2), new Float64Array(2), { maxIterations: 5 }).reason).toBe('gradient')
})

test('backs off from where the residual has no value, and says when there is no other place', () => {
  const root: SquaresProblem = {
    residual: ([a]) => Float64Array.of(Math.sqrt(a!) - 0.1),
    jacobian: ([a]) => matrixOf([[0.5 / Math.sqrt(a!)]]),
  }
  // the undamped step from 4 is to −3.6
  const found = levenbergMarquardt(root, Float64Array.of(4), { ...stop, damping: 1e-9 })
  expect(found.reason).toBe('gradient')
  expect(found.x[0]).toBeCloseTo(0.01, 9)
  const island: SquaresProblem = {
    residual: ([a]) => Float64Array.of(a === 4 ? 1 : NaN),
    jacobian: () => matrixOf([[1]]),
  }
  expect(levenbergMarquardt(island, Float64Array.of(4), stop)).toMatchObject({ reason: 'non-finite', value: 0.5 })
  const abyss: SquaresProblem = { residual: () => Float64Array.of(NaN), jacobian: () => matrixOf([[1]]) }
  expect(levenbergMarquardt(abyss, Float64Array.of(4), stop)).toMatchObject({ reason: 'non-finite', iterations: 0 })
})

test('what cannot be meant is refused', () => {
  expect(() => levenbergMarquardt(misra, Float64Array.of(1, 1), { ...stop, damping: 0 })).toThrow('damping is 0')
  expect(() => levenbergMarquardt(misra, Float64Array.of(1, 1, 1), stop)).toThrow(
    'the Jacobian is 14 x 2; it must be 14 x 3: residuals by parameters',
  )
})
