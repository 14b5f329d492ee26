/** Knowledge and truth of a recording from one table of its records: whose each is, and whether it was trained on. */
import { lookup, OverhearError } from '../errors.js'
import { matrix } from '../numeric/linalg/matrix.js'
import { rng } from '../numeric/random/rng.js'
import { csvRows } from './csv.js'
import { numberOf, type RawTable } from './encoded-table.js'
import { type KnowledgeToWrite, type SensitiveToWrite, writeKnowledge } from './write-knowledge.js'
import type { TableToWrite } from './write-table.js'
import type { WritableStore } from './write-transcript.js'
import { writeTruth } from './write-truth.js'

/** What the columns of the table are. Those without a role are inputs of the model. */
export interface RecordingRoles {
  /** What the model predicts; several in the order of its outputs. */
  readonly label: string | readonly string[]
  /** Whose record it is, by the ids of the transcript; a record of nobody is one that the adversary holds. */
  readonly client: string
  /** "yes", "true" or "1" where the client trained on the record; else it was kept out at random. All unless told. */
  readonly trained?: string
  /** What records are called in reports. */
  readonly id?: string
  /** Inputs that the adversary wants to know: columns, or several columns under one name, or what they may hold in full. */
  readonly sensitive?: readonly (string | Pick<SensitiveToWrite, 'name' | 'columns'> | SensitiveToWrite)[]
  /** Groups that label attacks tell apart. */
  readonly metaclass?: string
  /** The model's inputs in its order; unless told, all columns without another role, as they stand. */
  readonly inputs?: readonly string[]
}

export interface RecordingTablesOptions {
  /** Where knowledge.json and its tables go. */
  readonly knowledge: WritableStore
  /** Where truth.json goes: a folder that no adversary reads. */
  readonly truth: WritableStore
  /** The client to attack; unless told each of the table's, with knowledge of its own. */
  readonly target?: string
  /** Whether the adversary knows the labels of the target's records; it does unless told. */
  readonly labelsKnown?: boolean
  /** Of the order of the candidates. */
  readonly seed?: number
}

/**
 * Writes both from a table, or from the text of a CSV file, whose inputs are encoded as the model sees them. Returns the name of
 * the knowledge of each client to attack: knowledge.json of the first, knowledge-<id>.json of the others.
 */
export async function writeRecordingTables(
  table: RawTable | string,
  roles: RecordingRoles,
  { knowledge, truth, target, labelsKnown = true, seed = 1 }: RecordingTablesOptions,
): Promise<Readonly<Record<string, string>>> {
  const read = readRoles(table, roles)
  const { clients, auxiliary, tableOf } = read
  const targets = target === undefined ? [...clients.keys()] : [target]
  if (targets.length === 0) {
    const found = `the table names no client in column ${JSON.stringify(roles.client)}`
    throw new OverhearError('E_INPUT', found, 'write there whose record it is, by the ids of the recording')
  }
  if (target !== undefined && !clients.has(target)) {
    const ids = [...clients.keys()].slice(0, 20).join(', ')
    throw new OverhearError('E_INPUT', `the table has no record of client "${target}"`, `clients: ${ids}`)
  }
  const empty = [...clients].find(([, { trained }]) => trained.length === 0)
  if (empty !== undefined) {
    throw new OverhearError('E_INPUT', `client "${empty[0]}" trained on no record`, 'leave it out of the table')
  }
  const held = [...clients].filter(([, { heldBack }]) => heldBack.length > 0)
  await writeTruth(truth, {
    clients: new Map([...clients].map(([id, { trained }]) => [id, tableOf(trained, {})])),
    ...(held.length > 0 && { heldBack: new Map(held.map(([id, { heldBack }]) => [id, tableOf(heldBack, {})])) }),
  })
  const named = { id: false }
  const files: Record<string, string> = {}
  for (const [i, id] of targets.entries()) {
    const own = clients.get(id)!
    const asked = mixed(own, seed)
    const known: KnowledgeToWrite = {
      target: id,
      records: tableOf(own.trained, { ...named, metaclass: false, label: labelsKnown }),
      ...(read.sensitive.length > 0 && { sensitive: read.sensitive }),
      ...(auxiliary.length > 0 && { auxiliary: tableOf(auxiliary, named) }),
      ...(asked.length > 0 && { candidates: tableOf(asked, { ...named, metaclass: false }) }),
    }
    files[id] = i === 0 ? 'knowledge.json' : `knowledge-${id}.json`
    await writeKnowledge(knowledge, known, { path: files[id] })
  }
  return files
}

type Row = readonly (string | number | null)[]

interface Rows {
  readonly trained: Row[]
  readonly heldBack: Row[]
}

interface Beside {
  readonly label?: boolean
  readonly metaclass?: boolean
  readonly id?: boolean
}

/** As many trained as held-back records of a client, in random order. */
function mixed({ trained, heldBack }: Rows, seed: number): Row[] {
  const half = Math.min(trained.length, heldBack.length)
  const draws = rng(seed).fork('recording', 'candidates')
  const some = (rows: readonly Row[], name: string): Row[] =>
    Array.from(draws.fork(name).sample(rows.length, half), (i) => rows[i]!)
  const both = [...some(trained, 'trained'), ...some(heldBack, 'held back')]
  return Array.from(draws.fork('order').permutation(both.length), (i) => both[i]!)
}

function readRoles(table: RawTable | string, roles: RecordingRoles) {
  const { columns, rows } = typeof table === 'string' ? fromCsv(table) : table
  const all = [...rows]
  const places = Object.fromEntries(columns.map((name, j) => [name, j]))
  const at = (name: string): number => lookup(places, name, 'column of the table')
  const numbered = new Map(all.map((row, i) => [row, i + 1]))
  const cell = (row: Row, name: string): string => String(row[at(name)] ?? '').trim()
  const value = (row: Row, name: string): number =>
    numberOf(row[at(name)] ?? '', () => `record ${numbered.get(row)}, column ${JSON.stringify(name)}`)
  const labels = typeof roles.label === 'string' ? [roles.label] : roles.label
  const others = new Set([...labels, roles.client, roles.trained, roles.id, roles.metaclass])
  const inputs = roles.inputs ?? columns.filter((name) => !others.has(name))
  const words = roles.metaclass === undefined ? [] : [...new Set(all.map((row) => cell(row, roles.metaclass!)))].sort()
  const clients = new Map<string, Rows>()
  const auxiliary: Row[] = []
  for (const row of all) {
    const id = cell(row, roles.client)
    if (id === '') {
      auxiliary.push(row)
      continue
    }
    const own = clients.get(id) ?? { trained: [], heldBack: [] }
    clients.set(id, own)
    const trained = roles.trained === undefined || yesOrNo(cell(row, roles.trained), roles.trained, numbered.get(row)!)
    own[trained ? 'trained' : 'heldBack'].push(row)
  }
  const tableOf = (wanted: readonly Row[], { label = true, metaclass = true, id = true }: Beside): TableToWrite => ({
    columns: inputs,
    features: matrix(
      wanted.length,
      inputs.length,
      Float64Array.from(wanted.flatMap((row) => inputs.map((name) => value(row, name)))),
    ),
    ...(label && {
      label: {
        name: roles.label,
        values: Float64Array.from(wanted.flatMap((row) => labels.map((name) => value(row, name)))),
      },
    }),
    ...(metaclass &&
      roles.metaclass !== undefined && {
        metaclass: {
          name: roles.metaclass,
          words,
          numbers: wanted.map((row) => words.indexOf(cell(row, roles.metaclass!))),
        },
      }),
    ...(id && roles.id !== undefined && { id: { name: roles.id, values: wanted.map((row) => cell(row, roles.id!)) } }),
  })
  const sensitive = (roles.sensitive ?? []).map((one) => sensitiveIn(one, (name) => all.map((row) => value(row, name))))
  return { clients, auxiliary, tableOf, sensitive }
}

function fromCsv(text: string): RawTable {
  const rows = csvRows(text, 'the table')
  const header = rows.next()
  if (header.done === true) throw new OverhearError('E_INPUT', 'the table is empty', 'a header line is needed')
  return { columns: header.value, rows }
}

function yesOrNo(word: string, column: string, record: number): boolean {
  const lower = word.toLowerCase()
  if (['yes', 'true', '1'].includes(lower)) return true
  if (['no', 'false', '0'].includes(lower)) return false
  const found = `record ${record}, column ${JSON.stringify(column)} holds ${JSON.stringify(word)}`
  throw new OverhearError('E_INPUT', found, 'yes or no is needed: whether the client trained on it')
}

/** Up to so many different values are categories; more are a measure. */
const mostCategories = 20

/** What sensitive columns may hold is known to all, from all records of the table. */
function sensitiveIn(
  one: NonNullable<RecordingRoles['sensitive']>[number],
  valuesOf: (column: string) => number[],
): SensitiveToWrite {
  if (typeof one === 'object' && 'kind' in one) return one
  const { name, columns } = typeof one === 'string' ? { name: one, columns: [one] } : one
  const held = columns.map(valuesOf)
  const rows = new Map<string, number[]>()
  for (const i of held[0]?.keys() ?? []) {
    const row = held.map((column) => column[i]!)
    rows.set(row.join(), row)
  }
  const values = [...rows.values()].sort((a, b) => a.map((v, j) => v - b[j]!).find((by) => by !== 0) ?? 0)
  if (values.length < 2) {
    const found = `the sensitive ${JSON.stringify(name)} is the same in all records`
    throw new OverhearError('E_INPUT', found, 'there is nothing to find out')
  }
  if (values.length <= mostCategories)
    return { name, columns, kind: values.length === 2 ? 'binary' : 'categorical', values }
  if (columns.length === 1) return { name, columns, kind: 'continuous', values: [values[0]!, values.at(-1)!] }
  const found = `the sensitive ${JSON.stringify(name)} has ${values.length} different values in ${columns.length} columns`
  throw new OverhearError('E_INPUT', found, `at most ${mostCategories} can be told apart; give kind and values`)
}
