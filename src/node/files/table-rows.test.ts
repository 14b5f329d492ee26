import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { columnOf, numbersOf, type Table, wordAt } from '../../data/table.js'
import { peerDependencies } from '../version.js'
import { numberOf } from './csv-table.js'
import { readParquet } from './parquet.js'
import { readRows } from './table-rows.js'

const folder = mkdtempSync(join(tmpdir(), 'overhear-rows-'))
afterAll(() => rmSync(folder, { recursive: true }))
const put = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
const words = (table: Table, name: string) =>
  Array.from({ length: table.rows }, (_, i) => wordAt(columnOf(table, name), i))

describe('a cell', () => {
  test.each([
    ['0', 0],
    ['-0', -0],
    ['-07', -7],
    ['123456789012345', 123456789012345],
    ['9007199254740993', 9007199254740992],
    ['12345678901234567890123', 1.2345678901234568e22],
    ['0.1', 0.1],
    ['.5', 0.5],
    ['5.', 5],
    ['-3e2', -300],
    ['1E+05', 1e5],
    ['5e-324', 5e-324],
    ['1e999', Number.POSITIVE_INFINITY],
    ['-Inf', Number.NEGATIVE_INFINITY],
    ['infinity', Number.POSITIVE_INFINITY],
    ['NaN', Number.NaN],
    ['-nan', Number.NaN],
  ])('%s is a number', (word, value) => expect(numberOf(word)).toBe(value))

  test.each([
    '007',
    '00',
    '09',

    '01.5',
    '+5',
    '0x10',
    '1_000',
    '1,5',
    '.',
    '-',
    'e3',
    '1e',
    '--1',
    '1 2',
    'infx',
    '٣',
    'yes',
  ])('%s is a word', (word) => expect(numberOf(word)).toBeUndefined())
})

describe('CSV', () => {
  test('a column of numbers may miss some, not all', async () => {
    const table = await readRows(put('a.csv', 'n , none, code\n 1 ,,007\n,,5\n  ,, \n-2.5,,x\n'))
    expect([...numbersOf(table, 'n')]).toEqual([1, Number.NaN, Number.NaN, -2.5])
    expect(words(table, 'none')).toEqual([undefined, undefined, undefined, undefined])
    expect(table.columns.map(({ kind }) => kind)).toEqual(['number', 'word', 'word'])
    expect(words(table, 'code')).toEqual(['007', '5', undefined, 'x'])
  })

  test.each([
    ['a.tsv', 'n\tw, of two\n1\tx\n'],
    ['b.csv', 'n;"w, of two"\n1;x\n'],
    ['c.txt', 'n|"w, of two"\n1|x'],
    ['d.csv', '"n","w, of two"\n"1","x"'],
  ])('%s says what stands between cells', async (name, text) => {
    const table = await readRows(put(name, text))
    expect([numbersOf(table, 'n')[0], words(table, 'w, of two')]).toEqual([1, ['x']])
  })

  test('many pieces, cut inside characters and cells', async () => {
    const lines = Array.from({ length: 60_000 }, (_, i) => `${i}.5,"é€😀 ${i % 7}\n""q"""\r\n`)
    const text = `i,w\r\n${lines.join('')}`
    for (const path of [put('long.csv', text), put('long.csv.gz', gzipSync(text))]) {
      const table = await readRows(path)
      expect(numbersOf(table, 'i').every((x, i) => x === i + 0.5)).toBe(true)
      expect(words(table, 'w').every((word, i) => word === `é€😀 ${i % 7}\n"q"`)).toBe(true)
    }
  })

  test.each<[string, string | Uint8Array, RegExp]>([
    ['ragged.csv', 'a,b\n1,2\n\n3\n', /ragged\.csv: line 4 has 1 cells; the header has 2/],
    ['open.csv', 'a,b\n1,"x\n2,y\n', /open\.csv: line 2 opens a quote that is never closed/],
    ['twice.csv', 'a, a\n1,2\n', /twice\.csv: the header holds "a" twice/],
    ['nameless.csv', 'a, \n1,2\n', /nameless\.csv: column 2 of 2 has no name/],
    ['latin.csv', Uint8Array.of(0x61, 0x0a, 0xe9, 0x0a), /latin\.csv: the bytes are not UTF-8 text/],
    ['cut.csv.gz', gzipSync('a,b\n1,2\n').subarray(0, 20), /cannot read .*cut\.csv\.gz: unexpected end of file/],
    ['none.csv.gz', 'a,b\n1,2\n', /cannot read .*none\.csv\.gz: incorrect header check/],
    ['empty.csv', '', /empty\.csv holds no rows/],
  ])('%s is refused', async (name, content, message) => {
    await expect(readRows(put(name, content))).rejects.toThrow(message)
  })

  test('one row that no line ends, and lines that are left out before it', async () => {
    const one = await readRows(put('one.data', '1,x'), { names: ['n', 'w'] })
    expect([one.rows, numbersOf(one, 'n')[0], words(one, 'w')]).toEqual([1, 1, ['x']])
    for (const skip of [1, 2]) {
      const table = await readRows(put('skip.csv', `${'about; it\n'.repeat(skip)}n,w\n1,x`), { skip })
      expect([numbersOf(table, 'n')[0], words(table, 'w')]).toEqual([1, ['x']])
    }
  })

  test('a quote left open does not read a large file into memory', async () => {
    const path = put('large.csv', `a\n"${'x\n'.repeat(9_000_000)}`)
    await expect(readRows(path)).rejects.toThrow(/large\.csv: line 2 opens a quote/)
  })

  test('rows without a header have as many cells as there are names', async () => {
    const path = put('bare.data', '1,x,9\n')
    await expect(readRows(path, { names: ['n', 'w'] })).rejects.toThrow(/line 1 has 3 cells; needed: 2/)
    await expect(readRows(path, { names: ['n', 'w', 'k'], words: ['q'] })).rejects.toThrow(/has no column "q"/)
  })
})

describe('JSON', () => {
  test('a list of objects, or one object a line', async () => {
    const records = ['{"n": 1, "w": " x "}', '{"w": "?", "b": true, "m": 2}', '{"n": null, "b": false, "m": "y"}']
    const texts = {
      'a.json': `[${records}]`,
      'b.jsonl': `${records.join('\n')}\n`,
      'c.ndjson.gz': records.join('\r\n\r\n'),
    }
    for (const [name, text] of Object.entries(texts)) {
      const table = await readRows(put(name, name.endsWith('gz') ? gzipSync(text) : text), { missing: '?' })
      expect(table.columns.map((column) => column.name)).toEqual(['n', 'w', 'b', 'm'])
      expect([...numbersOf(table, 'n')]).toEqual([1, Number.NaN, Number.NaN])
      expect(words(table, 'w')).toEqual(['x', undefined, undefined])
      expect(words(table, 'b')).toEqual([undefined, 'true', 'false'])
      expect(words(table, 'm')).toEqual([undefined, '2', 'y'])
    }
  })

  test.each([
    ['no.json', '[1]', /no\.json: record 1 is no object/],
    ['deep.json', '[{"a": 1}, {"a": [1]}]', /deep\.json: record 2, "a" holds a list/],
    ['bad.jsonl', '{"a": 1}\n{"a": }\n', /bad\.jsonl: line 2 is not JSON/],
    ['twice.jsonl', '{"a": 1, "a": 2}', /line 1: the key "a" stands there twice/],
    ['none.json', '[]', /none\.json holds no rows/],
  ])('%s is refused', async (name, text, message) => {
    await expect(readRows(put(name, text))).rejects.toThrow(message)
  })
})

describe('Parquet without DuckDB', () => {
  const failing = (error: Error) => readParquet('own/people.parquet', String, () => Promise.reject(error))

  test('says what was asked for, what is missing and what to do', async () => {
    const version = peerDependencies['@duckdb/node-api']
    expect(version).toMatch(/^\d[\w.-]+$/)
    await expect(failing(Object.assign(new Error('x'), { code: 'ERR_MODULE_NOT_FOUND' }))).rejects.toThrow(
      'own/people.parquet is a Parquet file, and @duckdb/node-api, which reads them, is not installed; ' +
        `run \`npm install @duckdb/node-api@${version}\`, or give a CSV file`,
    )
  })

  test('tells another reason', async () => {
    await expect(failing(new Error('no binding for sunos\nstack'))).rejects.toThrow(
      /which reads them, cannot be loaded \(no binding for sunos\); run/,
    )
  })
})
