import { describe, expect, test } from 'vitest'
import { OverhearError } from '../../errors.js'
import { leastSquares } from '../../numeric/linalg/least-squares.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { singularValues } from '../../numeric/linalg/svd.js'
import { rng } from '../../numeric/random/rng.js'
import {
  inverseErrorCeiling,
  type NoisyMessages,
  reconstructionErrorCeiling,
  reconstructionErrorFloor,
} from './lmra.js'

const base: NoisyMessages = { learningRate: 0.1, gradientVariance: 6, localSteps: 3, messages: 40, curvature: 2 }

/** Messages of a client with Hessian diag(2, 1), optimum (1, -2), regressed as the attack does; server models drawn before. */
function experiment(seed: number) {
  const { learningRate: eta, gradientVariance, localSteps: K, messages: n } = base
  const [d, H, optimum] = [2, [2, 1], [1, -2]]
  const draw = rng(seed).fork('obs')
  const [A, B] = [matrix(n, d + 1), matrix(n, d)]
  for (let r = 0; r < n; r++) {
    const theta = [draw.normal({ std: 2 }), draw.normal({ std: 2 })]
    const local = [...theta]
    for (let k = 0; k < K; k++) {
      for (let j = 0; j < d; j++) {
        const noise = draw.normal({ std: Math.sqrt(gradientVariance / d) })
        local[j]! -= eta * (H[j]! * (local[j]! - optimum[j]!) + noise)
      }
    }
    A.data.set([...theta, -1], r * (d + 1))
    B.data.set(
      theta.map((x, j) => x - local[j]!),
      r * d,
    )
  }
  const { X } = leastSquares(A, B) // rows: W^T, then v^T
  const W = H.map((h) => 1 - (1 - eta * h) ** K)
  const truth = [W[0]!, 0, 0, W[1]!, W[0]! * optimum[0]!, W[1]! * optimum[1]!]
  const coefficientErrorSq = truth.reduce((sum, x, i) => sum + (X.data[i]! - x) ** 2, 0)
  const [a, b, c, e, v0, v1] = X.data as unknown as number[] // W^ = [[a, c], [b, e]]
  const det = a! * e! - b! * c!
  const estimate = [(e! * v0! - c! * v1!) / det, (a! * v1! - b! * v0!) / det]
  const errorSq = (estimate[0]! - optimum[0]!) ** 2 + (estimate[1]! - optimum[1]!) ** 2
  const rho = Math.min(...singularValues(A)) / Math.sqrt(n)
  const inverseNorm = 1 / Math.min(...singularValues(matrix(2, 2, X.data.slice(0, 4))))
  return { coefficientErrorSq, errorSq, rho, inverseNorm }
}
const runs = Array.from({ length: 300 }, (_, seed) => experiment(seed))
const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length

describe('the floor', () => {
  test('lies below what least squares reaches', () => {
    const { value, applies } = reconstructionErrorFloor(base)
    expect(applies).toBe(true)
    expect(mean(runs.map(({ errorSq }) => errorSq))).toBeGreaterThan(value)
  })

  test('by hand: one step, 4 eta^2 sigma^2 / (555 n) * 3/4', () => {
    const { value } = reconstructionErrorFloor({ ...base, localSteps: 1, learningRate: 1, gradientVariance: 555 })
    expect(value).toBeCloseTo(3 / 40, 12)
  })

  test('does not apply to large steps', () => {
    expect(reconstructionErrorFloor({ ...base, learningRate: 0.26 }).applies).toBe(false)
  })
})

describe('the ceiling', () => {
  const bounds = runs.map(({ rho, inverseNorm }) =>
    reconstructionErrorCeiling({
      ...base,
      dimension: 2,
      leastSingularValue: rho,
      inverseNorm,
      optimumNorm: Math.sqrt(5),
      confidence: 0.9,
    }),
  )

  test('lies above the mean error of the coefficients', () => {
    expect(mean(runs.map((run) => run.coefficientErrorSq))).toBeLessThan(
      mean(bounds.map((bound) => bound.coefficientErrorSq)),
    )
  })

  test('lies above the error of the model as often as it says', () => {
    const held = runs.filter((run, i) => Math.sqrt(run.errorSq) < bounds[i]!.value)
    expect(held.length / runs.length).toBeGreaterThanOrEqual(0.9)
  })

  test('by hand', () => {
    const { value, coefficientErrorSq } = reconstructionErrorCeiling({
      learningRate: 0.1,
      gradientVariance: 2,
      localSteps: 5,
      messages: 10,
      curvature: 20,
      dimension: 3,
      leastSingularValue: 0.5,
      inverseNorm: 2,
      optimumNorm: 3,
      confidence: 0.75,
    })
    expect(coefficientErrorSq).toBeCloseTo((4 * 0.01 * 2 * 5) / (10 * 0.25), 12)
    expect(value).toBeCloseTo(2 * Math.sqrt(4 * 0.16) * 4, 12)
  })

  test('needs positive numbers, and a confidence below 1', () => {
    const good = {
      ...{ ...base, dimension: 2, leastSingularValue: 1 },
      ...{ inverseNorm: 1, optimumNorm: 1, confidence: 0.9 },
    }
    expect(reconstructionErrorCeiling(good).value).toBeGreaterThan(0)
    for (const key of Object.keys(good)) {
      const mayBeZero = key === 'gradientVariance' || key === 'optimumNorm'
      for (const wrong of [mayBeZero ? -0.1 : 0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
        expect(() => reconstructionErrorCeiling({ ...good, [key]: wrong }), `${key} ${wrong}`).toThrow(OverhearError)
      }
    }
    expect(reconstructionErrorCeiling({ ...good, gradientVariance: 0, optimumNorm: 0 }).value).toBe(0)
    expect(() => reconstructionErrorCeiling({ ...good, confidence: 1 })).toThrow('a confidence of 1')
    for (const key of Object.keys(base)) {
      expect(() => reconstructionErrorFloor({ ...base, [key]: -1 }), key).toThrow(OverhearError)
    }
  })

  test('falls with the square of the spread of the messages', () => {
    const at = (leastSingularValue: number) =>
      reconstructionErrorCeiling({
        ...base,
        dimension: 2,
        leastSingularValue,
        inverseNorm: 1,
        optimumNorm: 1,
        confidence: 0.5,
      }).coefficientErrorSq
    expect(at(1) / at(2)).toBeCloseTo(4, 12)
  })
})

test.each([
  { ...base, learningRate: 0 },
  { ...base, messages: Number.NaN },
  { ...base, gradientVariance: -1 },
])('refuses %j', (input) => {
  expect(() => reconstructionErrorFloor(input)).toThrow('it is')
})

describe('Theorem 1', () => {
  const inverse = { ...base, dimension: 2, leastEigenvalue: 0.5, leastContraction: 0.25, failure: 0.05 }

  test('by hand: (18) with sigma^2 = 3 a component', () => {
    // d eta sigma / lambda_min(W) = 2 * 0.1 * sqrt(3) / 0.25; K (3 + ln 80) / (40 * 0.5)
    const expected = 0.8 * Math.sqrt(3) * Math.sqrt((3 * (3 + Math.log(80))) / 20)
    expect(inverseErrorCeiling(inverse).value).toBeCloseTo(expected, 12)
  })

  test('says what its proof does not have, and stops at its learning rate', () => {
    expect(inverseErrorCeiling(inverse)).toMatchObject({ applies: true })
    expect(inverseErrorCeiling(inverse).note).toContain('biased however many messages')
    expect(inverseErrorCeiling({ ...inverse, learningRate: 0.51 }).applies).toBe(false)
    expect(() => inverseErrorCeiling({ ...inverse, failure: 1 })).toThrow(OverhearError)
  })
})
