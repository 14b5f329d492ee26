import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { encodeSource, fitSource } from '../../data/dataset.js'
import { readIdx } from '../../data/idx.js'
import { datasets } from '../../data/index.js'
import { columnOf, numbersOf, wordAt } from '../../data/table.js'
import { rng } from '../../numeric/random/rng.js'
import { dataFolders, fileReader, fileState, findFile, sha256Of } from './dataset-files.js'
import { readRows } from './table-rows.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'overhear-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
  vi.unstubAllEnvs()
})
const put = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, content)
  return path
}

const PEOPLE = 'age,smoker,code,pay\n30, yes,007,1.5\n?,no,008,2\n41,,009,-3e2\n'

describe('rows', () => {
  test('CSV: numbers, trimmed words, missing values, text that looks like a number', async () => {
    const table = await readRows(put("it's.csv", PEOPLE), { words: ['code'], missing: '?' })
    expect(table.columns.map(({ name, kind }) => [name, kind])).toEqual([
      ['age', 'number'],
      ['smoker', 'word'],
      ['code', 'word'],
      ['pay', 'number'],
    ])
    expect([...numbersOf(table, 'age')]).toEqual([30, Number.NaN, 41])
    expect([...numbersOf(table, 'pay')]).toEqual([1.5, 2, -300])
    expect([0, 1, 2].map((i) => wordAt(columnOf(table, 'smoker'), i))).toEqual(['yes', 'no', undefined])
    expect(wordAt(columnOf(table, 'code'), 0)).toBe('007')
  })

  test('gzip, byte order mark, no header, lines to skip', async () => {
    const gz = await readRows(put('a.csv.gz', gzipSync(PEOPLE)), { missing: '?' })
    expect(gz.rows).toBe(3)
    const bom = await readRows(put('b.csv', `\uFEFFa,b\r\n1,x\r\n2,y\r\n`))
    expect(bom.columns.map(({ name }) => name)).toEqual(['a', 'b'])
    const bare = await readRows(put('c.csv', '|note\n1, x\n2, y\n\n'), { names: ['n', 'w'], skip: 1 })
    expect([bare.rows, wordAt(columnOf(bare, 'w'), 1)]).toEqual([2, 'y'])
  })

  test('the order of many rows is that of the file', async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `${i},w${i % 3}`)
    const table = await readRows(put('long.csv', `i,w\n${lines.join('\n')}\n`))
    expect(numbersOf(table, 'i').every((x, i) => x === i)).toBe(true)
    expect(wordAt(columnOf(table, 'w'), 19_999)).toBe(`w${19_999 % 3}`)
  })

  test('JSON and Parquet', async () => {
    const json = await readRows(put('a.json', '[{"n": 1, "w": "x"}, {"n": null, "w": "y"}]'))
    expect([...numbersOf(json, 'n')]).toEqual([1, Number.NaN])
    const path = join(folder, 'a.parquet')
    const connection = await (await DuckDBInstance.create()).connect()
    await connection.run(`COPY (SELECT range::INTEGER AS n, 'w' || range AS w FROM range(5)) TO '${path}'`)
    connection.closeSync()
    const table = await readRows(path)
    expect([...numbersOf(table, 'n')]).toEqual([0, 1, 2, 3, 4])
    expect(wordAt(columnOf(table, 'w'), 4)).toBe('w4')
  })

  test('what cannot be read is said in a sentence', async () => {
    await expect(readRows(put('a.xlsx', ''))).rejects.toThrow(/cannot tell what .*a\.xlsx is; known endings: \.csv/)
    await expect(readRows(put('bad.parquet', 'no'))).rejects.toThrow(/cannot read .*bad\.parquet/)
    await expect(readRows(put('only-header.csv', 'a,b\n'))).rejects.toThrow(/holds no rows/)
    await expect(readRows(join(folder, 'absent.csv'))).rejects.toThrow(/absent\.csv is not there/)
  })
})

describe('files of datasets', () => {
  const content = 'hello'
  const sha256 = createHash('sha256').update(content).digest('hex')
  const spec = { path: 'x/a.bin', sha256, content: 'five bytes' }
  const entry = { id: 'x', obtain: 'somewhere' }

  test('are looked for in the folder named, then OVERHEAR_DATA, then the rest', () => {
    vi.stubEnv('OVERHEAR_DATA', join(folder, 'env'))
    vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'))
    const folders = dataFolders({ dataDir: folder })
    expect(folders.slice(0, 2)).toEqual([folder, join(folder, 'env')])
    expect(folders).toContain(join(folder, 'cache', 'overhear'))
    put('env/x/a.bin', content)
    expect(findFile(spec, folders)).toBe(join(folder, 'env/x/a.bin'))
    put('x/a.bin', content)
    expect(findFile(spec, folders)).toBe(join(folder, 'x/a.bin'))
  })

  test('are whole, changed or missing', async () => {
    expect((await fileState(spec, [folder])).state).toBe('missing')
    put('x/a.bin', 'hellO')
    expect((await fileState(spec, [folder])).state).toBe('changed')
    await expect(fileReader(entry, { dataDir: folder }).bytes(spec)).rejects.toThrow(
      new RegExp(`is not the file it should be \\(sha256 [0-9a-f]{64}\\); expected ${sha256}: five bytes`),
    )
    put('x/a.bin', content)
    expect((await fileState(spec, [folder])).state).toBe('whole')
    expect(Buffer.from(await fileReader(entry, { dataDir: folder }).bytes(spec)).toString()).toBe(content)
  })

  test('a missing one says where it was looked for, what it holds and where it is to be had', async () => {
    const reading = fileReader(entry, { dataDir: folder }).bytes(spec)
    await expect(reading).rejects.toThrow(folder)
    await expect(reading).rejects.toThrow(
      /x\/a\.bin \(five bytes\) is not in .*--data-dir; to be had from somewhere; its sha256/,
    )
  })

  test('broken gzip is an error of the input', async () => {
    const broken = gzipSync(content).subarray(0, 12)
    const sum = createHash('sha256').update(broken).digest('hex')
    put('x/a.bin', broken)
    await expect(fileReader(entry, { dataDir: folder }).bytes({ ...spec, sha256: sum })).rejects.toThrow(/x\/a\.bin: /)
  })
})

test('a table of the user is described in a line', async () => {
  put('own.csv', 'age,sex,site,pay,note\n30,f,a,1,p\n40,m,b,2,q\n50,f,b,3,r\n60,,b,4,s\n')
  const files = fileReader(datasets.csv, { dataDir: folder })
  const load = (params: Record<string, unknown>) =>
    datasets.csv.load({ rng: rng(1), files }, { file: 'own.csv', label: 'pay', ...params })
  const source = await load({ columns: 'age=min-max, sex', sensitive: 'sex', client: 'site', missing: 'drop' })
  const { records, columns, sensitive } = encodeSource(source)
  expect(columns.map(({ name }) => name)).toEqual(['age', 'sex_m'])
  expect([...records.features.data]).toEqual([0, 0, 0.5, 1, 1, 0])
  const deviation = Math.sqrt(2 / 3)
  expect([...records.labels]).toEqual([-1 / deviation, 0, 1 / deviation])
  expect([sensitive[0]!.words, source.client]).toEqual([['f', 'm'], 'site'])
  const all = await load({ missing: 'drop', client: 'site' })
  expect(fitSource(all).encoder.rules.map(({ column }) => column)).toEqual(['age', 'sex', 'note'])
  await expect(load({})).rejects.toThrow(
    /own\.csv: 1 of 4 rows miss a value, the first in row 4, column "sex"; set missing to "drop"/,
  )
  await expect(load({ columns: 'age=one-hat' })).rejects.toThrow(
    /unknown way of encoding: "one-hat" \(did you mean "one-hot"/,
  )
  const two = await load({ label: 'pay, age', labelScale: 'none', columns: 'sex', missing: 'drop' })
  expect(encodeSource(two).label).toMatchObject({ name: 'pay', names: ['pay', 'age'] })
  expect([...encodeSource(two).records.labels]).toEqual([1, 30, 2, 40, 3, 50])
  put('comma.csv', '"a, b",c,b\n1,2,3\n')
  const comma = await load({ file: 'comma.csv', label: 'a, b', labelScale: 'none' })
  expect([...encodeSource(comma).records.labels]).toEqual([1])
  await expect(load({ columns: 'agee' })).rejects.toThrow(/did you mean "age"/)
  await expect(load({ label: '' })).rejects.toThrow(/needs "file" and "label"/)
  await expect(load({ columns: 'age,pay' })).rejects.toThrow(/the label "pay" is also a feature/)
  await expect(load({ columns: 'age', sensitive: 'sex' })).rejects.toThrow(/sensitive column "sex" is no feature/)
})

test.each([
  ['empty', [], /not an idx file/],
  ['another magic', [0, 0, 9, 1, 0, 0, 0, 0], /idx type 9/],
  ['a cut header', [0, 0, 8, 3, 0, 0, 0, 1], /header is cut off/],
  ['too few bytes', [0, 0, 8, 1, 0, 0, 0, 3, 1, 2], /2 bytes of data; 3 needs 3/],
])('idx: %s', (_, bytes, message) => {
  expect(() => readIdx(Uint8Array.from(bytes), 'x')).toThrow(message)
})

test('idx: shape and bytes', () => {
  const { shape, bytes } = readIdx(Uint8Array.of(0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 1, 7, 9), 'x')
  expect([shape, [...bytes]]).toEqual([
    [2, 1],
    [7, 9],
  ])
})

test('what is no file has no hash', async () => {
  await expect(sha256Of(folder)).rejects.toThrow(`${folder} is a folder; a file of a dataset is needed`)
  expect(await sha256Of(put('a.csv', 'abc'))).toBe(createHash('sha256').update('abc').digest('hex'))
})
