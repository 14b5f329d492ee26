import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rng } from '../numeric/random/rng.js'
import { batchRows, forEachBatch, readsAll } from './batches.js'

const rows = (n: number, plan: object, more: object = {}) =>
  batchRows(n, { plan: { batchSize: 2, localEpochs: 1, localSteps: null, shuffle: 'never', ...plan }, rng: rng(1), ...more } as never).map((one) => [...one]) // biome-ignore format: a line

test('epochs of batches in the order of the records, the last one short or left out', () => {
  expect(rows(5, {})).toEqual([[0, 1], [2, 3], [4]])
  expect(rows(5, { dropLast: true })).toEqual([[0, 1], [2, 3]])
  expect(rows(4, { dropLast: true })).toEqual([[0, 1], [2, 3]])
  expect(rows(2, { localEpochs: 2 })).toEqual([[0, 1], [0, 1]])
  expect(rows(3, { batchSize: null })).toEqual([[0, 1, 2]])
  expect(rows(3, { batchSize: 9, dropLast: true })).toEqual([[0, 1, 2]])
  expect(rows(3, { localEpochs: 0 })).toEqual([])
}) // biome-ignore format: lists

test('so many steps, over as many epochs as they take', () => {
  expect(rows(3, { localEpochs: null, localSteps: 3 })).toEqual([[0, 1], [2], [0, 1]])
  expect(rows(4, { localEpochs: 9, localSteps: 2 })).toEqual([[0, 1], [2, 3]])
  expect(rows(4, { localEpochs: 1, localSteps: 5 })).toHaveLength(2)
}) // biome-ignore format: lists

test('orders are drawn once, or for every epoch', () => {
  const flat = (shuffle: string) => rows(20, { localEpochs: 2, shuffle }).flat()
  const [once, each] = [flat('round'), flat('epoch')]
  expect(once.slice(0, 20)).toEqual(once.slice(20))
  expect(each.slice(0, 20)).not.toEqual(each.slice(20))
  for (const order of [once, each]) expect([...order.slice(0, 20)].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i)) // biome-ignore format: a line
  expect(once.slice(0, 20)).not.toEqual(Array.from({ length: 20 }, (_, i) => i))
})

test('samples take as many steps, each record by a coin of its own', () => {
  const of = (plan: object, n = 5, sampleRate = 0.5) => rows(n, plan, { sampleRate })
  expect(of({})).toHaveLength(3)
  expect(of({ dropLast: true })).toHaveLength(2)
  expect(of({ localEpochs: 2 })).toHaveLength(6)
  expect(of({ localSteps: 4 })).toHaveLength(4)
  expect(of({ batchSize: null, localEpochs: 2 })).toHaveLength(2)
  expect(of({ batchSize: 9 })).toHaveLength(1)
  expect(of({}, 4, 1)).toEqual([[0, 1, 2, 3], [0, 1, 2, 3]]) // biome-ignore format: a list
  const sizes = of({ localSteps: 5 }, 2000, 0.2).map((one) => one.length)
  for (const size of sizes) expect(Math.abs(size - 400)).toBeLessThan(90)
  expect(new Set(of({ localSteps: 5 }, 50).map(String)).size).toBe(5)
})

test('each step has a stream of its own', () => {
  const streams = (sampleRate: number | undefined) => {
    const found: number[] = []
    forEachBatch(4, { plan: { batchSize: 2, localEpochs: 2, localSteps: null, shuffle: 'never' }, rng: rng(1), sampleRate } as never, (_, own) => found.push(own().uniform())) // biome-ignore format: a line
    return found
  }
  expect([new Set(streams(undefined)).size, new Set(streams(0.5)).size]).toEqual([4, 4])
})

test('whether steps come through all records is told without drawing them', () => {
  const count = (max: number) => fc.integer({ min: 1, max })
  const plan = fc.record({
    batchSize: fc.option(count(9)),
    localSteps: fc.option(count(9)),
    localEpochs: fc.option(count(3)),
    shuffle: fc.constantFrom('never', 'round', 'epoch'),
    dropLast: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), plan, (n, how) => {
      fc.pre(how.localSteps !== null || how.localEpochs !== null)
      const seen = new Set(rows(n, how).flat())
      // In other orders another epoch may bring what one left out: then it is looked at.
      const told = readsAll(n, { plan: how as never })
      if (told) expect(seen.size).toBe(n)
      else if (how.shuffle !== 'epoch') expect(seen.size).toBeLessThan(n)
    }),
  )
  const plain = { batchSize: 2, localEpochs: 1, localSteps: null, shuffle: 'never' }
  expect(readsAll(4, { plan: plain as never })).toBe(true)
  expect(readsAll(4, { plan: plain as never, sampleRate: 1 })).toBe(false)
  expect(readsAll(4, { plan: { ...plain, localEpochs: 0 } as never })).toBe(false)
})
