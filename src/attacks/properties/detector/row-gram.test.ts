import { describe, expect, test } from 'vitest'
import { engine } from '../../../numeric/engine/engine.js'
import { rng } from '../../../numeric/random/rng.js'
import { gramLogistic } from './gram-logistic.js'
import { gram, weightedRows } from './row-gram.js'
import { type TrainingRows, trainingRows } from './training-rows.js'

const rowsOf = (n: number, z: number): Float32Array => Float32Array.from(rng('rows').normals(n * z))

/** Rows with their own moments taken off, some of them at once, and how often rows were made. */
function sourceOf(data: Float32Array, z: number, blockRows: number): TrainingRows & { readonly made: () => number } {
  const count = data.length / z
  let made = 0
  const update = (k: number): Float64Array => {
    made++
    return Float64Array.from(data.subarray(k * z, (k + 1) * z))
  }
  const rows = trainingRows(update, { count, floor: 0.1, maxBytes: 4 * z * blockRows })
  return { ...rows, made: () => made }
}

/** What is meant by row i. */
const standardised = (data: Float32Array, { mean, scale, length: z }: TrainingRows, i: number): Float64Array =>
  mean.map((m, j) => Math.fround((data[i * z + j]! - m) / scale[j]!))

describe('inner products of all pairs', () => {
  test.each([
    [2, 3, 2],
    [5, 1030, 5],
    [97, 40, 97],
    [200, 517, 200],
    [200, 517, 64],
    [7, 9, 2],
    [9, 5, 3],
  ])('%d rows of %d, %d at once', (n, z, blockRows) => {
    const data = rowsOf(n, z)
    const source = sourceOf(data, z, blockRows)
    const K = gram(source)
    const rows = Array.from({ length: n }, (_, i) => standardised(data, source, i))
    for (let i = 0; i < n; i += 1 + Math.floor(n / 7)) {
      for (let j = 0; j < n; j++) {
        let sum = 0
        for (let k = 0; k < z; k++) sum += rows[i]![k]! * rows[j]![k]!
        expect(K.data[i * n + j]).toBe(sum)
        expect(K.data[j * n + i]).toBe(sum)
      }
    }
    const beta = [rng('beta').normals(n), new Float64Array(n)]
    const [sums, none] = weightedRows(source, beta)
    for (let j = 0; j < z; j += 1 + Math.floor(z / 9)) {
      const expected = beta[0]!.reduce((sum, b, k) => sum + b * (data[k * z + j]! - source.mean[j]!), 0)
      expect(sums![j]).toBe(expected)
    }
    expect(none).toEqual(new Float64Array(z))
    source.release()
  })

  test('one block is made once; of several, no more than two are kept', () => {
    const data = rowsOf(12, 4)
    const [whole, cut] = [sourceOf(data, 4, 12), sourceOf(data, 4, 4)]
    expect(gram(whole).data.length).toBe(144)
    expect(whole.made()).toBe(12)
    gram(cut)
    // Blocks 0; 1, with 0 still there; 2, with 0 still there, and 1 anew.
    expect(cut.made()).toBe(16)
  })

  test('all memory is given back', () => {
    const before = engine().inUse()
    const source = sourceOf(rowsOf(12, 7), 7, 4)
    gram(source)
    weightedRows(source, [new Float64Array(12)])
    source.release()
    expect(engine().inUse()).toBe(before)
  })
})

describe('logistic regression on inner products', () => {
  const [n, z] = [14, 5]
  const raw = rowsOf(n, z)
  const source = sourceOf(raw, z, n)
  const data = Array.from({ length: n }, (_, i) => [...standardised(raw, source, i)]).flat()
  const positive = Array.from({ length: n }, (_, i) => data[i * z]! + 0.5 * data[i * z + 1]! + 0.3 > 0)
  const K = gram(source)

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

  test('more examples than a strip, and no multiple of it: as the gradient in all coordinates says', () => {
    const [n, z] = [150, 9]
    const data = rowsOf(n, z)
    const source = sourceOf(data, z, n)
    const K = gram(source)
    const draws = rng('noise').normals(n)
    const positive = Array.from({ length: n }, (_, i) => data[i * z]! + draws[i]! > 0)
    const before = engine().inUse()
    const { beta, intercept } = gramLogistic(K, positive, [1, 0.1])[1]!
    expect(engine().inUse()).toBe(before)
    // Stationary in the space of the examples: penalty kappa beta_k = y_k sigmoid(-y_k f_k), and the slopes sum to 0.
    const trace = Array.from({ length: n }, (_, i) => K.data[i * n + i]!).reduce((sum, x) => sum + x / n, 0)
    let total = 0
    const g = new Float64Array(n)
    for (let i = 0; i < n; i++) {
      const y = positive[i] ? 1 : -1
      const f = beta.reduce((sum, b, k) => sum + b * K.data[i * n + k]!, intercept)
      const slope = -y / (1 + Math.exp(y * f))
      total += slope
      for (let k = 0; k < n; k++) g[k]! += K.data[i * n + k]! * (slope + 0.1 * trace * beta[i]!)
    }
    expect(Math.abs(total)).toBeLessThan(1e-2)
    for (const x of g) expect(Math.abs(x) / trace).toBeLessThan(1e-2)
  })

  test('refuses what cannot be told apart', () => {
    expect(() => gramLogistic(K, new Array(n).fill(true), [1])).toThrow(/both classes/)
    expect(() => gramLogistic({ rows: 2, cols: 2, data: new Float64Array(4) }, [true, false], [1])).toThrow(/equal/)
    expect(() => gramLogistic(K, [true], [1])).toThrow(/14 examples/)
  })
})
