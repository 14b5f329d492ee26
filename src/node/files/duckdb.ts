/** DuckDB, which the package can do without: loaded only when it is asked for, and never to fetch anything. */
import { OverhearError } from '../../errors.js'
import { peerDependencies } from '../version.js'

const reader = '@duckdb/node-api'
const load = (): Promise<typeof import('@duckdb/node-api')> => import('@duckdb/node-api')
export type LoadDuckdb = typeof load

export interface Needed {
  /** What needs it: "x.parquet is a Parquet file, and @duckdb/node-api, which reads them,". */
  what(name: string): string
  /** What to do in place of installing it. */
  readonly otherwise?: string
}

/** A database in memory, and how to end it; an error that says how to get DuckDB where it is not there. */
export async function openDuckdb({ what, otherwise = '' }: Needed, duckdb: LoadDuckdb = load) {
  const { DuckDBInstance } = await loaded(what(reader), otherwise, duckdb)
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false', // nothing is fetched
    autoload_known_extensions: 'false',
  })
  const connection = await instance.connect()
  return {
    connection,
    close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

async function loaded(what: string, otherwise: string, duckdb: LoadDuckdb): ReturnType<LoadDuckdb> {
  try {
    return await duckdb()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'ERR_MODULE_NOT_FOUND' ? 'is not installed' : `cannot be loaded (${message.split('\n')[0]})`
    const install = `npm install ${reader}@${peerDependencies[reader]}`
    throw new OverhearError('E_INPUT', `${what} ${why}`, `run \`${install}\`${otherwise}`)
  }
}

/** DuckDB takes * ? [ in a path for a pattern, unless they stand in brackets. */
export const literalPath = (path: string): string => `'${path.replace(/[*?[]/g, '[$&]').replaceAll("'", "''")}'`
