import { expect, test } from 'vitest'
import { disk } from '../../test/simulated-disk.js'
import { openKnowledge } from './knowledge-file.js'
import { openTruth } from './truth-file.js'
import { type RecordingRoles, writeRecordingTables } from './write-recording-tables.js'

const text = `patient,age,smoker,ward_a,ward_b,cost,hospital,trained,group
p1,0.5,1,0,1,10,a,yes,old
p2,-1,0,1,0,20,a,no,young
p3,0.25,0,0,0,30,a,TRUE,old
p4,1.5,1,1,0,40,a,0,young
p5,2,1,0,1,50,a,1,old
p6,3,0,0,0,60,b,yes,young
p7,4,1,1,0,70,,,old
`
const roles: RecordingRoles = {
  label: 'cost',
  client: 'hospital',
  trained: 'trained',
  id: 'patient',
  sensitive: ['smoker', { name: 'ward', columns: ['ward_a', 'ward_b'] }],
  metaclass: 'group',
}

async function written(given: Partial<RecordingRoles> = {}, more: { target?: string; labelsKnown?: boolean } = {}) {
  const [knowledge, truth] = [disk(), disk()]
  await writeRecordingTables(
    text,
    { ...roles, ...given },
    {
      ...{ knowledge: knowledge.store, truth: truth.store, target: 'a', ...more },
    },
  )
  return {
    known: await openKnowledge(knowledge.store),
    truth: await openTruth(truth.store),
    knowledge,
    truthFiles: truth,
  }
}

test('one table becomes what is known and what is true', async () => {
  const { known, truth } = await written()
  const trained = (await truth.client('a'))!
  expect(trained.columns).toEqual(['age', 'smoker', 'ward_a', 'ward_b'])
  expect([...trained.features.data]).toEqual([0.5, 1, 0, 1, 0.25, 0, 0, 0, 2, 1, 0, 1])
  expect([...trained.labels!, ...trained.metaclasses!]).toEqual([10, 30, 50, 0, 0, 0])
  expect(await truth.ids('a')).toEqual(['p1', 'p3', 'p5'])
  expect(await truth.heldBackIds('a')).toEqual(['p2', 'p4'])
  expect([...(await truth.heldBack('a'))!.features.data]).toEqual([-1, 0, 1, 0, 1.5, 1, 1, 0])
  expect(await truth.heldBack('b')).toBeUndefined()
  expect(known.target).toBe('a')
  expect(known.sensitive).toEqual([
    { name: 'smoker', columns: ['smoker'], kind: 'binary', values: [[0], [1]] },
    { name: 'ward', columns: ['ward_a', 'ward_b'], kind: 'categorical', values: [[0, 0], [0, 1], [1, 0]] }, // biome-ignore format: one line
  ])
  const records = (await known.records())!
  expect(records.columns).toEqual(trained.columns)
  expect(Array.from({ length: 3 }, (_, i) => records.features.data[4 * i])).toEqual([0.5, 0.25, 2])
  expect([...records.labels!]).toEqual([10, 30, 50])
  // Of nobody: the adversary's own.
  const auxiliary = (await known.auxiliary())!
  expect([[...auxiliary.features.data], known.metaclass, known.metaclasses]).toEqual([
    [4, 1, 1, 0],
    'group',
    ['old', 'young'],
  ])
  // Two of each, which is which nobody says.
  const asked = [...(await known.candidates())!.labels!]
  expect(asked.filter((cost) => [10, 30, 50].includes(cost))).toHaveLength(2)
  expect(asked.filter((cost) => [20, 40].includes(cost))).toHaveLength(2)
})

test('nothing of the names, and where it is told not of the labels, is in the knowledge', async () => {
  const { known, knowledge } = await written({}, { labelsKnown: false })
  expect((await known.records())!.labels).toBeUndefined()
  for (const bytes of knowledge.files.values()) expect(new TextDecoder().decode(bytes)).not.toMatch(/patient|p\d/)
})

test('columns in the order of the model, several labels, a measure, no held-back records', async () => {
  const { known, truth } = await written({
    ...{ inputs: ['ward_a', 'age'], label: ['cost', 'smoker'], sensitive: [{ name: 'age', columns: ['age'], kind: 'continuous', range: [-1, 4] }] }, // biome-ignore format: one line
    ...{ trained: undefined as never, id: undefined as never },
  })
  const all = (await truth.client('a'))!
  expect(all.columns).toEqual(['ward_a', 'age'])
  expect([...all.labels!].slice(0, 4)).toEqual([10, 1, 20, 0])
  expect(all.features.rows).toBe(5)
  expect(known.sensitive).toEqual([{ name: 'age', columns: ['age'], kind: 'continuous', range: [-1, 4] }])
  expect(await known.candidates()).toBeUndefined()
  expect(await truth.ids('a')).toBeUndefined()
})

test.each([
  [{ client: 'hospitl' }, {}, 'unknown column of the table: "hospitl" (did you mean "hospital"?)'],
  [{}, { target: 'c' }, 'the table has no record of client "c"; clients: a, b'],
  [{ trained: 'group' }, {}, 'record 1, column "group" holds "old"; yes or no is needed'],
  [{ metaclass: undefined as never }, {}, 'record 1, column "group" holds "old"; a finite number is needed'],
  [{ trained: 'smoker' }, {}, 'client "b" trained on no record; leave it out of the table'],
] as const)('what cannot be is said: %#', async (given, more, message) => {
  await expect(written(given, more)).rejects.toThrow(message)
})

test('what is the same in all records is no secret', async () => {
  const [knowledge, truth] = [disk().store, disk().store]
  const flat = { columns: ['x', 's', 'y', 'c'], rows: [[1, 0, 2, 'a'], [2, 0, 3, 'a']] } // biome-ignore format: a table
  await expect(
    writeRecordingTables(flat, { label: 'y', client: 'c', sensitive: ['s'] }, { knowledge, truth, target: 'a' }),
  ).rejects.toThrow('the sensitive "s" is the same in all records')
})

test.each([
  [2, { kind: 'binary', values: [[0], [1]] }],
  [20, { kind: 'categorical', values: Array.from({ length: 20 }, (_, i) => [i]) }],
  [21, { kind: 'continuous', range: [0, 20] }],
])('up to twenty values are categories: %i', async (count, expected) => {
  const [knowledge, truth] = [disk().store, disk().store]
  const rows = Array.from({ length: 30 }, (_, i) => [i, (11 * i) % count, i, 'a'])
  const roles = { label: 'y', client: 'c', sensitive: ['s'] }
  await writeRecordingTables({ columns: ['x', 's', 'y', 'c'], rows }, roles, { knowledge, truth, target: 'a' })
  expect((await openKnowledge(knowledge)).sensitive).toEqual([{ name: 's', columns: ['s'], ...expected }])
})

test('more values of several columns cannot be told apart', async () => {
  const [knowledge, truth] = [disk().store, disk().store]
  const rows = Array.from({ length: 30 }, (_, i) => [i % 21, -i, i, 'a'])
  const roles = { label: 'y', client: 'c', sensitive: [{ name: 'both', columns: ['s', 't'] }] }
  const writing = writeRecordingTables({ columns: ['s', 't', 'y', 'c'], rows }, roles, {
    knowledge,
    truth,
    target: 'a',
  })
  await expect(writing).rejects.toThrow(
    'the sensitive "both" has 30 different values in 2 columns; at most 20 can be told apart',
  )
})
