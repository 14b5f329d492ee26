/** Parquet files by DuckDB, loaded only here and only when one is asked for. It decodes; it computes nothing. */
import { type Column, type Table, tableOf, wordColumn } from '../../data/table.js'
import { OverhearError } from '../../errors.js'
import type { RawTable } from '../../transcript/encoded-table.js'
import { peerDependencies } from '../version.js'
import { tableLimits } from './table-limits.js'

const reader = '@duckdb/node-api'
type Load = () => Promise<typeof import('@duckdb/node-api')>
const load: Load = () => import('@duckdb/node-api')

/** DuckDB takes * ? [ in a path for a pattern, unless they stand in brackets. */
const literal = (path: string): string => `'${path.replace(/[*?[]/g, '[$&]').replaceAll("'", "''")}'`
const NUMERIC = /^(U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL.*)$/

/** Every row in the order of the file; `wordOf` makes words of what is no number. */
export async function readParquet(
  path: string,
  wordOf: (word: string) => string | null,
  duckdb: Load = load,
): Promise<Table> {
  const { DuckDBInstance } = await loaded(path, duckdb)
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false', // nothing is fetched
    autoload_known_extensions: 'false',
  })
  const connection = await instance.connect()
  try {
    const from = `read_parquet(${literal(path)})`
    const [[count] = []] = (await connection.runAndReadAll(`SELECT count(*) FROM ${from}`)).getRows()
    const about = (await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${from}`)).getRows()
    tableLimits(path).rows(Number(count), about.length)
    await connection.run(`CREATE TEMP TABLE rows AS SELECT * FROM ${from}`)
    const columns = about.map(([name, type]) => ({ name: String(name), numeric: NUMERIC.test(String(type)) }))
    const picked = columns.map(({ name, numeric }) => {
      return `CAST("${name.replaceAll('"', '""')}" AS ${numeric ? 'DOUBLE' : 'VARCHAR'})`
    })
    const result = await connection.run(`SELECT ${picked.join(', ')} FROM rows`)
    const chunks = await result.fetchAllChunks()
    const rows = chunks.reduce((sum, chunk) => sum + chunk.rowCount, 0)
    const table = columns.map(({ name, numeric }, j): Column => {
      const values = new Float64Array(numeric ? rows : 0)
      const words: (string | null)[] = []
      let at = 0
      for (const chunk of chunks) {
        const vector = chunk.getColumnVector(j)
        const count = chunk.rowCount // a call into DuckDB
        for (let i = 0; i < count; i++, at++) {
          const item = vector.getItem(i)
          if (numeric) values[at] = item === null ? Number.NaN : (item as number)
          else words.push(item === null ? null : wordOf(String(item)))
        }
      }
      return numeric ? { kind: 'number', name, values } : wordColumn(name, words)
    })
    return tableOf(table, rows)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

async function loaded(path: string, duckdb: Load): ReturnType<Load> {
  try {
    return await duckdb()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'ERR_MODULE_NOT_FOUND' ? 'is not installed' : `cannot be loaded (${message.split('\n')[0]})`
    const found = `${path} is a Parquet file, and ${reader}, which reads them, ${why}`
    const install = `npm install ${reader}@${peerDependencies[reader]}`
    throw new OverhearError('E_INPUT', found, `run \`${install}\`, or give a CSV file`)
  }
}

/** The cells of a table a row at a time; what is missing or NaN is null. */
export function cellsOf({ rows: n, columns }: Table): RawTable {
  const cellOf = (column: Column, i: number): string | number | null => {
    if (column.kind === 'word') return column.words[column.codes[i]!] ?? null
    const value = column.values[i]!
    return Number.isNaN(value) ? null : value
  }
  function* rows(): Generator<(string | number | null)[]> {
    for (let i = 0; i < n; i++) yield columns.map((column) => cellOf(column, i))
  }
  return { columns: columns.map(({ name }) => name), rows: rows() }
}
