import { expect, test } from 'vitest'
import type { ClaimJson } from '../attack-result.js'
import { apartness } from './halves.js'

type Part = Record<string, unknown>
const apart = (kind: string, a: Part, b: Part, { whole = a, sent = undefined as Float64Array | undefined, other = kind } = {}) =>
  apartness({ kind, ...a } as unknown as ClaimJson, { kind: other, ...b } as unknown as ClaimJson, { kind, ...whole } as unknown as ClaimJson, sent) // biome-ignore format: a list

test('models: how far apart beside how far the whole is from what was sent', () => {
  const model = (...theta: number[]) => ({ theta })
  expect(apart('model', model(1, 2), model(1, 2))).toBe(0)
  expect(apart('model', model(4, 6), model(1, 2))).toBe(5 / Math.sqrt(52))
  const [whole, sent] = [model(1, 10), Float64Array.of(1, 20)]
  expect(apart('model', model(4, 6), model(1, 2), { whole, sent })).toBe(0.5)
  expect(apart('model', model(4, 6), model(1, 2), { whole: model(0, 2), sent: Float64Array.of(0, 2) })).toBe(2.5)
  expect(apart('model', model(4, 6), model(1, 2), { whole: model(0, 0) })).toBe(5)
})

test.each([
  ['attribute', 'values'],
  ['labels', 'labels'],
])('%s: whole numbers by how many differ, others by distance', (kind, key) => {
  const of = (a: number[], b: number[]) => apart(kind, { [key]: a }, { [key]: b })
  expect(of([], [])).toBeUndefined()
  expect(of([1, 2], [1])).toBeUndefined()
  expect(of([1, 2, 3, 4], [1, 2, 0, 4])).toBe(0.25)
  expect(of([1, 2], [1, 2])).toBe(0)
  expect(of([0.5, 1.5], [0.5, 1.5])).toBe(0)
  expect(of([0.5, 3.5, 0.5, 3.5], [0.5, 3.5, 0.5, 2])).toBe(0.5)
  expect(of([1, 3], [1, 3.5])).toBe(0.5 / Math.sqrt(2))
  expect(of([2, 2], [2, 2.5])).toBe(0.5)
})

test('members: the share of rows that only one half names', () => {
  const of = (a: number[], b: number[]) => apart('members', { rows: a }, { rows: b })
  expect(of([], [])).toBe(0)
  expect(of([1, 2], [2, 3])).toBe(1 - 1 / 3)
  expect(of([1], [1])).toBe(0)
  expect(of([1], [])).toBe(1)
})

test('properties: the share of clients that both know and see differently', () => {
  const clients = (...list: [string, boolean][]) => ({ clients: list.map(([id, positive]) => ({ id, positive })) })
  const one = clients(['a', true], ['b', false], ['c', true])
  expect(apart('property', one, clients(['a', true], ['b', true]))).toBe(0.5)
  expect(apart('property', one, clients(['d', true]))).toBeUndefined()
  expect(apart('property', one, one)).toBe(0)
})

test('claims of different kinds, and of kinds that are not compared', () => {
  expect(apart('label-mean', { value: 1 }, { value: 2 })).toBeUndefined()
  for (const [
    kind,
    key,
  ] of [['model', 'theta'], ['attribute', 'values'], ['labels', 'labels'], ['members', 'rows'], ['property', 'clients']] as const) // biome-ignore format: a list
    expect(apart(kind, { [key]: [1] }, { [key]: [1] }, { other: 'label-mean' })).toBeUndefined()
})
