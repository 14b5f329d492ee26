import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { numberOf, readCsv, wordOf } from '../src/node/files/csv-table.js'
import { numberOf as cellOf, readTable, type TableOptions, type TableSpec } from '../src/transcript/encoded-table.js'
import { encode } from '../src/transcript/safetensors.js'
import { memoryStore } from '../src/transcript/store.js'
import { pinResults } from './pinned-results.js'

/** A table of a file with these words in it. */
const csv = (text: string, spec: Partial<TableSpec> = {}, options: TableOptions = {}) => () =>
  readTable(memoryStore(new Map([['t.csv', new TextEncoder().encode(text)]])), { file: 't.csv', ...spec }, { where: 'here', ...options }) // biome-ignore format: a line
const other =
  (file: string, spec: Partial<TableSpec> = {}, options: TableOptions = {}) =>
  () =>
    readTable(memoryStore(new Map([[file, new Uint8Array(3)]])), { file, ...spec }, { where: 'here', ...options })
type Tensors = Readonly<Record<string, readonly [readonly number[], readonly number[]]>>
const tensors = (all: Tensors, spec: Partial<TableSpec> = {}, metadata: Record<string, string> = {}, options: TableOptions = {}) => () => {
  const list = Object.entries(all).map(([name, [shape, data]]) => ({ name, dtype: 'F64' as const, shape: [...shape], data: Float64Array.from(data) })) // biome-ignore format: a line
  return readTable(memoryStore(new Map([['t.safetensors', encode(list, metadata)]])), { file: 't.safetensors', ...spec }, { where: 'here', ...options }) // biome-ignore format: a line
} // biome-ignore format: a line
const features: Tensors[string] = [[3, 2], [1, 2, 3, 4, 5, 6]] // biome-ignore format: a line
const whole: Tensors = { features, labels: [[3], [7, 8, 9]], metaclass: [[3], [0, 1, 0]] }
const pairs: Tensors = { features, labels: [[3, 2], [1, 2, 3, 4, 5, 6]] } // biome-ignore format: a line

/** A file on disk. */
const onDisk =
  (name: string, text: string | Uint8Array, options: Parameters<typeof readCsv>[1] = {}) =>
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'overhear-rows-'))
    try {
      writeFileSync(join(folder, name), text)
      return await readCsv(join(folder, name), options)
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
const small = 'a,b,c\n1,x,\n 2 ,y,3\n,x,-4.5\n'

pinResults('rows', {
  'encoded records of words': [
    csv(''),
    csv('a,b'),
    csv('a,b\n1,2\n3,4'),
    csv('a,a\n1,2'),
    ...['a', 'b', 'c', 'B', ''].map((label) => csv('a,b,c\n1,2,3\n4,5,6', { label })),
    csv('a,b,c\n1,2,3\n4,5,6', { label: ['c', 'a'] }),
    csv('a,b,c\n1,2,3\n4,5,6', { label: ['c', 'c'] }),
    csv('a,b,c\n1,2,3\n4,5,6', { label: ['c', 'x'] }),
    csv('a,m,id\n1,low,p\n4,high,q', { metaclass: 'm', metaclasses: ['low', 'high'], id: 'id' }),
    csv('a,m,id\n1,low,p\n4,other,q', { metaclass: 'm', metaclasses: ['low', 'high'], id: 'id' }),
    csv('a,m\n1,low', { metaclass: 'm' }),
    csv('a,m\n1,low', { metaclass: 'n', metaclasses: ['low'] }),
    csv('a,id\n1,p\n2, ', { id: 'id' }),
    csv('a,b\n1,\n2,3', {}, { mayBeEmpty: ['b'] }),
    csv('a,b\n1,\n2,3', {}, { mayBeEmpty: ['a'] }),
    csv('a,b\n1,2\n2,x'),
    ...['x.csv', 'x.CSV', 'x.txt', 'x.parquet', 'x.safetensors', '../x.csv'].map((file) => other(file)),
    other('x.parquet', { label: 'b' }, { readParquet: async () => ({ columns: ['a', 'b'], rows: [[1, 2], [null, 4]] }), mayBeEmpty: ['a'] }), // biome-ignore format: a line
    other(
      'x.parquet',
      { id: 'b' },
      {
        readParquet: async () => ({
          columns: ['a', 'b'],
          rows: [
            [1, 2],
            [3, null],
          ],
        }),
      },
    ),
  ],
  'encoded records of tensors': [
    tensors(whole),
    tensors({ features }),
    tensors({ features }, { label: 'y' }),
    tensors({ labels: whole.labels! }),
    tensors({ features: [[6], [1, 2, 3, 4, 5, 6]] }),
    tensors({ features: [[0, 2], []] }),
    tensors({ features, labels: [[2], [1, 2]] }),
    tensors({ features, labels: [[3, 1], [1, 2, 3]] }), // biome-ignore format: a line
    tensors({ features, labels: [[3, 1, 1], [1, 2, 3]] }), // biome-ignore format: a line
    tensors(pairs),
    tensors(pairs, { label: ['y', 'z'] }),
    tensors({ ...pairs, labels: [[2, 3], [1, 2, 3, 4, 5, 6]] }, { label: ['y', 'z'] }), // biome-ignore format: a line
    tensors(whole, { metaclass: 'm' }),
    tensors(whole, { metaclass: 'm', metaclasses: ['low', 'high'] }),
    tensors(whole, { metaclass: 'm', metaclasses: ['low'] }),
    ...[0.5, -1, 2].map((k) => tensors({ ...whole, metaclass: [[3], [0, 1, k]] }, { metaclass: 'm', metaclasses: ['low', 'high'] })), // biome-ignore format: a line
    ...['["a","b"]', '["a"]', '["a",1]', '["a","a"]', '{}', 'x'].map((columns) => tensors(whole, {}, { columns })),
    ...[undefined, '["p","q","r"]', '["p","q"]', '["p","q",1]', '["p"," ","r"]', '{}'].map((ids) => tensors(whole, { id: 'id' }, ids === undefined ? {} : { ids })), // biome-ignore format: a line
    tensors({ features: [[2, 2], [1, Number.NaN, 3, 4]] }), // biome-ignore format: a line
    tensors({ features: [[2, 2], [1, Number.NaN, 3, 4]] }, {}, {}, { mayBeEmpty: ['1'] }), // biome-ignore format: a line
    tensors({ features: [[2, 2], [1, 2, 3, Number.POSITIVE_INFINITY]] }, {}, {}, { mayBeEmpty: ['1'] }), // biome-ignore format: a line
    tensors({ features, labels: [[3], [1, Number.NaN, 3]] }),
  ],
  cells: ['1', ' 1 ', '-1.5', '+2', '1e3', '.5', '5.', '.', '', 'x', '0x10', 'NaN', 'Infinity', '1 2', 3, Number.NaN, 'y'.repeat(80)].map((cell) => () => cellOf(cell, () => 'here')), // biome-ignore format: a list
  'numbers in words': [
    ...['0', '1', '-1', '007', '-007', '0.5', '00.5', '+49', '123456789012345', '1234567890123456', '-123456789012345', '-1234567890123456', '1e5', '1e', '.5', '-.5', '5.', '-', '', 'nan', '-NaN', 'inf', '-Infinity', 'infinit', '1x', '1 ', ':1', '/1', '9', '-0', '00'].map((word) => () => numberOf(word) ?? 'none'), // biome-ignore format: a list
    ...[' a ', '', ' ', 'NA', ' NA'].flatMap((cell) => [undefined, 'NA'].map((missing) => () => wordOf(cell, missing))),
  ],
  'tables on disk': [
    onDisk('t.csv', small),
    onDisk('t.csv', small, { words: ['a'] }),
    onDisk('t.csv', small, { words: ['z'] }),
    onDisk('t.csv', small, { missing: 'x' }),
    onDisk('t.csv', small, { skip: 1 }),
    onDisk('t.csv', small, { names: ['p', 'q', 'r'] }),
    onDisk('t.csv', small, { names: ['p', 'q'] }),
    onDisk('t.csv', small, { names: ['p', 'q', 'r'], skip: 1 }),
    onDisk('t.csv', 'a,a\n1,2\n'),
    onDisk('t.csv', ''),
    onDisk('t.csv', 'a,b\n'),
    onDisk('t.csv', 'a,b\n1\n'),
    ...[';', '\t', '|'].map((mark) => onDisk('t.csv', small.replaceAll(',', mark))),
    onDisk('t.csv', '"a;b",c\n1,2\n'),
    onDisk('t.tsv', small.replaceAll(',', '\t')),
    onDisk('t.tsv', small),
    onDisk('t.csv.gz', gzipSync(small)),
    onDisk('t.tsv.GZ', gzipSync(small.replaceAll(',', '\t'))),
    onDisk('t.csv', Uint8Array.of(97, 44, 98, 10, 0xff, 0xfe, 10)),
    onDisk('t.csv', `a,b\n${Array.from({ length: 4000 }, (_, i) => `${i},w${i % 7}`).join('\n')}`),
    onDisk('t.csv', 'a,b\nx,1\n2,y\n3,\n'),
  ],
})
