/** knowledge.json: what the adversary knows besides the transcript, and the files it names. */
import { OverhearError } from '../errors.js'
import { type OpenTables, readTable, type Table } from './encoded-table.js'
import { parseJson } from './json.js'
import type { SensitiveRaw } from './schema.js'
import { type FileStore, readText } from './store.js'
import { check } from './validate.js'

/** An attribute to infer: the columns it fills and what they may hold. */
export type Sensitive =
  | {
      readonly name: string
      readonly columns: readonly string[]
      readonly kind: 'binary' | 'categorical'
      /** Encoded columns of each category. */
      readonly values: readonly (readonly number[])[]
      readonly words?: readonly string[]
    }
  | {
      readonly name: string
      readonly columns: readonly [string]
      readonly kind: 'continuous'
      readonly range: readonly [number, number]
    }

/** How often clients took part in the rounds from one to another, both among them; every window names the same clients. */
export interface TurnWindow {
  readonly from: number
  readonly to: number
  readonly clients: Readonly<Record<string, number>>
}

export interface KnowledgeFile {
  readonly target?: string
  readonly round?: number
  readonly batchSize?: number
  readonly sensitive?: readonly Sensitive[]
  /** The metaclass column of the auxiliary data, and its words in order. */
  readonly metaclass?: string
  readonly metaclasses?: readonly string[]
  readonly metaclassCounts?: readonly number[]
  readonly property?: { readonly name: string; readonly record?: number }
  /** In the order of the rounds, without overlaps. */
  readonly turnCounts?: readonly TurnWindow[]
  readonly warnings: readonly string[]
  /** The tables, read when asked for; undefined when the file names none. */
  records(): Promise<Table | undefined>
  auxiliary(): Promise<Table | undefined>
  candidates(): Promise<Table | undefined>
}

/** Opens a knowledge file; the files it names must lie in the same folder. */
export async function openKnowledge(
  store: FileStore,
  { path = 'knowledge.json', tables = readTable, ...options }: OpenTables = {},
): Promise<KnowledgeFile> {
  const { knowledgeSchema } = await import('./schema.js')
  const { value, warnings } = check(knowledgeSchema, parseJson(await readText(store, path), path), path)
  const { target, round, batchSize, metaclassCounts, auxiliary, property } = value
  const turnCounts = value.turnCounts && windowsOf(value.turnCounts, `${path}: turnCounts`)
  const sensitive = value.sensitive?.map((one, i) => sensitiveOf(one, `${path}: sensitive[${i}]`))
  const metaclasses = auxiliary?.metaclasses
  if (metaclasses !== undefined && metaclassCounts !== undefined && metaclasses.length !== metaclassCounts.length) {
    const found = `${path}: metaclassCounts has ${metaclassCounts.length} numbers`
    throw new OverhearError('E_SHAPE', found, `auxiliary.metaclasses has ${metaclasses.length}`)
  }
  const read = async (key: 'records' | 'auxiliary' | 'candidates', mayBeEmpty: readonly string[] = []) => {
    const spec = value[key]
    if (spec === undefined) return undefined
    return tables(store, spec, { where: `${path}: ${key}`, mayBeEmpty, ...options })
  }
  return {
    ...(target !== undefined && { target }),
    ...(round !== undefined && { round }),
    ...(batchSize !== undefined && { batchSize }),
    ...(sensitive !== undefined && { sensitive }),
    ...(auxiliary?.metaclass !== undefined && { metaclass: auxiliary.metaclass }),
    ...(metaclasses !== undefined && { metaclasses }),
    ...(metaclassCounts !== undefined && { metaclassCounts }),
    ...(property !== undefined && {
      property: { name: property.name, ...(property.record !== undefined && { record: property.record }) },
    }),
    ...(turnCounts !== undefined && { turnCounts }),
    warnings,
    async records() {
      const columns = (sensitive ?? []).flatMap((one) => one.columns)
      const table = await read('records', columns)
      if (table !== undefined) checkEmpty(table, columns, path)
      return table
    },
    auxiliary: () => read('auxiliary'),
    async candidates() {
      const table = await read('candidates')
      if (table === undefined || property?.record === undefined || property.record < table.features.rows) return table
      const found = `${path}: property.record is ${property.record}`
      throw new OverhearError('E_VALUE', found, `candidates has ${table.features.rows} records, counted from 0`)
    },
  }
}

/** Windows by their rounds, each checked: a count is at most the number of rounds, and nobody is left out. */
function windowsOf(given: readonly TurnWindow[], where: string): TurnWindow[] {
  const windows = given.map(({ from, to, clients }) => ({ from, to, clients: { ...clients } }))
  windows.sort((a, b) => a.from - b.from)
  const ids = Object.keys(windows[0]!.clients)
  for (const [k, { from, to, clients }] of windows.entries()) {
    const words = `${where}: rounds ${from} to ${to}`
    if (to < from) throw new OverhearError('E_VALUE', words, '"to" is the last round, and none before "from"')
    const before = windows[k - 1]
    if (before !== undefined && from <= before.to) {
      throw new OverhearError(
        'E_VALUE',
        `${words} overlap with ${before.from} to ${before.to}`,
        'each round counts once',
      )
    }
    if (
      ids.length === 0 ||
      Object.keys(clients).length !== ids.length ||
      ids.some((id) => !Object.hasOwn(clients, id))
    ) {
      const hint = `every window names the same clients, with 0 for who stayed away; the first names ${ids.length}`
      throw new OverhearError('E_INPUT', `${words} name ${Object.keys(clients).length} clients`, hint)
    }
    const odd = ids.find((id) => clients[id]! > to - from + 1)
    if (odd === undefined) continue
    const found = `${words}: client "${odd}" took part ${clients[odd]} times`
    throw new OverhearError('E_VALUE', found, `there are ${to - from + 1} rounds`)
  }
  return windows
}

/** What is to be inferred may not lie among what is known. */
function checkEmpty({ columns, features }: Table, sensitive: readonly string[], path: string): void {
  for (const name of sensitive) {
    const j = columns.indexOf(name)
    const { cols: d, data } = features
    let filled = j < 0 ? 0 : -1
    for (let i = j; i >= 0 && i < data.length && filled < 0; i += d) if (!Number.isNaN(data[i]!)) filled = i
    if (filled < 0) continue
    const what =
      j < 0 ? 'is not in records' : `holds ${data[filled]} in record ${Math.floor(filled / d) + 1} of records`
    const found = `${path}: the sensitive column ${JSON.stringify(name)} ${what}`
    throw new OverhearError('E_INPUT', found, 'sensitive columns are present there, and empty')
  }
}

function sensitiveOf(one: SensitiveRaw, where: string): Sensitive {
  const { name, columns, kind, words } = one
  if (kind === 'continuous') {
    const [low, high, ...more] = one.values.flat()
    if (low === undefined || high === undefined || more.length > 0 || low > high || columns.length !== 1) {
      throw new OverhearError(
        'E_VALUE',
        `${where}: values is no range`,
        'a continuous attribute has one column and [low, high]',
      )
    }
    return { name, kind, columns: [columns[0]!], range: [low, high] }
  }
  const rows = one.values.map((row) => (typeof row === 'number' ? [row] : row))
  const odd = rows.findIndex((row) => row.length !== columns.length)
  if (odd >= 0 || (kind === 'binary' && rows.length !== 2)) {
    const sizes = rows.map((row) => row.length).slice(0, 20)
    const hint = `${kind === 'binary' ? '2 rows' : 'rows'} of ${columns.length} are needed, one number per column`
    throw new OverhearError('E_SHAPE', `${where}: values has ${rows.length} rows of ${sizes.join(', ')}`, hint)
  }
  if (words !== undefined && words.length !== rows.length) {
    throw new OverhearError('E_SHAPE', `${where}: words has ${words.length}`, `values has ${rows.length} rows`)
  }
  return { name, columns, kind, values: rows, ...(words !== undefined && { words }) }
}

/** JSON Schema of knowledge.json, for editors. */
export async function knowledgeJsonSchema(): Promise<object> {
  const { jsonSchemaOf, knowledgeSchema } = await import('./schema.js')
  return jsonSchemaOf(knowledgeSchema)
}
