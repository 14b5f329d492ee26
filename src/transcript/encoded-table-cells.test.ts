import { expect, test } from 'vitest'
import { numberOf, type RawTable, readTable, type TableSpec } from './encoded-table.js'
import { encode } from './safetensors.js'
import { memoryStore } from './store.js'

interface Given {
  readonly spec?: Partial<TableSpec>
  readonly mayBeEmpty?: readonly string[]
  readonly readParquet?: () => Promise<RawTable>
}
const reading = (file: string, content: string | Uint8Array, { spec = {}, ...options }: Given = {}) =>
  readTable(memoryStore(new Map([[file, typeof content === 'string' ? new TextEncoder().encode(content) : content]])), { file, ...spec }, { where: 'records', ...options }) // biome-ignore format: a line
/** A table as plain lists. */
const table = async (file: string, content: string | Uint8Array, given: Given = {}) => {
  const { features, labels, metaclasses, ...rest } = await reading(file, content, given)
  return { ...rest, rows: features.rows, cols: features.cols, data: [...features.data], ...(labels && { labels: [...labels] }), ...(metaclasses && { metaclasses: [...metaclasses] }) } // biome-ignore format: a line
}
const csv = 'who,x,y,group,z\na,1,10,red,3\nb,-2.5e1,20,blue,4\n'
const whole = { label: 'y', metaclass: 'group', metaclasses: ['blue', 'red'], id: 'who' }
const tensor = (name: string, shape: number[], data: number[]) => ({ name, shape, data: Float64Array.from(data) })
const features = tensor('features', [2, 2], [1, 2, 3, 4])
const file = (list: readonly ReturnType<typeof tensor>[], metadata?: Record<string, string>) => encode(list, metadata)

test('a CSV file has features, labels, metaclasses and ids', async () => {
  expect(await table('t.csv', csv, { spec: whole })).toEqual({ columns: ['x', 'z'], rows: 2, cols: 2, data: [1, 3, -25, 4], labels: [10, 20], metaclasses: [1, 0], ids: ['a', 'b'] }) // biome-ignore format: a line
  expect(await table('T.CSV', 'x,y,z\n1,2,3\n', { spec: { label: ['z', 'x'] } })).toEqual({ columns: ['y'], rows: 1, cols: 1, data: [2], labels: [3, 1] }) // biome-ignore format: a line
  expect(await table('t.csv', 'x\n')).toEqual({ columns: ['x'], rows: 0, cols: 1, data: [] })
})

test('a cell may be empty where that is allowed', async () => {
  expect((await table('t.csv', 'x,y\n,2\n', { mayBeEmpty: ['x'] })).data).toEqual([Number.NaN, 2])
  await expect(table('t.csv', 'x,y\n1,2\n3,\n', { mayBeEmpty: ['x'] })).rejects.toThrow(
    't.csv: record 2, column "y" holds ""',
  )
})

test('a Parquet file is read by whoever can', async () => {
  const readParquet = async () => ({ columns: ['x', 'id'], rows: [[1.5, null], [null, 'q']] }) // biome-ignore format: a line
  const numbers = async () => ({ columns: ['x', 'y'], rows: [[1.5, null], [2, 3]] }) // biome-ignore format: a line
  expect(await table('t.parquet', '', { mayBeEmpty: ['y'], readParquet: numbers })).toEqual({ columns: ['x', 'y'], rows: 2, cols: 2, data: [1.5, Number.NaN, 2, 3] }) // biome-ignore format: a line
  await expect(table('t.parquet', '', { readParquet, spec: { id: 'id' }, mayBeEmpty: ['x'] })).rejects.toThrow(
    'record 1 has no id',
  )
  await expect(table('t.parquet', '')).rejects.toThrow('records.file: t.parquet is Parquet, which cannot be read here')
})

test.each([
  ['t.txt', csv, {}, 'records.file: t.txt ends in no known way'],
  ['t.csv', '', {}, 't.csv is empty'],
  ['t.csv', 'x,x\n1,2\n', {}, 'the header holds "x" twice'],
  ['t.csv', csv, { spec: { label: ['y', 'y'] } }, 'label holds "y" twice'],
  ['t.csv', csv, { spec: { label: 'yy' } }, 'records.label is "yy", which is no column of t.csv (did you mean "y"?)'],
  ['t.csv', csv, { spec: { label: 'something else' } }, 'which is no column of t.csv'],
  ['t.csv', csv, { spec: { id: 'whom' } }, 'records.id is "whom"'],
  ['t.csv', csv, { spec: { ...whole, metaclasses: ['red'] } }, 't.csv: record 2: the metaclass is "blue"'],
  ['t.csv', csv, { spec: { metaclass: 'group', id: 'who' } }, 'record 1 has a metaclass, but "metaclasses" is missing'],
  ['t.csv', csv, { spec: { id: 'who' } }, 't.csv: record 1, column "group" holds "red"'],
  ['t.csv', 'who,x\na,1\n ,2\n', { spec: { id: 'who' } }, 't.csv: record 2 has no id'],
])('%s: %j with %j is refused', async (path, content, given, message) => {
  await expect(table(path, content, given as Given)).rejects.toThrow(message)
})

test('tensors have names for columns, labels, metaclasses and ids in their metadata', async () => {
  const spec = { label: 'l', metaclass: 'm', metaclasses: ['p', 'q'], id: 'i' }
  const all = file([features, tensor('labels', [2], [5, 6]), tensor('metaclass', [2, 1], [1, 0])], { columns: '["x","y"]', ids: '["a","b"]' }) // biome-ignore format: a line
  expect(await table('t.safetensors', all, { spec })).toEqual({ columns: ['x', 'y'], rows: 2, cols: 2, data: [1, 2, 3, 4], labels: [5, 6], metaclasses: [1, 0], ids: ['a', 'b'] }) // biome-ignore format: a line
  expect(await table('t.safetensors', file([features]))).toEqual({ columns: ['0', '1'], rows: 2, cols: 2, data: [1, 2, 3, 4] }) // biome-ignore format: a line
  expect((await table('t.safetensors', file([features, tensor('labels', [2, 1], [5, 6])]))).labels).toEqual([5, 6])
  expect((await table('t.safetensors', file([features, tensor('labels', [2, 2], [5, 6, 7, 8])]), { spec: { label: ['a', 'b'] } })).labels).toEqual([5, 6, 7, 8]) // biome-ignore format: a line
})

test('a tensor may lack numbers where that is allowed, and nothing else', async () => {
  const gaps = (value: number) => file([tensor('features', [2, 2], [1, 2, value, 4])])
  expect((await table('t.safetensors', gaps(Number.NaN), { mayBeEmpty: ['0'] })).data[2]).toBeNaN()
  await expect(table('t.safetensors', gaps(Number.NaN), { mayBeEmpty: ['1'] })).rejects.toThrow(
    'record 2, column "0" holds NaN',
  )
  await expect(table('t.safetensors', gaps(Number.POSITIVE_INFINITY), { mayBeEmpty: ['0'] })).rejects.toThrow(
    'holds Infinity',
  )
  const first = file([tensor('features', [1, 1], [Number.NaN])])
  await expect(table('t.safetensors', first)).rejects.toThrow('record 1, column "0" holds NaN')
})

test.each([
  [[tensor('other', [1], [1])], undefined, {}, 'holds no tensor "features" of two dimensions'],
  [[tensor('features', [2], [1, 2])], undefined, {}, 'holds no tensor "features" of two dimensions'],
  [[tensor('features', [0, 2], [])], undefined, {}, 'holds no records'],
  [[features], { columns: '["x"]' }, {}, '__metadata__.columns is no list of 2 names'],
  [[features], { columns: '["x",5]' }, {}, '__metadata__.columns is no list of 2 names'],
  [[features], { columns: '{}' }, {}, '__metadata__.columns is no list of 2 names'],
  [[features], { columns: '["x","x"]' }, {}, 'holds "x" twice'],
  [[features], undefined, { label: 'y' }, 'holds no tensor "labels" of 2 values'],
  [[features, tensor('labels', [3], [1, 2, 3])], undefined, {}, 'holds no tensor "labels" of 2 values'],
  [[features, tensor('labels', [2, 1, 1], [1, 2])], undefined, {}, 'holds no tensor "labels" of 2 values'],
  [[features, tensor('labels', [4], [1, 2, 3, 4])], undefined, { label: ['a', 'b'] }, 'of 2 x 2 values'],
  [[features, tensor('labels', [2], [1, Number.NaN])], undefined, {}, 'record 2, column "labels" holds NaN'],
  [[features, tensor('metaclass', [2], [0, 2])], undefined, { metaclass: 'm', metaclasses: ['p', 'q'] }, 'record 2: the metaclass is 2'],
  [[features, tensor('metaclass', [2], [-1, 0])], undefined, { metaclass: 'm', metaclasses: ['p', 'q'] }, 'record 1: the metaclass is -1'],
  [[features, tensor('metaclass', [2], [0.5, 0])], undefined, { metaclass: 'm', metaclasses: ['p', 'q'] }, 'record 1: the metaclass is 0.5'],
  [[features, tensor('metaclass', [2], [0, 0])], undefined, { metaclass: 'm' }, '"metaclasses" is missing'],
  [[features], undefined, { id: 'i' }, '__metadata__.ids is no list of 2 names'],
  [[features], { ids: '["a"]' }, { id: 'i' }, '__metadata__.ids is no list of 2 names'],
  [[features], { ids: '["a",1]' }, { id: 'i' }, '__metadata__.ids is no list of 2 names'],
  [[features], { ids: '["a"," "]' }, { id: 'i' }, 'record 2 has no id'],
  [[features], { ids: '["","b"]' }, { id: 'i' }, 'record 1 has no id'],
] as const)('tensors %#: refused', async (list, metadata, spec, message) => {
  await expect(table('t.safetensors', file(list, metadata), { spec })).rejects.toThrow(message)
}) // biome-ignore format: a table

test.each([['1', 1], [' 2.5 ', 2.5], ['-.5e-1', -0.05], ['+3.', 3], [7, 7]] as const)('%j is a number', (cell, value) => {
  expect(numberOf(cell, () => 'here')).toBe(value)
}) // biome-ignore format: a table

test.each(['', 'x', '0x10', '1e', '1e999', Number.NaN, Number.POSITIVE_INFINITY])('%j is none', (cell) => {
  expect(() => numberOf(cell, () => 'here')).toThrow(`here holds "${cell}"`)
})
