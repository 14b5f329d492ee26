import { describe, expect, test } from 'vitest'
import { columnOf, numberColumn, numbersOf, tableOf, wordAt, wordColumn } from '../../data/table.js'
import { type LoadDuckdb, literalPath, openDuckdb } from './duckdb.js'
import { cellsOf, readParquet } from './parquet.js'

type Cells = readonly (readonly unknown[])[]

/** A database that holds one file: its columns with their types, and its rows in chunks. */
function duckdbOf(columns: readonly (readonly [name: string, type: string])[], chunks: readonly Cells[], count?: number) {
  const asked: string[] = []
  let closed = 0
  const connection = {
    async runAndReadAll(sql: string) {
      asked.push(sql)
      const rows = count ?? chunks.flat().length
      return { getRows: () => (sql.startsWith('DESCRIBE') ? columns : [[BigInt(rows)]]) }
    },
    async run(sql: string) {
      asked.push(sql)
      return {
        fetchAllChunks: async () =>
          chunks.map((rows) => ({
            rowCount: rows.length,
            getColumnVector: (j: number) => ({
              getItem: (i: number) => (i < rows.length ? rows[i]![j] : expect.unreachable('no such row')),
            }),
          })),
      }
    },
    closeSync: () => closed++,
  }
  const made: unknown[] = []
  const load = (async () => ({
    DuckDBInstance: {
      create: async (...given: unknown[]) => {
        made.push(given)
        return { connect: async () => connection, closeSync: () => closed++ }
      },
    },
  })) as unknown as LoadDuckdb
  return { load, asked, made, closed: () => closed }
} // biome-ignore format: lines

describe('a Parquet file', () => {
  const types = [
    ['n', 'INTEGER'],
    ['w', 'VARCHAR'],
    ['d', 'DECIMAL(4,2)'],
    ['a "b"', 'BOOLEAN'],
  ] as const
  const rows: Cells[] = [
    [
      [1, ' x ', 0.5, 'true'],
      [null, null, 1.5, 'false'],
    ],
    [],
    [[-3, 'y', null, null]],
  ]

  test('is a table of numbers and words, chunk by chunk', async () => {
    const { load, asked, closed, made } = duckdbOf(types, rows)
    const table = await readParquet("it's*.parquet", (word) => (word === 'y' ? null : word.trim()), load)
    expect(table.rows).toBe(3)
    expect([...numbersOf(table, 'n')]).toEqual([1, Number.NaN, -3])
    expect([...numbersOf(table, 'd')]).toEqual([0.5, 1.5, Number.NaN])
    const words = (name: string) => [0, 1, 2].map((i) => wordAt(columnOf(table, name), i))
    expect(words('w')).toEqual(['x', undefined, undefined])
    expect(words('a "b"')).toEqual(['true', 'false', undefined])
    expect(asked.slice(1)).toEqual([
      `DESCRIBE SELECT * FROM read_parquet('it''s[*].parquet')`,
      `CREATE TEMP TABLE rows AS SELECT * FROM read_parquet('it''s[*].parquet')`,
      'SELECT CAST("n" AS DOUBLE), CAST("w" AS VARCHAR), CAST("d" AS DOUBLE), CAST("a ""b""" AS VARCHAR) FROM rows',
    ])
    expect(closed()).toBe(2)
    expect(made).toEqual([[':memory:', { autoinstall_known_extensions: 'false', autoload_known_extensions: 'false' }]])
  })

  test('is not read where it is too large, and the database is closed all the same', async () => {
    const { load, asked, closed } = duckdbOf(types, rows, 10_000_001)
    await expect(readParquet('p', (word) => word, load)).rejects.toThrow('p holds more than 10000000 rows')
    expect([asked.length, closed()]).toEqual([2, 2])
  })

  test.each(['TINYINT', 'UBIGINT', 'HUGEINT', 'FLOAT', 'DOUBLE', 'DECIMAL(18,3)'])('%s is a number', async (type) => {
    const { load } = duckdbOf([['x', type]], [[[2]]])
    expect((await readParquet('p', (word) => word, load)).columns[0]!.kind).toBe('number')
  })

  test.each(['VARCHAR', 'DATE', 'BOOLEAN', 'INTEGER[]', 'INTERVAL'])('%s is a word', async (type) => {
    const { load } = duckdbOf([['x', type]], [[['2']]])
    expect((await readParquet('p', (word) => word, load)).columns[0]!.kind).toBe('word')
  })
})

test('cells are told a row at a time, null where there is nothing', () => {
  const table = tableOf([numberColumn('n', [1, Number.NaN, 0]), wordColumn('w', [null, 'a', 'b'])])
  const { columns, rows } = cellsOf(table)
  expect(columns).toEqual(['n', 'w'])
  expect([...rows]).toEqual([[1, null], [null, 'a'], [0, 'b']]) // biome-ignore format: a list
})

test('a path is no pattern', () => {
  expect(literalPath("a'b*c?d[e]")).toBe("'a''b[*]c[?]d[[]e]'")
})

test('what needs the database says so where it is not there', async () => {
  const missing = () => Promise.reject(Object.assign(new Error('x'), { code: 'ERR_MODULE_NOT_FOUND' }))
  await expect(openDuckdb({ what: (name) => `a query is answered by ${name}, which` }, missing)).rejects.toThrow(
    /^a query is answered by @duckdb\/node-api, which is not installed; run `npm install @duckdb\/node-api@[^`]+`$/,
  )
})
