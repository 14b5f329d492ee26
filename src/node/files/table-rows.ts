/** Rows of CSV, JSON (also .gz) and Parquet files as a table; the ending of a file's name says which it is. */
import type { TableOptions } from '../../data/dataset-entry.js'
import type { Table } from '../../data/table.js'
import { OverhearError } from '../../errors.js'
import type { RawTable } from '../../transcript/encoded-table.js'
import { readCsv, wordOf } from './csv-table.js'
import { readJson } from './json-table.js'
import { cellsOf, readParquet } from './parquet.js'
import { requireRegular } from './regular-file.js'

/** Every row in the order of the file. Words are trimmed; empty ones are missing. */
export async function readRows(path: string, options: TableOptions = {}): Promise<Table> {
  const read = readerOf(path, options)
  requireRegular(path, 'a table with one row a line')
  const table = await naming(path, read)
  if (table.columns.length === 0 || table.rows === 0) throw new OverhearError('E_INPUT', `${path} holds no rows`)
  return table
}

/** The cells of a Parquet file as they are, a row at a time; what is missing or NaN is null. */
export async function readParquetCells(path: string): Promise<RawTable> {
  requireRegular(path, 'a Parquet file')
  return cellsOf(await naming(path, () => readParquet(path, (word) => word)))
}

function readerOf(path: string, options: TableOptions): () => Promise<Table> {
  const [, kind, gzip] = /\.(csv|tsv|txt|data|test|parquet|json|jsonl|ndjson)(\.gz)?$/i.exec(path.toLowerCase()) ?? []
  if (kind === undefined || (kind === 'parquet' && gzip !== undefined)) {
    throw new OverhearError(
      'E_INPUT',
      `cannot tell what ${path} is`,
      'known endings: .csv, .tsv, .json (all also .gz), .parquet',
    )
  }
  if (kind === 'parquet') return () => readParquet(path, (word) => wordOf(word, options.missing))
  return kind.includes('json') ? () => readJson(path, options) : () => readCsv(path, options)
}

/** What goes wrong outside is an error that names the file. */
async function naming(path: string, read: () => Promise<Table>): Promise<Table> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof OverhearError) throw error
    const reason = (error as Error).message.split('\n')[0]!
    throw new OverhearError('E_INPUT', `cannot read ${path}: ${reason}`, 'a table with one row a line is needed')
  }
}
