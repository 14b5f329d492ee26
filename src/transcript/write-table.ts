/** Encoded records into a CSV or safetensors file that reads back to the same bits. */
import { OverhearError } from '../errors.js'
import type { Matrix } from '../numeric/linalg/matrix.js'
import type { TableSpec } from './encoded-table.js'
import { encode, type TensorToWrite } from './safetensors.js'
import { distinct, shown, some } from './validate.js'
import type { WritableStore } from './write-transcript.js'

/** Records as the model sees them, and what stands beside the features. */
export interface TableToWrite {
  /** Names of the features, in the model's order. */
  readonly columns: readonly string[]
  readonly features: Matrix
  /** A list of names where a record has several labels, whose values then stand one after the other. */
  readonly label?: { readonly name: string | readonly string[]; readonly values: Float64Array }
  readonly metaclass?: {
    readonly name: string
    /** The metaclasses in words; row i belongs to words[numbers[i]]. */
    readonly words: readonly string[]
    readonly numbers: ArrayLike<number>
  }
  /** What the rows are called, in a column that is no input. */
  readonly id?: { readonly name: string; readonly values: readonly string[] }
}

export interface TableWriteOptions {
  /** A table with more cells of features than this becomes safetensors, any other CSV. */
  readonly safetensorsAbove?: number
}

/** A file ready to be written, and what names it in knowledge.json or truth.json. */
export interface TableFile {
  readonly spec: TableSpec
  bytes(): Uint8Array
}

interface Place extends TableWriteOptions {
  /** The file's name without its ending. */
  readonly stem: string
  /** Names the table in errors. */
  readonly where: string
  /** Columns whose cells are left empty, whatever the features hold there. */
  readonly emptied?: readonly string[]
}

/** Checks a table whole; its bytes are made when asked for. */
export function tableFile(table: TableToWrite, place: Place): TableFile {
  const { stem, where, emptied = [], safetensorsAbove = 200_000 } = place
  const { columns, features, label, metaclass, id } = table
  checkShape(table, where)
  const absent = emptied.find((name) => !columns.includes(name))
  if (absent !== undefined) {
    const found = `${where}: the sensitive column ${shown(absent)} is no column`
    throw new OverhearError('E_INPUT', found, `columns: ${some(columns)}`)
  }
  const empty = columns.map((name) => emptied.includes(name))
  checkFinite(features.data, { names: columns, skip: empty, where })
  if (label !== undefined) checkFinite(label.values, { names: namesOf(label), skip: [], where })
  const large = features.data.length > safetensorsAbove
  const spec = {
    file: `${stem}.${large ? 'safetensors' : 'csv'}`,
    ...(label !== undefined && { label: typeof label.name === 'string' ? label.name : [...label.name] }),
    ...(metaclass !== undefined && { metaclass: metaclass.name, metaclasses: [...metaclass.words] }),
    ...(id !== undefined && { id: id.name }),
  }
  return { spec, bytes: () => (large ? tensorsOf(table, empty) : csvOf(table, empty)) }
}

/** The labels' names; none where there is no label. */
const namesOf = (label: TableToWrite['label']): readonly string[] =>
  label === undefined ? [] : typeof label.name === 'string' ? [label.name] : label.name

interface Named {
  readonly columns: readonly string[]
  readonly label: TableToWrite['label'] | undefined
  readonly metaclass: TableToWrite['metaclass'] | undefined
  readonly id: TableToWrite['id'] | undefined
}

const headerOf = ({ columns, label, metaclass, id }: Named): string[] => [
  ...columns,
  ...namesOf(label),
  ...(metaclass ? [metaclass.name] : []),
  ...(id ? [id.name] : []),
]

function checkShape({ columns, features, label, metaclass, id }: TableToWrite, where: string): void {
  const { rows: n, cols: d } = features
  if (columns.length !== d) {
    throw new OverhearError('E_SHAPE', `${where}: ${columns.length} columns are named`, `the features have ${d}`)
  }
  const names = headerOf({ columns, label, metaclass, id })
  if (names.length === 0) throw new OverhearError('E_SHAPE', `${where} has no columns`, 'at least one is needed')
  distinct(names, { key: 'the header', where })
  for (const name of [...names, ...(metaclass?.words ?? []), ...(id?.values ?? [])]) {
    // Half of a surrogate pair is not UTF-8; an empty name would make a line that reads as none.
    if (/\p{Surrogate}/u.test(name) || (name === '' && names.includes(name))) {
      throw new OverhearError('E_VALUE', `${where}: the name ${shown(name)} cannot be written`, 'take whole characters')
    }
  }
  const several = namesOf(label).length
  const lengths = {
    label: label && label.values.length / several,
    metaclass: metaclass?.numbers.length,
    id: id?.values.length,
  }
  for (const [key, length = n] of Object.entries(lengths)) {
    if (length === n) continue
    const times = key === 'label' && several > 1 ? ` of ${several} labels` : ''
    const found = `${where}: ${key} has ${key === 'label' ? length * several : length} values`
    throw new OverhearError('E_SHAPE', found, `${n} rows${times} are there`)
  }
  const nameless = id?.values.findIndex((value) => value.trim() === '') ?? -1
  if (nameless >= 0) throw new OverhearError('E_VALUE', `${where}: row ${nameless} has no id`, 'give each row one')
  if (metaclass === undefined) return
  distinct(metaclass.words, { key: 'metaclass.words', where })
  const bad = Array.from(metaclass.numbers).findIndex((k) => metaclass.words[k] === undefined)
  if (bad >= 0 || metaclass.words.length === 0) {
    const found = `${where}: the metaclass of row ${bad} is ${metaclass.numbers[bad]}`
    throw new OverhearError('E_VALUE', found, `${metaclass.words.length} words are there, counted from 0`)
  }
}

function checkFinite(
  values: Float64Array,
  { names, skip, where }: { names: readonly string[]; skip: readonly boolean[]; where: string },
): void {
  const d = names.length
  const bad = values.findIndex((v, i) => !Number.isFinite(v) && !skip[i % d])
  if (bad < 0) return
  const found = `${where}: row ${Math.floor(bad / d)}, column ${shown(names[bad % d])} holds ${values[bad]}`
  throw new OverhearError('E_NON_FINITE', found, 'finite numbers are needed')
}

/** The shortest decimals that read back as the same double; String would drop the sign of -0. */
const decimal = (value: number): string => (Object.is(value, -0) ? '-0' : String(value))

/** A byte order mark at the beginning would be taken for none of the text. */
const cell = (text: string): string => (/[",\r\n\ufeff]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

function csvOf({ columns, features, label, metaclass, id }: TableToWrite, empty: readonly boolean[]): Uint8Array {
  const words = metaclass?.words.map(cell)
  const lines = [headerOf({ columns, label, metaclass, id }).map(cell).join(',')]
  const c = namesOf(label).length
  const { rows: n, cols: d, data } = features
  for (let i = 0; i < n; i++) {
    const cells: string[] = []
    for (let j = 0; j < d; j++) cells.push(empty[j] ? '' : decimal(data[i * d + j]!))
    for (let j = 0; j < c; j++) cells.push(decimal(label!.values[i * c + j]!))
    if (metaclass !== undefined) cells.push(words![metaclass.numbers[i]!]!)
    if (id !== undefined) cells.push(cell(id.values[i]!))
    lines.push(cells.join(','))
  }
  return new TextEncoder().encode(`${lines.join('\n')}\n`)
}

function tensorsOf({ columns, features, label, metaclass, id }: TableToWrite, empty: readonly boolean[]): Uint8Array {
  const { rows: n, cols: d } = features
  const known = empty.includes(true) ? features.data.map((v, i) => (empty[i % d] ? Number.NaN : v)) : features.data
  const tensors: TensorToWrite[] = [{ name: 'features', shape: [n, d], data: known }]
  const c = namesOf(label).length
  if (label !== undefined) tensors.push({ name: 'labels', shape: c === 1 ? [n] : [n, c], data: label.values })
  if (metaclass !== undefined) {
    tensors.push({ name: 'metaclass', shape: [n], data: Float64Array.from(metaclass.numbers) })
  }
  return encode(tensors, {
    columns: JSON.stringify(columns),
    ...(id !== undefined && { ids: JSON.stringify(id.values) }),
  })
}

/** Writes a file under a temporary name first, so that its own name never stands for half of it. */
export async function writeWhole(store: WritableStore, path: string, bytes: Uint8Array): Promise<void> {
  await store.write(`${path}.tmp`, bytes)
  await store.rename(`${path}.tmp`, path)
}

/** Names of files for ids: those that differ only in case would meet in one file on some systems. */
export function stemsOf(ids: Iterable<string>): Map<string, string> {
  const taken = new Set<string>()
  const stems = new Map<string, string>()
  for (const id of ids) {
    const lower = id.toLowerCase()
    stems.set(id, taken.has(lower) ? `${id}~${stems.size}` : id)
    taken.add(lower)
  }
  return stems
}
