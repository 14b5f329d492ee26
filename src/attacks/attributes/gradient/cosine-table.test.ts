import { expect, test } from 'vitest'
import { functionsOf } from '../../../models/functions.js'
import { createModel } from '../../../models/index.js'
import { initialise } from '../../../models/initialise.js'
import { type Matrix, matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import type { Knowledge } from '../../../threat/granted-keys.js'
import { fillInto, unknownsOf } from '../unknown-columns.js'
import { cosineByEngine } from './cosine.js'
import { tabledCosine } from './cosine-table.js'
import type { CosineInput } from './matched-message.js'

const n = 7
const columns = ['a', 'b', 'c', 's', 'u', 'v']
const [two, three] = [
  { name: 's', columns: ['s'], kind: 'binary', values: [[-0.3], [1.7]] },
  {
    name: 't',
    columns: ['u', 'v'],
    kind: 'categorical',
    values: [0, 1, 2].map((v) => [Number(v === 1), Number(v === 2)]),
  },
] as const

const unknowns = (sensitive: readonly unknown[]) =>
  unknownsOf({
    records: { columns, features: matrix(n, 6, rng(2).normals(6 * n)) },
    'records.label': rng(3).normals(n),
    sensitive,
  } as unknown as Parameters<typeof unknownsOf>[0])

function inputs(model: object, sensitive: readonly unknown[]) {
  const functions = functionsOf(createModel(model as Parameters<typeof createModel>[0]), {
    loss: 'mse',
    lossScale: 0.5,
  })
  const view = {
    model,
    loss: 'mse',
    protocol: { lossScale: 0.5 } as Knowledge['protocol'],
  } as unknown as CosineInput['view']
  return { functions, view, unknowns: unknowns(sensitive), messages: 3 }
}

const net = (activation: string, hidden: readonly number[], bias = true) => ({
  ...{ kind: 'mlp', inputs: 6, outputs: 1, hidden, activation, outputActivation: 'identity', bias },
})

test.each([
  ['relu, two layers', net('relu', [5, 4]), [two]],
  ['tanh, two layers, two attributes', net('tanh', [5, 4]), [two, three]],
  ['sigmoid, one layer, no bias', net('sigmoid', [4], false), [three]],
  ['a linear model', { kind: 'linear', inputs: 6, outputs: 1, bias: true }, [two, three]],
])('%s: the table says what the engine computes', (_, model, sensitive) => {
  const given = inputs(model, sensitive)
  const { functions, view, unknowns: asked } = given
  const places = asked.attributes.flatMap((one) => one.places)
  const table = tabledCosine(given, 0)!
  const engine = cosineByEngine({ functions, view, labels: asked.labels, places, records: n })
  const messages = [5, 6].map((k) => {
    const theta = initialise(functions.model, rng(k))
    return { theta, descent: rng(10 + k).normals(theta.length) }
  })
  for (const seed of [1, 2, 3]) {
    const records: Matrix = matrix(n, 6, asked.known.data.slice())
    const draw = rng(seed)
    for (const attribute of asked.attributes) {
      const values = Array.from({ length: n }, () => draw.integer(attribute.candidates.length))
      fillInto(records, attribute, (i, c) => attribute.candidates[values[i]!]![c]!)
    }
    for (const message of messages) {
      const [fast, slow] = [table(records, message), engine(records, message)]
      expect(Math.abs(fast.value - slow.value)).toBeLessThan(1e-13)
      expect(fast.slope.length).toBe(n * places.length)
      for (const [j, slope] of slow.slope.entries()) expect(Math.abs(fast.slope[j]! - slope)).toBeLessThan(1e-12)
    }
  }
})

test('no table for what is small, continuous, of too many values or too large to keep', () => {
  const small = inputs(net('relu', [5]), [two])
  expect(tabledCosine(small)).toBeUndefined()
  expect(tabledCosine(small, 0)).toBeDefined()
  expect(tabledCosine({ ...small, messages: 1e8 }, 0)).toBeUndefined()
  const range = { name: 's', columns: ['s'], kind: 'continuous', range: [0, 1] }
  expect(tabledCosine(inputs(net('relu', [5]), [range]), 0)).toBeUndefined()
  const many = { ...two, kind: 'categorical', values: Array.from({ length: 17 }, (_, v) => [v]) }
  expect(tabledCosine(inputs(net('relu', [5]), [many]), 0)).toBeUndefined()
})
