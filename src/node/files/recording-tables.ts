/** Knowledge and truth of a recording from one table on the disk, for those who have written neither. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { RecordingPaths } from '../../audit/open-recording.js'
import { OverhearError } from '../../errors.js'
import { type RecordingRoles, writeRecordingTables } from '../../transcript/write-recording-tables.js'
import { fileStore } from './file-store.js'

/** The flags of a table of the clients' records, beside --transcript. */
export const tableFlags = {
  data: { type: 'string' },
  label: { type: 'string', multiple: true },
  sensitive: { type: 'string', multiple: true },
  'client-column': { type: 'string' },
  'trained-column': { type: 'string' },
  'id-column': { type: 'string' },
  target: { type: 'string' },
} as const

export interface TableValues {
  readonly data?: string
  readonly label?: readonly string[]
  readonly sensitive?: readonly string[]
  readonly 'client-column'?: string
  readonly 'trained-column'?: string
  readonly 'id-column'?: string
  readonly target?: string
}

const usage =
  'overhear audit --transcript DIR --data table.csv --label cost --client-column hospital [--sensitive smoker]'

/** Without --data none of the others means anything. */
export function checkTableFlags(values: TableValues): void {
  const [stray] = Object.keys(tableFlags).filter(
    (name) => name !== 'data' && name !== 'target' && values[name as keyof TableValues] !== undefined,
  )
  if (values.data === undefined && stray !== undefined) {
    throw new OverhearError('E_INPUT', `--${stray} was given without --data`, usage)
  }
}

/**
 * Writes DIR.tables/truth and the knowledge of each client of the table, or of the target, and says where they are. Records of
 * nobody become the adversary's auxiliary data.
 */
export async function tablesOfRecording(
  transcript: string,
  values: TableValues,
): Promise<Pick<RecordingPaths, 'knowledge' | 'knowledgeOf' | 'truth'>> {
  const { data, label = [], sensitive = [], 'client-column': client } = values
  if (data === undefined || label.length === 0 || client === undefined) {
    const missing = data === undefined ? '--data' : label.length === 0 ? '--label' : '--client-column'
    throw new OverhearError('E_INPUT', `${missing} is missing`, usage)
  }
  if (!existsSync(data))
    throw new OverhearError('E_INPUT', `${JSON.stringify(data)} is not there`, `looked for ${resolve(data)}`)
  const text = readFileSync(data, 'utf8')
  const [trained, id] = [values['trained-column'], values['id-column']]
  const roles: RecordingRoles = {
    label: label.length === 1 ? label[0]! : label,
    client,
    sensitive,
    ...(trained !== undefined && { trained }),
    ...(id !== undefined && { id }),
  }
  const folder = `${transcript.replace(/[\\/]+$/, '')}.tables`
  const [knowledge, truth] = [fileStore(folder), fileStore(`${folder}/truth`)]
  await knowledge.makeFolder('')
  await truth.makeFolder('')
  const { target } = values
  const files = await writeRecordingTables(text, roles, { knowledge, truth, ...(target !== undefined && { target }) })
  if (target !== undefined) return { knowledge: `${folder}/${files[target]}`, truth: `${folder}/truth` }
  const knowledgeOf = Object.fromEntries(Object.entries(files).map(([id, file]) => [id, `${folder}/${file}`]))
  return { knowledgeOf, truth: `${folder}/truth` }
}
