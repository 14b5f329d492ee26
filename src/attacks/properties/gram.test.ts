import { describe, expect, test } from 'vitest'
import { rng } from '../../numeric/rng.js'
import { gram, type RowSource } from './gram.js'
import { gramLogistic } from './gram-logistic.js'

const rowsOf = (n: number, z: number): Float32Array => Float32Array.from(rng('rows').normals(n * z))

function sourceOf(data: Float32Array, z: number, blockRows: number): RowSource & { reads: number } {
  const count = data.length / z
  return {
    ...{ count, blockRows, reads: 0 },
    read(start) {
      this.reads++
      const rows = Math.min(blockRows, count - start)
      return { count: rows, length: z, data: data.slice(start * z, (start + rows) * z) }
    },
  }
}

describe('inner products of all pairs', () => {
  test.each([
    [1, 1, 1],
    [2, 3, 2],
    [5, 1030, 5],
    [97, 40, 97],
    [200, 517, 200],
    [200, 517, 64],
    [7, 9, 1],
  ])('%d rows of %d, %d at once', (n, z, blockRows) => {
    const data = rowsOf(n, z)
    const K = gram(sourceOf(data, z, blockRows))
    for (let i = 0; i < n; i += 1 + Math.floor(n / 7)) {
      for (let j = 0; j < n; j++) {
        let sum = 0
        for (let k = 0; k < z; k++) sum += data[i * z + k]! * data[j * z + k]!
        expect(K.data[i * n + j]).toBeCloseTo(sum, 9)
        expect(K.data[j * n + i]).toBe(K.data[i * n + j])
      }
    }
  })

  test('one block is read once; nobody needs none', () => {
    const source = sourceOf(rowsOf(10, 4), 4, 10)
    gram(source)
    expect(source.reads).toBe(1)
    expect(gram(sourceOf(new Float32Array(0), 4, 1)).data.length).toBe(0)
  })
})

describe('logistic regression on inner products', () => {
  const [n, z] = [14, 5]
  const data = rowsOf(n, z)
  const positive = Array.from({ length: n }, (_, i) => data[i * z]! + 0.5 * data[i * z + 1]! + 0.3 > 0)
  const K = gram(sourceOf(data, z, n))

  /** The gradient in a and b of sum log(1 + exp(-y f)) + penalty kappa / 2 |a|^2, f = a . z + b. */
  function gradientAt(a: number[], b: number, weight: number): number[] {
    const g = [...a.map((x) => weight * x), 0]
    for (let i = 0; i < n; i++) {
      const y = positive[i] ? 1 : -1
      const f = a.reduce((sum, x, k) => sum + x * data[i * z + k]!, b)
      const slope = -y / (1 + Math.exp(y * f))
      for (let k = 0; k < z; k++) g[k]! += slope * data[i * z + k]!
      g[z]! += slope
    }
    return g
  }

  test.each([10, 1, 0.1])('is stationary in the space of the examples, penalty %d', (penalty) => {
    const kappa = Array.from({ length: n }, (_, i) => K.data[i * n + i]!).reduce((sum, x) => sum + x / n, 0)
    const { beta, intercept } = gramLogistic(K, positive, [penalty])[0]!
    const a = Array.from({ length: z }, (_, k) => beta.reduce((sum, x, i) => sum + x * data[i * z + k]!, 0))
    for (const g of gradientAt(a, intercept, penalty * kappa)) expect(Math.abs(g)).toBeLessThan(1e-3)
  })

  test('refuses what cannot be told apart', () => {
    expect(() => gramLogistic(K, new Array(n).fill(true), [1])).toThrow(/both classes/)
    expect(() => gramLogistic({ rows: 2, cols: 2, data: new Float64Array(4) }, [true, false], [1])).toThrow(/equal/)
    expect(() => gramLogistic(K, [true], [1])).toThrow(/14 examples/)
  })
})
