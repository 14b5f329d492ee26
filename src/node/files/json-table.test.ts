import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { TableOptions } from '../../data/dataset-entry.js'
import { readJson } from './json-table.js'
import { linesOf } from './line-of.js'
import { mostBytes, tableLimits } from './table-limits.js'

const folder = mkdtempSync(join(tmpdir(), 'overhear-json-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 't.json')
const read = async (text: string, options: TableOptions = {}) => {
  writeFileSync(path, text)
  const { columns, rows } = await readJson(path, options)
  return { rows, columns: columns.map((column) => (column.kind === 'number' ? [column.name, ...column.values] : [column.name, ...Array.from(column.codes, (code) => (code < 0 ? null : column.words[code]))])) } // biome-ignore format: a line
}

describe('a JSON table', () => {
  test('is a list of objects, or one a line', async () => {
    const expected = { rows: 2, columns: [['a', 1, 2], ['b', 'x', 'true']] } // biome-ignore format: a line
    expect(await read(' [{"a": 1, "b": "x"}, {"a": 2, "b": true}]')).toEqual(expected)
    expect(await read('{"a": 1, "b": "x"}\n\n  \n{"a": 2, "b": true}\n')).toEqual(expected)
    expect(await read('')).toEqual({ rows: 0, columns: [] })
  })

  test('lacks what an object does not say', async () => {
    expect(await read('[{"a": 1}, {"b": "x"}, {"a": 3, "c": null}]')).toEqual({ rows: 3, columns: [['a', 1, Number.NaN, 3], ['b', null, 'x', null], ['c', null, null, null]] }) // biome-ignore format: a line
    expect(await read('[{"a": 1, "b": "2"}, {"a": 2, "b": "?"}]', { words: ['a'], missing: '?' })).toEqual({ rows: 2, columns: [['a', '1', '2'], ['b', '2', null]] }) // biome-ignore format: a line
  })

  test.each([
    ['[{"a": 1}, 5]', 'record 2 is no object'],
    ['[null]', 'record 1 is no object'],
    ['[[1]]', 'record 1 is no object'],
    ['[{"a": 1}, {"a": [1]}]', 'record 2, "a" holds a list'],
    ['[{"a": {}}]', 'record 1, "a" holds an object'],
    ['{"a": 1}\n{"a"', 'line 2'],
    ['[{"": 1}]', 't.json'],
  ])('%s is refused', async (text, words) => {
    await expect(read(text)).rejects.toThrow(words)
  })
})

describe('limits of a table', () => {
  const set = (values: Record<string, string>) => void Object.assign(process.env, values)
  afterEach(() => {
    for (const key of ['BYTES', 'ROWS', 'COLUMNS', 'CELLS']) delete process.env[`OVERHEAR_MAX_${key}`]
  })

  test('are those that are usual', () => {
    const limits = tableLimits('t')
    expect(mostBytes()).toBe(536_870_912)
    expect(() => limits.take(536_870_912)).not.toThrow()
    expect(() => limits.take(1)).toThrow('t holds more than 536870912 bytes of text')
    expect(() => limits.rows(10_000_000, 5)).not.toThrow()
    expect(() => limits.rows(10_000_001, 1)).toThrow('more than 10000000 rows')
    expect(() => limits.rows(5000, 10_000)).not.toThrow()
    expect(() => limits.rows(5001, 10_000)).toThrow('more than 50000000 cells')
    expect(() => limits.rows(1, 10_001)).toThrow('more than 10000 columns')
  })

  test('may be set', () => {
    set({ OVERHEAR_MAX_ROWS: '2', OVERHEAR_MAX_BYTES: '', OVERHEAR_MAX_CELLS: '1' })
    expect(() => tableLimits('t').rows(3, 1)).toThrow('more than 2 rows; at most 2 are read; set OVERHEAR_MAX_ROWS')
    expect(() => tableLimits('t').rows(1, 1)).not.toThrow()
    expect(() => tableLimits('t').rows(2, 1)).toThrow('more than 1 cells')
    expect(mostBytes()).toBe(536_870_912)
  })

  test.each(['0', '-1', '1.5', 'many'])('%s is none', (given) => {
    set({ OVERHEAR_MAX_ROWS: given })
    expect(() => tableLimits('t')).toThrow(`OVERHEAR_MAX_ROWS is "${given}"`)
  })

  test('count the rows of a JSON table', async () => {
    set({ OVERHEAR_MAX_ROWS: '2' })
    expect((await read('[{"a": 1}, {"a": 2}]')).rows).toBe(2)
    await expect(read('[{"a": 1}, {"a": 2}, {"a": 3}]')).rejects.toThrow('more than 2 rows')
  })
})

describe('the line of a key', () => {
  const line = linesOf('# first\na:\n  b: 1\n  c:\n    - x\n    - d: 2\n\n      e: 3\nf:\n5: g\n')
  test.each([
    [[], 2],
    [['a'], 2],
    [['a', 'b'], 3],
    [['a', 'c', 0], 5],
    [['a', 'c', 1], 6],
    [['a', 'c', 1, 'e'], 8],
    [['a', 'c', 9], 4],
    [['a', 'z', 'b'], 2],
    [['f'], 9],
    [['f', 'g'], 9],
    [[5], 10],
    [['z'], 2],
  ] as const)('%j is %i', (keys, expected) => expect(line(keys)).toBe(expected))

  test('is 1 in an empty text', () => {
    expect(linesOf('')(['a'])).toBe(1)
    expect(linesOf('{"a": [1,\n2]}')(['a', 1])).toBe(2)
  })
})
