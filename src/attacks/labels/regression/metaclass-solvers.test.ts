import { describe, expect, test } from 'vitest'
import { randomMatrix } from '../../../../test/linalg-checks.js'
import { describeWithShared, vector } from '../../../../test/shared.js'
import { matrix, matrixOf } from '../../../numeric/linalg/matrix.js'
import { multiplyVector } from '../../../numeric/linalg/matrix-vector.js'
import { diagonalise, tikhonovSolution } from '../../../numeric/linalg/tikhonov.js'
import { curveShown, rules, type SolverOptions, scalings, solveSystem } from './metaclass-solvers.js'

const options: SolverOptions = {
  solver: 'pinv',
  rule: 'slope-nm',
  rank: 0,
  scaling: 'none',
  noise: new Float64Array(0),
}

describeWithShared('vector e', () => {
  interface Case {
    name: string
    A: number[][]
    b: number[]
    x_pinv: number[]
    singular_values: number[]
    tikhonov: { beta: number; x: number[] }[]
  }
  test.each(vector<{ cases: Case[] }>('e').cases)('$name', ({ A, b, x_pinv, singular_values, tikhonov }) => {
    const [M, right] = [matrixOf(A), Float64Array.from(b)]
    const size = Math.max(...x_pinv.map(Math.abs))
    const solved = solveSystem(M, right, { ...options, noise: new Float64Array(b.length) })
    for (const [j, x] of x_pinv.entries()) expect(Math.abs(solved.x[j]! - x)).toBeLessThan(1e-8 * size)
    const above = singular_values.filter((s) => s > 1e-12)
    expect(solved.condition! / (above[0]! / above.at(-1)!)).toBeCloseTo(1, 6)
    expect(solved.freedom).toBe(above.length)
    // The solver's own choice is one of the filtered solutions: plus beta, sigma / (sigma^2 + beta).
    for (const rule of rules) {
      const chosen = solveSystem(M, right, {
        ...options,
        solver: 'tikhonov',
        rule,
        noise: new Float64Array(b.length).fill(0.1),
      })
      const same = tikhonovSolution(diagonalise(M, right), chosen.beta)
      for (const [j, x] of same.entries()) expect(chosen.x[j]).toBeCloseTo(x, 12)
    }
    for (const { beta, x } of tikhonov) {
      const filtered = tikhonovSolution(diagonalise(M, right), beta)
      const scale = Math.max(1, ...x.map(Math.abs))
      for (const [j, value] of x.entries()) expect(Math.abs(filtered[j]! - value) / scale).toBeLessThan(1e-8)
    }
  })
})

describe('scaling', () => {
  const A = randomMatrix({ rows: 9, cols: 4 }, 3)
  const truth = Float64Array.of(1, -2, 0.5, 3)
  const noise = new Float64Array(9)

  test.each(scalings)('%s: a system that holds exactly has one solution', (scaling) => {
    const solved = solveSystem(A, multiplyVector(A, truth), { ...options, scaling, noise })
    for (const [j, x] of truth.entries()) expect(solved.x[j]).toBeCloseTo(x, 10)
    expect(solved.misfit).toBeLessThan(1e-10)
  })

  test('columns in other units no longer hurt', () => {
    const B = matrix(
      9,
      4,
      A.data.map((x, at) => (at % 4 === 2 ? 1e-7 * x : x)),
    )
    const b = multiplyVector(B, truth)
    const plain = solveSystem(B, b, { ...options, noise })
    const scaled = solveSystem(B, b, { ...options, scaling: 'columns', noise })
    expect(plain.condition!).toBeGreaterThan(1e6)
    expect(scaled.condition!).toBeLessThan(100)
    expect(scaled.x[2]).toBeCloseTo(0.5, 6)
  })

  test('rows and columns of zeros stay', () => {
    const B = matrix(3, 2, Float64Array.of(1, 0, 0, 0, 2, 0))
    const solved = solveSystem(B, Float64Array.of(3, 5, 6), { ...options, scaling: 'both', noise: new Float64Array(3) })
    expect(solved.x[0]).toBeCloseTo(3, 12)
    expect(solved.x[1]).toBe(0)
    expect(solved.warnings).toHaveLength(1)
  })
})

describe('choices', () => {
  const noise = new Float64Array(6).fill(0.01)
  const A = matrixOf([
    [1, 1],
    [1, 1.001],
    [2, 2],
    [0, 0.001],
    [1, 1],
    [3, 3],
  ])
  const b = Float64Array.of(1, 1.1, 2.05, 0.1, 0.95, 3.1)

  test('tsvd keeps as many singular values as it was told, and one where cross-validation wants so', () => {
    expect(solveSystem(A, b, { ...options, solver: 'tsvd', rank: 2, noise }).freedom).toBe(2)
    expect(solveSystem(A, b, { ...options, solver: 'tsvd', rank: 9, noise }).freedom).toBe(2)
    expect(solveSystem(A, b, { ...options, solver: 'tsvd', rank: 1, noise }).freedom).toBe(1)
    expect([1, 2]).toContain(solveSystem(A, b, { ...options, solver: 'tsvd', noise }).freedom)
  })

  test('discrepancy takes the largest beta whose misfit is within the noise', () => {
    const loose = solveSystem(A, b, { ...options, solver: 'tikhonov', rule: 'discrepancy', noise })
    expect(loose.misfit ** 2).toBeLessThanOrEqual(0.06)
    const tight = solveSystem(A, b, {
      ...options,
      solver: 'tikhonov',
      rule: 'discrepancy',
      noise: noise.map((v) => v / 100),
    })
    expect(tight.beta).toBeLessThan(loose.beta)
  })

  test.each(scalings)(
    'scaling %s: a penalty on the spread draws unknowns together, one on their size to zero',
    (scaling) => {
      const far = randomMatrix({ rows: 12, cols: 4 }, 5)
      const near = multiplyVector(far, Float64Array.of(9.9, 10, 10.1, 10)).map((x, i) => x + (i % 2 === 0 ? 2 : -2))
      const loud = {
        ...options,
        solver: 'tikhonov',
        rule: 'discrepancy',
        scaling,
        noise: new Float64Array(12).fill(9),
      } as const
      const spreadOf = (x: Float64Array): number => Math.max(...x) - Math.min(...x)
      const [size, spread] = [solveSystem(far, near, loud), solveSystem(far, near, { ...loud, penalty: 'spread' })]
      expect(spreadOf(spread.x)).toBeLessThan(spreadOf(size.x))
      for (const x of spread.x) expect(Math.abs(x - 10)).toBeLessThan(0.6)
      expect(spread.freedom).toBeGreaterThanOrEqual(1)
      const exact = multiplyVector(far, Float64Array.of(3, 3, 3, 3))
      const alike = solveSystem(far, exact, { ...loud, penalty: 'spread' })
      for (const x of alike.x) expect(x).toBeCloseTo(3, 8)
    },
  )

  test('a right-hand side of zeros, and one metaclass whose equations hold exactly', () => {
    for (const solver of ['pinv', 'tsvd', 'tikhonov'] as const) {
      expect([...solveSystem(A, new Float64Array(6), { ...options, solver, noise }).x]).toEqual([0, 0])
      for (const rule of rules) {
        const one = matrixOf([[2], [4]])
        const { x } = solveSystem(one, Float64Array.of(1, 2), { ...options, solver, rule, noise: new Float64Array(2) })
        expect(x[0]).toBeCloseTo(0.5, 6)
      }
    }
  })
})

test('shows the L-curve of what it solved, with the point that its rule chose', () => {
  const A = randomMatrix({ rows: 9, cols: 4 }, 3)
  const b = multiplyVector(A, Float64Array.of(1, -2, 0.5, 3)).map((x, i) => x + 0.1 * (i % 3))
  const noise = new Float64Array(9)
  const solved = solveSystem(A, b, { ...options, solver: 'tikhonov', rule: 'gcv', noise })
  const { points, chosen, rule } = solved.lCurve!
  expect(rule).toBe('gcv')
  expect(points.length).toBeGreaterThan(20)
  // More regularisation: further from the messages, and smaller.
  for (const [k, one] of points.entries()) {
    if (k === 0) continue
    expect(one.misfit).toBeGreaterThanOrEqual(points[k - 1]!.misfit)
    expect(one.size).toBeLessThanOrEqual(points[k - 1]!.size)
  }
  expect(chosen!.beta / solved.beta).toBeCloseTo(1, 4)
  expect(chosen!.misfit / solved.misfit).toBeCloseTo(1, 4)
  expect(chosen!.size / Math.hypot(...solved.x)).toBeCloseTo(1, 4)
  // One that chose otherwise shows the curve of the same system.
  expect(curveShown({ A, b }, { solver: 'blup' }).workings!.lCurve).toEqual({ points, chosen: null, rule: 'blup' })
  expect(curveShown({ A, b }, { solver: 'tikhonov', solved }).workings!.lCurve).toBe(solved.lCurve)
})
