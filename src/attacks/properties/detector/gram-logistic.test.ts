import { describe, expect, test } from 'vitest'
import { engine } from '../../../numeric/engine/engine.js'
import { matrix, multiply, rowOf, transpose } from '../../../numeric/linalg/matrix.js'
import { addScaledInto, dot } from '../../../numeric/linalg/vector.js'
import { rng } from '../../../numeric/random/rng.js'
import { gramLogistic } from './gram-logistic.js'

/** Examples of `d` numbers, those of every third class moved a little. */
function examples(n: number, d: number, moved = 0.7) {
  const Z = matrix(n, d, rng(n).normals(n * d, { std: 3 }))
  const positive = Array.from({ length: n }, (_, k) => k % 3 === 0)
  for (let k = 0; k < n; k++) if (positive[k]) Z.data[k * d]! += moved * 3
  return { Z, positive, K: multiply(Z, transpose(Z)) }
}

describe('the minimum of the penalised loss', () => {
  // 64 rows are a strip: below, at and beyond one and two of them.
  test.each([
    [2, 5],
    [7, 20],
    [63, 80],
    [64, 10],
    [65, 90],
    [130, 150],
  ])('%d examples of %d numbers: nothing pulls at a and b', (n, d) => {
    const { Z, positive, K } = examples(n, d)
    const kappa = Z.data.reduce((sum, x) => sum + x * x, 0) / n
    const before = engine().inUse()
    const fits = gramLogistic(K, positive, [10, 0.1, 0.01])
    expect(engine().inUse()).toBe(before)
    expect(fits.map(({ penalty }) => penalty)).toEqual([10, 0.1, 0.01])
    for (const { beta, intercept, penalty } of fits) {
      expect(beta).toHaveLength(n)
      const a = new Float64Array(d)
      for (let k = 0; k < n; k++) addScaledInto(a, rowOf(Z, k), beta[k]!)
      const pull = a.map((x) => penalty * kappa * x)
      let pullOfB = 0
      for (let k = 0; k < n; k++) {
        const y = positive[k] ? 1 : -1
        const slope = -y / (1 + Math.exp(y * (dot(a, rowOf(Z, k)) + intercept)))
        addScaledInto(pull, rowOf(Z, k), slope)
        pullOfB += slope
      }
      expect(Math.abs(pullOfB)).toBeLessThan(2e-5 * n)
      for (const x of pull) expect(Math.abs(x) / Math.sqrt(kappa)).toBeLessThan(2e-5 * n)
    }
  })

  test('is that of examples of any size: their mean square is taken out of the penalty', () => {
    const { K, positive } = examples(20, 30)
    const [plain] = gramLogistic(K, positive, [0.1])
    const large = matrix(
      20,
      20,
      K.data.map((x) => 1e8 * x),
    )
    const [scaled] = gramLogistic(large, positive, [0.1])
    for (const [k, b] of plain!.beta.entries()) expect(1e8 * scaled!.beta[k]!).toBeCloseTo(b, 9)
    expect(scaled!.intercept).toBeCloseTo(plain!.intercept, 9)
  })
})

test('one class alone and examples that are all equal are refused', () => {
  const { K } = examples(3, 5)
  const both = 'both classes are needed'
  expect(() => gramLogistic(K, [true, true, true], [1])).toThrow(`3 examples, 3 of 3 marks positive; ${both}`)
  expect(() => gramLogistic(K, [false, false, false], [1])).toThrow(`3 examples, 0 of 3 marks positive; ${both}`)
  expect(() => gramLogistic(K, [true, false], [1])).toThrow(`3 examples, 1 of 2 marks positive; ${both}`)
  expect(() => gramLogistic(matrix(1, 1, Float64Array.of(3)), [true], [1])).toThrow(both)
  expect(() => gramLogistic(matrix(0, 0), [], [1])).toThrow(both)
  expect(() => gramLogistic(matrix(2, 2), [true, false], [1])).toThrow('they cannot be told apart')
})
