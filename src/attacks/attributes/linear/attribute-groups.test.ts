import { expect, test } from 'vitest'
import { binary, continuous, several, type WorldOptions, world } from '../../../../test/attribute-world.js'
import { rng } from '../../../numeric/random/rng.js'
import type { Sensitive } from '../unknown-columns.js'
import { inferAttributes, type LinearSettings, type LinearView } from './infer-attributes.js'

const small: WorldOptions = { records: 6, rounds: 2, batchSize: 3, noise: 0.1 }
const inferred = (view: LinearView, more: Partial<LinearSettings> = {}) =>
  inferAttributes(view, {
    ...{ passes: 1, rehearsals: 0, directions: 0, rate: 'auto', rng: rng('groups'), tick: () => {} },
    ...more,
  })

test.each<[readonly Sensitive[], number]>([
  [[continuous], 1],
  [[continuous, { ...continuous, name: 'w', columns: ['w'] }], 4],
  [[continuous, binary], 2],
])('attributes that are inferred one after the other are so twice: %#', async (sensitive, times) => {
  let begun = 0
  const tick = (done: number, total: number) => {
    if (done === 0 && total === 17) begun++ // intervals of a continuous attribute
  }
  await inferred(world({ ...small, sensitive }).view, { tick })
  expect(begun).toBe(times)
})

test('steps that are divided by the size of gradients are no sums', async () => {
  const { view } = world(small)
  const optimizer = { name: 'adam' } as typeof view.protocol.optimizer
  await expect(inferred({ ...view, protocol: { ...view.protocol, optimizer } })).rejects.toThrow('steps of adam')
})

test('a model speaks of each of three values', async () => {
  const [, coded] = several
  const w = world({ ...small, records: 30, rounds: 1, noise: 0, sensitive: [coded!] })
  const { beliefs } = await inferred(w.view, { fuse: Float64Array.of(1, -0.5, 0.25, 2, 4, 0) })
  expect([...beliefs[0]!.values]).toEqual([...w.true[0]!])
  expect(Math.min(...beliefs[0]!.confidence)).toBeGreaterThan(0.9)
})
