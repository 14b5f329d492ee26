import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { numbersOf, wordAt } from '../../data/table.js'
import { numberOf, readCsv } from './csv-table.js'

const folder = mkdtempSync(join(tmpdir(), 'overhear-csv-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())
const put = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

describe('a CSV file', () => {
  test('may hold as much text as is allowed, decompressed, and no more', async () => {
    const [plain, packed] = [put('a.csv', 'a,b\n1,2\n3,4\n'), put('a.csv.gz', gzipSync('a,b\n1,2\n3,4\n'))]
    vi.stubEnv('OVERHEAR_MAX_BYTES', '12')
    for (const path of [plain, packed]) expect((await readCsv(path, {})).rows).toBe(2)
    vi.stubEnv('OVERHEAR_MAX_BYTES', '11')
    for (const path of [plain, packed])
      await expect(readCsv(path, {})).rejects.toThrow(`${path} holds more than 11 bytes of text`)
  })

  test('may have as many rows and columns as are allowed', async () => {
    const path = put('b.csv', 'a,b\n1,2\n3,4\n')
    vi.stubEnv('OVERHEAR_MAX_ROWS', '2')
    vi.stubEnv('OVERHEAR_MAX_COLUMNS', '2')
    expect((await readCsv(path, {})).rows).toBe(2)
    vi.stubEnv('OVERHEAR_MAX_ROWS', '1')
    await expect(readCsv(path, {})).rejects.toThrow('holds more than 1 rows')
    vi.stubEnv('OVERHEAR_MAX_ROWS', '')
    vi.stubEnv('OVERHEAR_MAX_COLUMNS', '1')
    await expect(readCsv(path, {})).rejects.toThrow('holds more than 1 columns')
  })

  test.each([
    ['a.tsv', 'a\tb,c\n1\t2,3\n', ['a', 'b,c']],
    ['c.csv', 'a;b\n1;2\n', ['a', 'b']],
    ['d.csv', 'a|b\n1|2\n', ['a', 'b']],
    ['e.csv', 'a\tb\n1\t2\n', ['a', 'b']],
    ['f.csv', '"a,b";c\n1;2\n', ['a,b', 'c']],
    ['g.csv', 'a,b;c\n1,2;3\n', ['a', 'b;c']],
    ['h.csv', 'alone\n1\n', ['alone']],
  ])('%s: its columns are told apart by what its first line has', async (name, text, names) => {
    expect((await readCsv(put(name, text), {})).columns.map((column) => column.name)).toEqual(names)
  })

  test('is guessed by its first 256 kB how it tells columns apart, and read at commas where they say nothing', async () => {
    const long = 'a'.repeat(2 ** 18)
    expect((await readCsv(put('n.csv', `${long};b\n1;2\n`), {})).columns).toHaveLength(1)
    expect((await readCsv(put('o.csv', `${long.slice(9)};b\n1;2\n`), {})).columns).toHaveLength(2)
  })

  test('without a value in a column has words there, none of which is known', async () => {
    const { columns } = await readCsv(put('i.csv', 'a,b\n,1\n?,2\n'), { missing: '?' })
    expect(columns.map(({ kind }) => kind)).toEqual(['word', 'number'])
    expect([0, 1].map((i) => wordAt(columns[0]!, i))).toEqual([undefined, undefined])
  })

  test('that is numbers but for one word holds words', async () => {
    const table = await readCsv(put('j.csv', 'a,b\n1,1\nx,2\n1,3\n'), {})
    expect([0, 1, 2].map((i) => wordAt(table.columns[0]!, i))).toEqual(['1', 'x', '1'])
    expect([...numbersOf(table, 'b')]).toEqual([1, 2, 3])
  })

  test('lacks a column that is asked for, or is no UTF-8: both are said', async () => {
    await expect(readCsv(put('k.csv', 'a\n1\n'), { words: ['zip'] })).rejects.toThrow('k.csv has no column "zip"')
    const bytes = Uint8Array.from([97, 10, 0xff, 10])
    await expect(readCsv(put('l.csv', bytes), {})).rejects.toThrow('the bytes are not UTF-8 text; save it as UTF-8')
    await expect(readCsv(put('m.csv', Uint8Array.from([97, 10, 0xc3])), {})).rejects.toThrow('not UTF-8 text')
  })
})

test.each([
  ['0', 0],
  ['-0', -0],
  ['-7', -7],
  ['007', undefined],
  ['-07', -7],
  ['0.5', 0.5],
  ['00.5', undefined],
  ['.5', 0.5],
  ['5.', 5],
  ['-3e2', -300],
  ['1E+2', 100],
  ['999999999999999', 999999999999999],
  ['12345678901234567', 12345678901234568],
  ['-12345678901234567', -12345678901234568],
  ['nan', Number.NaN],
  ['-NaN', Number.NaN],
  ['inf', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['+49', undefined],
  ['-', undefined],
  ['1e', undefined],
  ['1:2', undefined],
  ['1/2', undefined],
  ['', undefined],
])('the word "%s" is the number %s', (word, number) => {
  expect(numberOf(word)).toBe(number)
})
