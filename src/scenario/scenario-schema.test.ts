import { expect, test } from 'vitest'
import { partitions } from '../partition/index.js'
import { add, removeFrom } from '../registry.js'
import { readWorld, scenarioSchema } from './scenario-schema.js'

const world = (partition: string) => ({
  data: { name: 'cps-wages' },
  partition: { name: partition },
  models: [{ kind: 'linear' }],
})

test('the schema is made once, and anew when a plug-in comes or goes', () => {
  const before = scenarioSchema()
  expect(scenarioSchema()).toBe(before)
  expect(() => readWorld(world('by-nobody'))).toThrow(/by-nobody/)
  add(partitions, { ...partitions.iid, id: 'by-nobody' }, 'a test')
  try {
    const after = scenarioSchema()
    expect(after).not.toBe(before)
    expect(scenarioSchema()).toBe(after)
    expect(readWorld(world('by-nobody')).partition.name).toBe('by-nobody')
  } finally {
    removeFrom('a test')
  }
  expect(() => readWorld(world('by-nobody'))).toThrow(/by-nobody/)
})
