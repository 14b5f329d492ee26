import { describe, expect, test } from 'vitest'
import { type Node, schedule } from '../numeric/engine/graph.js'
import { interpret } from '../numeric/engine/reference.js'
import * as t from '../numeric/engine/trace.js'
import { readParams } from '../params.js'
import { denseNetwork } from './dense-network.js'
import { linear } from './linear.js'
import { mlp, mlpEntry } from './mlp.js'
import { type Model, parameterCount } from './model.js'

/** What a model makes of two records, with 1, 2, ... as its parameters, and what its nodes are called. */
function run(model: Model, X: readonly number[], mask?: readonly number[]) {
  const rows = X.length / model.inputs
  const theta = t.input('theta', { rows: 1, cols: parameterCount(model) })
  const x = t.input('X', { rows, cols: model.inputs })
  const masked = mask && { mask: t.input('mask', { rows, cols: mask.length / rows }) }
  const layers = model.trace(theta, x, masked)
  const outputs: Node[] = [layers.penultimate, layers.logit, layers.output]
  const values = interpret(outputs, {
    theta: Float64Array.from({ length: theta.cols }, (_, i) => i + 1),
    X: Float64Array.from(X),
    ...(mask && { mask: Float64Array.from(mask) }),
  })
  const [penultimate, logit, output] = values.map((one) => [...one])
  return { penultimate, logit, output, labels: schedule(outputs).map(({ label }) => label) }
}

describe('layers by hand', () => {
  // Weights [[1, 2], [3, 4]], biases 5, 6; then weights [7, 8], bias 9.
  const network = { inputs: 2, hidden: [2], outputs: 1 } as const
  test('a hidden layer', () => {
    const { penultimate, logit, output } = run(mlp(network), [1, 1, -9, 0])
    // 1 + 2 + 5 and 3 + 4 + 6; -9 + 5 and -27 + 6, both below 0.
    expect(penultimate).toEqual([8, 13, 0, 0])
    expect(logit).toEqual([7 * 8 + 8 * 13 + 9, 9])
    expect(output).toEqual(logit)
  })
  test('without biases', () => {
    const { penultimate, logit } = run(mlp({ ...network, bias: false }), [1, 1, -9, 0])
    expect([penultimate, logit]).toEqual([
      [3, 7, 0, 0],
      [5 * 3 + 6 * 7, 0],
    ])
  })
  test('what is dropped is dropped from the last hidden layer alone', () => {
    const { penultimate, logit } = run(mlp({ ...network, dropout: 0.5 }), [1, 1, 2, 0], [0, 2, 2, 0])
    expect([penultimate, logit]).toEqual([
      [0, 26, 14, 0],
      [8 * 26 + 9, 7 * 14 + 9],
    ])
    const deep = mlp({ inputs: 1, hidden: [1, 2], outputs: 1, bias: false, dropout: 0.5 })
    // 1 x, then (2, 3), then (4, 5).
    expect(run(deep, [1], [0, 2]).logit).toEqual([5 * 6])
  })
  test('a function at the end leaves the logit', () => {
    const { logit, output } = run(mlp({ inputs: 1, outputs: 1, outputActivation: 'relu' }), [1, -5])
    expect([logit, output]).toEqual([
      [3, -3],
      [3, 0],
    ])
  })
  test('nodes have the names that errors call them by', () => {
    const { labels } = run(mlp(network), [1, 1])
    for (const label of [
      'layers.0.weight',
      'layers.0.bias',
      'layers.1.weight',
      'layers.1.bias',
      'hidden layer 1',
      'layer 1 before its function',
      'layer 2 before its function',
    ]) {
      // biome-ignore format: a list
      expect(labels).toContain(label)
    }
    expect(run(mlp({ ...network, outputActivation: 'tanh' }), [1, 1]).labels).toContain('prediction')
  })
})

describe('what is refused', () => {
  test('widths that are no whole numbers from 1, by their place', () => {
    const whole = 'sizes are whole numbers from 1'
    expect(() => linear({ inputs: 0, outputs: 1 })).toThrow(`linear: inputs is 0; ${whole}`)
    expect(() => linear({ inputs: 2, outputs: 1.5 })).toThrow(`linear: outputs is 1.5; ${whole}`)
    expect(() => mlp({ inputs: 2, hidden: [3, 0], outputs: 1 })).toThrow(`mlp: hidden[1] is 0; ${whole}`)
    expect(() => mlp({ inputs: 2, hidden: [-1], outputs: 1 })).toThrow(`mlp: hidden[0] is -1; ${whole}`)
    expect(() => mlp({ inputs: 1, hidden: [1], outputs: 1 })).not.toThrow()
  })
  test('unknown functions', () => {
    expect(() => mlp({ inputs: 1, outputs: 1, activation: 'swish' as 'relu' })).toThrow('swish')
    const head = { outputActivation: 'swish' as 'relu', defaultLoss: 'mse' } as const
    expect(() => denseNetwork('odd', { inputs: 1, outputs: 1 }, head)).toThrow('swish')
  })
  test('a share to drop that is below 0 or 1; none is dropped unless told', () => {
    const read = (given: object) => readParams(mlpEntry.params, { ...given }, 'model mlp')
    expect(read({})).toEqual({ hidden: [], activation: 'relu', outputActivation: 'identity', bias: true, dropout: 0 })
    expect(read({ dropout: 0 }).dropout).toBe(0)
    for (const dropout of [-0.1, 1]) expect(() => read({ dropout })).toThrow('dropout')
    expect(() => read({ hidden: [0] })).toThrow('hidden')
    expect(() => read({ hidden: [1.5] })).toThrow('hidden')
    expect(read({ hidden: [1] }).hidden).toEqual([1])
  })
})
