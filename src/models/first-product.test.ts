import { expect, test } from 'vitest'
import * as t from '../numeric/engine/trace.js'
import { rng } from '../numeric/random/rng.js'
import { readsByProduct } from './first-product.js'
import { createModel } from './index.js'
import type { Layers, Model } from './model.js'
import { drawn } from './step-draws.js'

const plain = createModel({ kind: 'mlp', inputs: 3, hidden: [4], outputs: 2, dropout: 0.5 })
/** The same model, but for what it makes of its inputs. */
const reading = (
  trace: (X: Parameters<Model['trace']>[1], layers: Layers, theta: Layers['output']) => Layers['output'],
): Model => ({
  ...plain,
  trace: (theta, X, options) => {
    const layers = plain.trace(theta, X, options)
    return { ...layers, output: trace(X, layers, theta) }
  },
})

test('dense networks read their inputs by a product, convolutions do not', () => {
  expect(readsByProduct(plain)).toBe(true)
  expect(readsByProduct(createModel({ kind: 'logistic', inputs: 1 }))).toBe(true)
  expect(readsByProduct(createModel({ kind: 'softmax', inputs: 5, outputs: 3 }))).toBe(true)
  expect(readsByProduct(createModel({ kind: 'lenet-dlg', inputs: [1, 6, 6], outputs: 2 }))).toBe(false)
})

test('any other use of them rules it out', () => {
  const sum = (X: Layers['output']) => t.sumAll(X)
  expect(readsByProduct(reading((_, { output }) => output))).toBe(true)
  expect(readsByProduct(reading((X, { output }) => t.add(output, t.broadcast(sum(X), output))))).toBe(false)
  // On the right side of a product, on both sides, or in a product of another form.
  const part = (theta: Layers['output'], cols: number) => t.slice(theta, 0, { rows: 2, cols })
  expect(readsByProduct(reading((X, _, theta) => t.matmul(part(theta, 3), X, 'nt')))).toBe(false)
  expect(readsByProduct(reading((X) => t.matmul(X, X, 'nt')))).toBe(false)
  expect(readsByProduct(reading((X, _, theta) => t.matmul(X, part(theta, 2), 'tn')))).toBe(false)
  expect(readsByProduct(reading((X, _, theta) => t.matmul(X, t.slice(theta, 0, { rows: 3, cols: 2 }))))).toBe(false)
  expect(readsByProduct(reading((X, _, theta) => t.matmul(X, part(theta, 3), 'nt')))).toBe(true)
})

test('a single column is read as elements, which kernels know', () => {
  const one = createModel({ kind: 'linear', inputs: 1, outputs: 1 })
  expect(readsByProduct({ ...one, trace: () => { throw new Error('not asked') } })).toBe(true) // biome-ignore format: a line
  expect(readsByProduct({ ...one, parameters: [] })).toBe(false)
  expect(readsByProduct({ ...one, parameters: [{ ...one.parameters[0]!, shape: [1] }] })).toBe(false)
})

test('a step that draws needs a stream', () => {
  expect(() => drawn(undefined)).toThrow('dropout or noise was asked for without randomness; give step an rng')
  const stream = rng(1)
  expect(drawn(() => stream)).toBe(stream)
})
