import { describe, expect, test } from 'vitest'
import type { TableSpec } from './encoded-table.js'
import { keepTables } from './kept-tables.js'
import { type FileStore, memoryStore } from './store.js'

const where = 'knowledge.json: records'
const csv = 'x,z,y\n1,2,3\n4,,6\n'

/** A folder with one table, which counts how often it is read. */
function counted() {
  const store = memoryStore(new Map([['a.csv', new TextEncoder().encode(csv)]]))
  let opened = 0
  const counting: FileStore = {
    ...store,
    read(path) {
      opened++
      return store.read(path)
    },
  }
  return { store: counting, opened: () => opened }
}

const spec: TableSpec = { file: 'a.csv', label: 'y' }
const options = { where, mayBeEmpty: ['z'] }

describe('tables that are kept', () => {
  test('are read once, and are each reader’s own', async () => {
    const { store, opened } = counted()
    const read = keepTables({ left: 1000 })
    const first = await read(store, spec, options)
    const [features, labels] = [first.features.data.slice(), first.labels!.slice()]
    first.features.data.fill(7)
    first.labels!.fill(7)
    const second = await read(store, spec, options)
    expect(second.features.data).toEqual(features)
    expect(second.labels).toEqual(labels)
    second.features.data.fill(8)
    expect((await read(store, spec, options)).features.data).toEqual(features)
    expect(opened()).toBe(1)
  })

  test('are told apart by folder, columns and what may be empty', async () => {
    const [one, other] = [counted(), counted()]
    const read = keepTables({ left: 1000 })
    await read(one.store, spec, options)
    await read(other.store, spec, options)
    expect([one.opened(), other.opened()]).toEqual([1, 1])
    expect((await read(one.store, { file: 'a.csv', label: 'x' }, options)).columns).toEqual(['z', 'y'])
    await expect(read(one.store, spec, { where })).rejects.toThrow('record 2, column "z"')
    await expect(read(one.store, spec, { where })).rejects.toThrow('record 2, column "z"')
  })

  test('are read anew when there is no room', async () => {
    const { store, opened } = counted()
    const room = { left: 47 }
    const read = keepTables(room)
    for (let k = 0; k < 2; k++) await read(store, spec, options)
    expect([opened(), room.left]).toEqual([2, 47])
    room.left = 48
    for (let k = 0; k < 2; k++) await read(store, spec, options)
    expect([opened(), room.left]).toEqual([3, 0])
  })
})
