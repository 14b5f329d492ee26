import { expect, test } from 'vitest'
import { matchByShape } from './match-parameters.js'

const named = (entries: Record<string, readonly number[]>) =>
  new Map(Object.entries(entries).map(([name, shape]) => [name, { shape }]))
const list = (entries: Record<string, readonly number[]>) =>
  Object.entries(entries).map(([name, shape]) => ({ name, shape }))

const network = list({
  'layers.0.weight': [4, 3],
  'layers.0.bias': [4],
  'layers.1.weight': [4, 4],
  'layers.1.bias': [4],
  'layers.2.weight': [1, 4],
  'layers.2.bias': [1],
})

test('names of their own, sorted as safetensors sorts them', () => {
  const file = { 'fc1.bias': [4], 'fc1.weight': [4, 3], 'fc10.bias': [1], 'fc10.weight': [1, 4], 'fc2.bias': [4], 'fc2.weight': [4, 4] } // biome-ignore format: one line
  const found = matchByShape(network, named(file), 'round 0')
  expect(found).toEqual(['fc1.weight', 'fc1.bias', 'fc2.weight', 'fc2.bias', 'fc10.weight', 'fc10.bias'])
})

test('what has one shape and no number to tell it apart is an error that lists both sides', () => {
  const file = { 'in.b': [4], 'in.w': [4, 3], 'mid.b': [4], 'mid.w': [4, 4], 'out.b': [1], 'out.w': [1, 4] }
  const match = () => matchByShape(network, named(file), 'round 0, global')
  expect(match).toThrow('"in.b" and "mid.b" have one shape, and nothing tells which comes first')
  expect(match).toThrow('round 0, global has the tensors "in.b" [4], "in.w" [4, 3]')
  expect(match).toThrow('the model has "layers.0.weight" [4, 3], "layers.0.bias" [4]')
})

test.each([
  { weight: [3, 1], bias: [1] }, // laid out as [in, out]
  { weight: [1, 3] },
  { weight: [1, 3], bias: [1], scale: [1] },
])('other shapes: %o', (file: Record<string, readonly number[]>) => {
  const parameters = list({ 'layers.0.weight': [1, 3], 'layers.0.bias': [1] })
  expect(() => matchByShape(parameters, named(file), 'round 0')).toThrow('their shapes are not those of the model')
})

test('what the model does not have, such as counters, is left out', () => {
  const parameters = list({ 'layers.0.weight': [1, 3], 'layers.0.bias': [1] })
  const file = named({ 'bn.steps': [7], 'lin.bias': [1], 'lin.weight': [1, 3] })
  expect(matchByShape(parameters, file, 'round 0')).toEqual(['lin.weight', 'lin.bias'])
})
