/** Writes knowledge.json and the tables it names: the sensitive columns of the records are left empty. */
import { OverhearError } from '../errors.js'
import { jsonText } from './json.js'
import { openKnowledge, type Sensitive, type TurnWindow } from './knowledge-file.js'
import { memoryStore } from './store.js'
import { type TableFile, type TableToWrite, type TableWriteOptions, tableFile, writeWhole } from './write-table.js'
import type { WritableStore } from './write-transcript.js'

/** An attribute as the knowledge holds it, or as a dataset's encoder gives it: a range is then [[low], [high]]. */
export type SensitiveToWrite =
  | Sensitive
  | {
      readonly name: string
      readonly columns: readonly string[]
      readonly kind: 'binary' | 'categorical' | 'continuous'
      readonly values: readonly (readonly number[])[]
      readonly words?: readonly string[]
    }

export interface KnowledgeToWrite {
  readonly target?: string
  readonly round?: number
  readonly batchSize?: number
  /** May hold the sensitive columns filled: they are not written. */
  readonly records?: TableToWrite
  readonly sensitive?: readonly SensitiveToWrite[]
  /** Its metaclass words become `metaclasses`. */
  readonly auxiliary?: TableToWrite
  readonly metaclassCounts?: readonly number[]
  readonly candidates?: TableToWrite
  readonly property?: { readonly name: string; readonly record?: number }
  readonly turnCounts?: readonly TurnWindow[]
}

export interface KnowledgeWriteOptions extends TableWriteOptions {
  /** The file's name; its tables are named after it. */
  readonly path?: string
}

/** Writes the tables, then the file that names them; nothing when a reader would refuse any of it. */
export async function writeKnowledge(
  store: WritableStore,
  knowledge: KnowledgeToWrite,
  { path = 'knowledge.json', ...options }: KnowledgeWriteOptions = {},
): Promise<void> {
  if (!/^[^/]+\.json$/.test(path)) {
    throw new OverhearError('E_INPUT', `the knowledge is to be written to "${path}"`, 'a name that ends in .json')
  }
  const { sensitive, property, candidates } = knowledge
  const files: TableFile[] = []
  const specOf = (key: 'records' | 'auxiliary' | 'candidates', emptied: readonly string[] = []) => {
    const table = knowledge[key]
    if (table === undefined) return undefined
    const stem = `${path.slice(0, -'.json'.length)}-${key}`
    const file = tableFile(table, { stem, where: `${path}: ${key}`, emptied, ...options })
    files.push(file)
    return file.spec
  }
  const text = jsonText({
    format: 'overhear-knowledge/1',
    target: knowledge.target,
    round: knowledge.round,
    batchSize: knowledge.batchSize,
    records: specOf(
      'records',
      sensitive?.flatMap(({ columns }) => columns),
    ),
    sensitive: sensitive?.map(writtenSensitive),
    auxiliary: specOf('auxiliary'),
    metaclassCounts: knowledge.metaclassCounts,
    candidates: specOf('candidates'),
    property,
    turnCounts: knowledge.turnCounts,
  })
  const bytes = new TextEncoder().encode(text)
  await openKnowledge(memoryStore(new Map([[path, bytes]])), { path })
  if (candidates !== undefined && (property?.record ?? -1) >= candidates.features.rows) {
    const found = `${path}: property.record is ${property?.record}`
    throw new OverhearError('E_VALUE', found, `candidates has ${candidates.features.rows} records, counted from 0`)
  }
  await store.makeFolder('')
  for (const { spec, bytes: tableBytes } of files) await writeWhole(store, spec.file, tableBytes())
  await store.syncFolder('')
  await writeWhole(store, path, bytes)
  await store.syncFolder('')
}

function writtenSensitive(one: SensitiveToWrite): object {
  const { name, columns, kind } = one
  if ('range' in one) return { name, columns, kind, values: one.range }
  if (kind === 'continuous') return { name, columns, kind, values: one.values.flat() }
  return { name, columns, kind, values: one.values, words: one.words }
}
