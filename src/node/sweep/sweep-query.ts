/** Results of sweeps by SQL: their tables as views of a database in memory. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { OverhearError } from '../../errors.js'
import { tableNames } from '../../sweep/table-columns.js'
import type { TrialLine } from '../../sweep/trial-line.js'
import { literalPath, openDuckdb } from '../files/duckdb.js'
import { writeTables } from './sweep-outputs.js'
import { openTrialLog } from './trial-log-file.js'

/** Folders with finished trials: the one that is named, or those below it. */
export function sweepFolders(runs: string): string[] {
  const holds = (folder: string): boolean => existsSync(join(folder, 'trials.jsonl'))
  if (!existsSync(runs))
    throw new OverhearError('E_INPUT', `there is no folder ${runs}`, 'name that of a sweep by --runs')
  if (holds(runs)) return [runs]
  const found = readdirSync(runs, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(runs, name))
    .filter(holds)
    .sort()
  if (found.length > 0) return found
  throw new OverhearError('E_INPUT', `${runs} holds no sweep`, 'run "overhear sweep", or name its folder by --runs')
}

export interface QueryResult {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

/** Asks the tables of all sweeps in these folders; with `to`, the answer is written there, as CSV or Parquet by its name. */
export async function querySweeps(folders: readonly string[], sql: string, to?: string): Promise<QueryResult> {
  const { connection, close } = await openDuckdb({ what: (name) => `a query is answered by ${name}, which` })
  const work = mkdtempSync(join(tmpdir(), 'overhear-query-'))
  try {
    const made: { folder: string; name: string }[] = []
    for (const [i, folder] of folders.entries()) made.push(await tablesOf(folder, join(work, String(i))))
    for (const table of tableNames) {
      // A sweep that has no such rows says nothing of their types.
      const parts = made.map(({ folder, name }) => {
        return `SELECT '${name.replaceAll("'", "''")}' AS sweep, * FROM ${csvTable(join(folder, `${table}.csv`))}`
      })
      await connection.run(`CREATE VIEW ${table} AS ${parts.join(' UNION ALL BY NAME ')}`)
    }
    if (to !== undefined) {
      await connection.run(`COPY (${sql.replace(/;\s*$/, '')}) TO ${written(to)}${formatOf(to)}`)
      return { columns: [], rows: [] }
    }
    const answer = await connection.runAndReadAll(sql)
    return { columns: answer.columnNames(), rows: answer.getRowsJS().map((row) => row.map(plain)) }
  } catch (error) {
    if (error instanceof OverhearError) throw error
    const [first = '', second] = (error as Error).message.split('\n')
    const tables = `tables: ${tableNames.join(', ')}; docs/sweeps.md has their columns`
    throw new OverhearError(
      'E_INPUT',
      `the query failed: ${first}${second === undefined ? '' : ` ${second.trim()}`}`,
      tables,
    )
  } finally {
    close()
    rmSync(work, { recursive: true, force: true })
  }
}

/** The tables of a folder that are there as CSV files, as Parquet files beside them. */
export async function writeParquet(folder: string): Promise<void> {
  const { connection, close } = await openDuckdb({ what: (name) => `Parquet files are written by ${name}, which` })
  try {
    for (const table of tableNames) {
      const to = written(join(folder, `${table}.parquet`))
      await connection.run(
        `COPY (SELECT * FROM ${csvTable(join(folder, `${table}.csv`))}) TO ${to}${formatOf('.parquet')}`,
      )
    }
  } finally {
    close()
  }
}

const csvTable = (path: string): string =>
  `read_csv(${literalPath(path)}, header = true, sample_size = -1, quote = '"', escape = '"')`

/** A file that is written is no pattern. */
const written = (path: string): string => `'${path.replaceAll("'", "''")}'`

const formatOf = (path: string): string => (path.endsWith('.parquet') ? ' (FORMAT parquet)' : ' (FORMAT csv, HEADER)')

/** The tables of a sweep as it stands now, whether it is done or not. */
async function tablesOf(folder: string, to: string): Promise<{ folder: string; name: string }> {
  const log = await openTrialLog(folder, { reading: true })
  try {
    async function* lines(): AsyncGenerator<TrialLine> {
      for (const id of log.ids()) {
        const line = await log.read(id)
        if (line !== undefined) yield line
      }
    }
    const axes = new Set<string>()
    for await (const { at } of lines()) for (const axis of Object.keys(at)) axes.add(axis)
    await writeTables(to, [...axes], lines())
  } finally {
    await log.close()
  }
  return { folder: to, name: basename(folder) }
}

/** As JSON can say it. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (value instanceof Date) return value.toISOString()
  return value
}
