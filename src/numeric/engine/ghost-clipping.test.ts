import { describe, expect, test } from 'vitest'
import { rng } from '../random/rng.js'
import { gradient } from './derive.js'
import { clippedGradient } from './ghost-clipping.js'
import { type Node, sizeOf } from './graph.js'
import { interpret } from './reference.js'
import * as t from './trace.js'
import * as image from './trace-image.js'

/** A loss that is the mean over the rows of X, traced for so many of them. */
type Traced = (theta: Node, X: Node) => Node

const squared = (z: Node): Node => t.scale(t.dot(z, z), 1 / z.rows)
const geometry = { channels: 1, height: 4, width: 3, filters: 2, kernel: 2, stride: 1, padding: 0 }

const models: Readonly<Record<string, { d: number; inputs: number; loss: Traced }>> = {
  'a product and a bias, and another': {
    d: 3 * 4 + 4 + 4 * 2 + 2,
    inputs: 3,
    loss: (theta, X) => {
      const W = t.slice(theta, 0, { rows: 4, cols: 3 })
      const hidden = t.tanh(t.add(t.matmul(X, W, 'nt'), t.slice(theta, 12, { rows: 1, cols: 4 })))
      const z = t.matmul(hidden, t.slice(theta, 16, { rows: 2, cols: 4 }), 'nt')
      return squared(t.add(z, t.slice(theta, 24, { rows: 1, cols: 2 })))
    },
  },
  'slices in another order than they are used in': {
    d: 3 + 6,
    inputs: 3,
    loss: (theta, X) => {
      const W = t.slice(theta, 0, { rows: 2, cols: 3 })
      const scaled = t.add(X, t.slice(theta, 6, { rows: 1, cols: 3 }))
      return squared(t.matmul(t.sigmoid(scaled), W, 'nt'))
    },
  },
  'a convolution with a bias for each channel': {
    d: 2 * 4 + 2,
    inputs: 12,
    loss: (theta, X) => {
      const z = image.conv(X, t.slice(theta, 0, { rows: 2, cols: 4 }), geometry)
      return squared(t.tanh(image.addChannelBias(z, t.slice(theta, 8, { rows: 1, cols: 2 }))))
    },
  },
}

/** Each record's own gradient, by differentiating its loss alone. */
function gradients({ d, inputs, loss }: (typeof models)[string], theta: Float64Array, X: Float64Array): Float64Array[] {
  return Array.from({ length: X.length / inputs }, (_, i) => {
    const [params, x] = [t.input('theta', { rows: 1, cols: d }), t.input('X', { rows: 1, cols: inputs })]
    const [grad] = interpret(gradient(loss(params, x), [params]), { theta, X: X.slice(i * inputs, (i + 1) * inputs) })
    return Float64Array.from(grad!)
  })
}

describe.each(Object.entries(models))('%s', (_, model) => {
  const theta = rng('theta').normals(model.d)
  test.each([
    [4, false],
    [4, true],
    [1, false],
  ])('%d records (weighted: %s): each clipped by itself, then the mean', (n, weighted) => {
    // biome-ignore format: a line
    const X = rng('X').normals(n * model.inputs)
    const each = gradients(model, theta, X)
    const lengths = each.map((g) => Math.sqrt(g.reduce((sum, x) => sum + x * x, 0)))
    const bound = n === 1 ? 0.7 * lengths[0]! : lengths.toSorted((a, b) => a - b)[1]! * 1.1 // some are longer
    const weights = Float64Array.from({ length: n }, (_, i) => (i === 1 ? 0 : 1 + i))
    const [params, x, C, w] = [t.input('theta', { rows: 1, cols: model.d }), t.input('X', { rows: n, cols: model.inputs }), t.input('C', { rows: 1, cols: 1 }), t.input('w', { rows: n, cols: 1 })] // biome-ignore format: a list
    const found = clippedGradient(model.loss(params, x), params, { maxNorm: C, records: n, ...(weighted && { weights: w }) }) // biome-ignore format: a line
    expect(found.norms.label).toBe('gradient norms')
    const [norms, grad] = interpret([found.norms, found.grad], { theta, X, C: Float64Array.of(bound), w: weights })
    expect(norms).toHaveLength(n)
    for (const [i, length] of lengths.entries()) expect(norms![i]! / length).toBeCloseTo(1, 11)
    const wanted = new Float64Array(model.d)
    for (const [i, g] of each.entries()) {
      const share = (Math.min(1, bound / lengths[i]!) * (weighted ? weights[i]! : 1)) / n
      for (let j = 0; j < model.d; j++) wanted[j]! += share * g[j]!
    }
    expect(sizeOf(found.grad)).toBe(model.d)
    for (const [j, x] of wanted.entries()) expect(grad![j]).toBeCloseTo(x, 11)
  })
})

test('a record without a gradient is not divided by its norm', () => {
  const [theta, X, C] = [t.input('theta', { rows: 1, cols: 3 }), t.input('X', { rows: 2, cols: 2 }), t.input('C', { rows: 1, cols: 1 })] // biome-ignore format: a list
  const z = t.add(t.matmul(X, t.slice(theta, 0, { rows: 1, cols: 2 }), 'nt'), t.slice(theta, 2, { rows: 1, cols: 1 }))
  const { norms, grad } = clippedGradient(squared(z), theta, { maxNorm: C, records: 2 })
  const values = interpret([norms, grad], { theta: Float64Array.of(1, 1, 0), X: Float64Array.of(0, 0, 3, 4), C: Float64Array.of(2) }) // biome-ignore format: a line
  // 2 * 7 * (3, 4, 1), cut to a length of 2, and half of it.
  const root = Math.sqrt(26)
  expect(values[0]![0]).toBe(0)
  expect(values[0]![1]).toBeCloseTo(14 * root, 12)
  for (const [j, x] of [3, 4, 1].entries()) expect(values[1]![j]).toBeCloseTo(x / root, 14)
})

describe('what cannot be clipped is named', () => {
  const theta = t.input('theta', { rows: 1, cols: 4 })
  const X = t.input('X', { rows: 3, cols: 2 })
  const C = t.input('C', { rows: 1, cols: 1 })
  const refused = (loss: Node) => expect(() => clippedGradient(loss, theta, { maxNorm: C, records: 3 }))
  const part = (from: number) => t.named(`part ${from}`, t.slice(theta, from, { rows: 1, cols: 2 }))
  test('a parameter that is used twice, or in a way of its own', () => {
    const W = part(0)
    const both = t.add(t.matmul(X, W, 'nt'), t.matmul(t.tanh(X), W, 'nt'))
    refused(squared(both)).toThrow('per-example norms: parameter "part 0" cannot be handled, it is used 2 times; each parameter must be used once, as a weight or a bias') // biome-ignore format: a line
    refused(squared(t.matmul(X, t.exp(part(2)), 'nt'))).toThrow('parameter "part 2" cannot be handled, it enters through exp') // biome-ignore format: a line
    refused(squared(t.matmul(t.matmul(X, t.slice(theta, 0, { rows: 2, cols: 2 }), 'nn'), part(2), 'nt'))).toThrow('it enters through matmul') // biome-ignore format: a line
    refused(squared(t.matmul(t.slice(theta, 0, { rows: 3, cols: 1 }), X, 'tn'))).toThrow('it enters through matmul')
    refused(squared(t.tanh(theta))).toThrow('parameter cannot be handled, it is used 2 times')
  })
  test('a function of a parameter, with a single record as with several', () => {
    const one = t.input('x', { rows: 1, cols: 2 })
    const loss = squared(t.matmul(one, t.exp(part(0)), 'nt'))
    expect(() => clippedGradient(loss, theta, { maxNorm: C, records: 1 })).toThrow('it enters through exp')
  })
  test('parameters that are not used at all', () => {
    refused(squared(t.matmul(X, part(0), 'nt'))).toThrow('parameter "theta" cannot be handled, its slices cover 2 of 4 values') // biome-ignore format: a line
  })
})
