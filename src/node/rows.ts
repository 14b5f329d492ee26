/** Rows of CSV, Parquet and JSON files (also .gz) as a table. DuckDB decodes; it computes nothing that reaches a result. */
import type { TableOptions } from '../data/definition.js'
import { type Column, lengthOf, type Table, tableOf, wordColumn } from '../data/table.js'
import { OverhearError } from '../errors.js'

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`
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
  if (kind === 'parquet') return `read_parquet(${quote(path)})`
  if (kind.includes('json')) return `read_json_auto(${quote(path)}, sample_size = -1)`
  const nulls = missing === undefined ? [''] : ['', missing, ` ${missing}`]
  const options = [
    quote(path),
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
          else words.push(item === null ? null : trimmed(String(item), options.missing))
        }
      }
      return numeric ? { kind: 'number', name, values } : wordColumn(name, words)
    })
    return checked(tableOf(table, rows), path)
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

function checked(table: Table, path: string): Table {
  const first = table.columns[0]
  if (first === undefined || lengthOf(first) === 0) throw new OverhearError('E_INPUT', `${path} holds no rows`)
  return table
}
