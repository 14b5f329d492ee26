import { describe, expect, test } from 'vitest'
import type { Node } from '../numeric/engine/graph.js'
import { interpret } from '../numeric/engine/reference.js'
import * as t from '../numeric/engine/trace.js'
import { rng } from '../numeric/random/rng.js'
import { createModel } from './index.js'
import { initialise, initialisers } from './initialise.js'
import { checkLoss, type Loss, labelColumns, type Parameter, traceLoss, traceLosses } from './model.js'

const rows = 3
const cols = 2
const logits = [
  [0.5, -1],
  [2, 0.25],
  [-0.75, 1.5],
]
const labels = [
  [1, 0],
  [0, 1],
  [0.25, 0.75],
]

/** The loss of a batch and of each record, for outputs that are the logits. */
function traced(loss: Loss, lossScale: number): [number, number[]] {
  const logit = t.input('z', { rows, cols })
  const y = t.input('y', { rows, cols })
  const layers = { penultimate: logit, logit, output: logit }
  const outputs: Node[] = [traceLoss(layers, y, { loss, lossScale }), traceLosses(layers, y, { loss, lossScale })]
  const [all, each] = interpret(outputs, { z: Float64Array.from(logits.flat()), y: Float64Array.from(labels.flat()) })
  return [all![0]!, [...each!]]
}

const mean = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / list.length
const perRecord: Readonly<Record<Loss, (z: number[], y: number[]) => number>> = {
  mse: (z, y) => mean(z.map((x, j) => (x - y[j]!) ** 2)),
  'cross-entropy': (z, y) => Math.log(z.reduce((sum, x) => sum + Math.exp(x), 0)) - z.reduce((sum, x, j) => sum + x * y[j]!, 0), // biome-ignore format: a line
  'binary-cross-entropy': (z, y) => mean(z.map((x, j) => Math.log(1 + Math.exp(x)) - y[j]! * x)),
}

describe.each(Object.keys(perRecord) as Loss[])('%s', (loss) => {
  test.each([1, 0.5])('is the mean over records and outputs, times %d', (scale) => {
    const wanted = logits.map((z, i) => scale * perRecord[loss](z, labels[i]!))
    const [all, each] = traced(loss, scale)
    expect(each).toHaveLength(rows)
    for (const [i, value] of each.entries()) expect(value).toBeCloseTo(wanted[i]!, 13)
    expect(all).toBeCloseTo(mean(wanted), 13)
  })
})

describe('which losses fit', () => {
  const fits = (model: ReturnType<typeof createModel>): string =>
    (['mse', 'cross-entropy', 'binary-cross-entropy'] as const)
      .filter((loss) => {
        try {
          checkLoss(model, loss)
          return true
        } catch {
          return false
        }
      })
      .join(' ')
  test('an identity takes all, with one output not the loss over classes', () => {
    expect(fits(createModel({ kind: 'linear', inputs: 1, outputs: 2 }))).toBe('mse cross-entropy binary-cross-entropy')
    expect(fits(createModel({ kind: 'linear', inputs: 1, outputs: 1 }))).toBe('mse binary-cross-entropy')
  })
  test('a function at the end takes the loss that is made for it', () => {
    expect(fits(createModel({ kind: 'softmax', inputs: 1, outputs: 2 }))).toBe('cross-entropy')
    expect(fits(createModel({ kind: 'softmax', inputs: 1, outputs: 1 }))).toBe('')
    expect(fits(createModel({ kind: 'logistic', inputs: 1 }))).toBe('mse binary-cross-entropy')
    expect(fits(createModel({ kind: 'mlp', inputs: 1, outputs: 2, outputActivation: 'relu' }))).toBe('mse')
  })
  test('the error lists what would fit', () => {
    const model = createModel({ kind: 'logistic', inputs: 1 })
    expect(() => checkLoss(model, 'cross-entropy')).toThrow(
      'loss "cross-entropy" does not fit a logistic model with 1 outputs, sigmoid; it takes: mse, binary-cross-entropy',
    )
    expect(labelColumns(createModel({ kind: 'linear', inputs: 1, outputs: 4 }))).toBe(4)
  })
})

describe('first values', () => {
  const weight: Parameter = { name: 'w', shape: [40, 25], fanIn: 25, fanOut: 71, role: 'weight' }
  const bias: Parameter = { ...weight, name: 'b', shape: [1000], role: 'bias' }
  const spread = (name: keyof typeof initialisers, one: Parameter) => {
    const drawn = initialisers[name].draw(one, rng(1))
    expect(drawn).toHaveLength(1000)
    return { most: Math.max(...drawn.map(Math.abs)), square: mean([...drawn].map((x) => x * x)) }
  }
  const bounds = { pytorch: 0.2, 'xavier-uniform': 0.25, 'kaiming-uniform': Math.sqrt(0.24), 'uniform-half': 0.5 }
  test.each(Object.entries(bounds))('%s is uniform up to %d', (name, bound) => {
    const { most, square } = spread(name as keyof typeof bounds, weight)
    expect(most).toBeLessThanOrEqual(bound)
    expect(most).toBeGreaterThan(0.98 * bound)
    expect(square).toBeGreaterThan((0.9 * (bound * bound)) / 3)
  })
  const deviations = { 'xavier-normal': Math.sqrt(2 / 96), 'kaiming-normal': Math.sqrt(0.08), normal: 1 }
  test.each(Object.entries(deviations))('%s is normal with deviation %d', (name, deviation) => {
    const { most, square } = spread(name as keyof typeof deviations, weight)
    expect(Math.abs(square / (deviation * deviation) - 1)).toBeLessThan(0.15)
    expect(most).toBeGreaterThan(2.5 * deviation)
  })
  test('biases are zero but where the rule is for them too', () => {
    const zero = (Object.keys(initialisers) as (keyof typeof initialisers)[]).filter(
      (name) => spread(name, bias).most === 0,
    )
    expect(zero).toEqual(['xavier-uniform', 'xavier-normal', 'kaiming-uniform', 'kaiming-normal', 'zeros'])
    expect(spread('zeros', weight).most).toBe(0)
  })
  test("each parameter draws from its own address, PyTorch's rule unless told", () => {
    const model = createModel({ kind: 'linear', inputs: 3, outputs: 2 })
    const theta = initialise(model, rng(4))
    expect(theta).toEqual(initialise(model, rng(4), 'pytorch'))
    const [w, b] = model.parameters.map((p) => initialisers.pytorch.draw(p, rng(4).fork('parameter', p.name)))
    expect([...theta]).toEqual([...w!, ...b!])
    expect(() => initialise(model, rng(4), 'lucky')).toThrow('lucky')
  })
})
