/** Parquet files by DuckDB, loaded only here and only when one is asked for. It decodes; it computes nothing. */
import { type Column, type Table, tableOf, wordColumn } from '../../data/table.js'
import type { RawTable } from '../../transcript/encoded-table.js'
import { type LoadDuckdb, literalPath, openDuckdb } from './duckdb.js'
import { tableLimits } from './table-limits.js'

const NUMERIC = /^(U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL.*)$/

/** Every row in the order of the file; `wordOf` makes words of what is no number. */
export async function readParquet(
  path: string,
  wordOf: (word: string) => string | null,
  duckdb?: LoadDuckdb,
): Promise<Table> {
  const what = (name: string): string => `${path} is a Parquet file, and ${name}, which reads them,`
  const { connection, close } = await openDuckdb({ what, otherwise: ', or give a CSV file' }, duckdb)
  try {
    const from = `read_parquet(${literalPath(path)})`
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
    close()
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
