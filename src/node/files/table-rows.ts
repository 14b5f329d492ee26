/** Rows of CSV, Parquet and JSON files (also .gz) as a table. DuckDB decodes; it computes nothing that reaches a result. */
import type { TableOptions } from '../../data/dataset-entry.js'
import { type Column, lengthOf, type Table, tableOf, wordColumn } from '../../data/table.js'
import { OverhearError } from '../../errors.js'
import type { RawTable } from '../../transcript/encoded-table.js'

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`
/** DuckDB takes * ? [ in a path for a pattern, unless they stand in brackets. */
const literal = (path: string): string => quote(path.replace(/[*?[]/g, '[$&]'))
const list = (texts: readonly string[]): string => `[${texts.map(quote).join(', ')}]`
const NUMERIC = /^(U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL.*)$/

/** The table function that reads a file, by its ending. */
function readerCall(path: string, { names, words = [], missing, skip = 0 }: TableOptions): string {
  const kind = /\.(csv|tsv|txt|data|test|parquet|json|jsonl|ndjson)(\.gz)?$/i.exec(path)?.[1]?.toLowerCase()
  if (kind === undefined) {
    throw new OverhearError(
      'E_INPUT',
      `cannot tell what ${path} is`,
      'known endings: .csv, .tsv, .parquet, .json (.gz)',
    )
  }
  if (kind === 'parquet') return `read_parquet(${literal(path)})`
  if (kind.includes('json')) return `read_json_auto(${literal(path)}, sample_size = -1)`
  const nulls = missing === undefined ? [''] : ['', missing, ` ${missing}`]
  const options = [
    literal(path),
    `header = ${names === undefined}`,
    `skip = ${skip}`,
    'sample_size = -1', // the whole file decides what is a number
    "auto_type_candidates = ['BIGINT', 'DOUBLE', 'VARCHAR']", // "yes" and dates stay the words they are
    `nullstr = ${list(nulls)}`,
    ...(names === undefined ? [] : [`names = ${list(names)}`]),
    ...(words.length === 0 ? [] : [`types = {${words.map((name) => `${quote(name)}: 'VARCHAR'`).join(', ')}}`]),
  ]
  return `read_csv(${options.join(', ')})`
}

/** Every row in the order of the file. Words are trimmed; empty ones are missing. */
export async function readRows(path: string, options: TableOptions = {}): Promise<Table> {
  const table = await readColumns(path, options, (word) => trimmed(word, options.missing))
  const first = table.columns[0]
  if (first === undefined || lengthOf(first) === 0) throw new OverhearError('E_INPUT', `${path} holds no rows`)
  return table
}

/** The cells of a Parquet file as they are, a row at a time; what is missing or NaN is null. */
export async function readParquetCells(path: string): Promise<RawTable> {
  const { rows: n, columns } = await readColumns(path, {}, (word) => word)
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

async function readColumns(
  path: string,
  options: TableOptions,
  wordOf: (word: string) => string | null,
): Promise<Table> {
  const call = readerCall(path, options)
  const { DuckDBInstance } = await import('@duckdb/node-api') // only now: it is large, and most commands need none
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false', // nothing is fetched
    autoload_known_extensions: 'false',
  })
  const connection = await instance.connect()
  try {
    await connection.run(`CREATE TEMP TABLE rows AS SELECT * FROM ${call}`)
    const about = (await connection.runAndReadAll('DESCRIBE rows')).getRows()
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
  } catch (error) {
    if (error instanceof OverhearError) throw error
    const reason = (error as Error).message.split('\n')[0]!
    throw new OverhearError('E_INPUT', `cannot read ${path}: ${reason}`, 'a table with one row a line is needed')
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

function trimmed(word: string, missing: string | undefined): string | null {
  const bare = word.trim()
  return bare === '' || bare === missing ? null : bare
}
