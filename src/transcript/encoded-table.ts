/** Encoded records from a CSV, Parquet or safetensors file: features in the model's order, labels, metaclasses. */
import { nearest, OverhearError } from '../errors.js'
import { type Matrix, matrix } from '../numeric/linalg/matrix.js'
import { csvRows } from './csv.js'
import { parseJson } from './json.js'
import { readHeader, readTensor, type SafetensorsHeader } from './safetensors.js'
import { type FileStore, insidePath, readText } from './store.js'
import { distinct, some } from './validate.js'

export interface TableSpec {
  readonly file: string
  /** The label's column, or those of several in the order of the model's outputs. */
  readonly label?: string | readonly string[] | undefined
  readonly metaclass?: string | undefined
  /** The words in the metaclass column, in the order that their numbers follow. */
  readonly metaclasses?: readonly string[] | undefined
  /** The column that names the records, which is no input. */
  readonly id?: string | undefined
}

/** Rows of cells, as a reader of Parquet hands them over. */
export interface RawTable {
  readonly columns: readonly string[]
  readonly rows: Iterable<readonly (string | number | null)[]>
}

export interface TableOptions {
  /** Reads a Parquet file of the folder; without it such a file is an error that says so. */
  readonly readParquet?: (store: FileStore, path: string) => Promise<RawTable>
  /** Columns whose cells may be empty; an empty cell becomes NaN. */
  readonly mayBeEmpty?: readonly string[]
}

/** How a file that names tables is opened. */
export interface OpenTables extends Pick<TableOptions, 'readParquet'> {
  readonly path?: string
  /** Who reads the tables; each anew unless told. */
  readonly tables?: ReadTable
}

export interface Table {
  /** Names of the features; in a safetensors file that does not say them they are "0", "1", ... */
  readonly columns: readonly string[]
  readonly features: Matrix
  /** One a record, or all of a record's one after the other. */
  readonly labels?: Float64Array
  /** Number of each row's metaclass. */
  readonly metaclasses?: Float64Array
  /** What each row is called. */
  readonly ids?: readonly string[]
}

/** Reads the records that `spec` names; `where` says in errors which key named them. */
export type ReadTable = (
  store: FileStore,
  spec: TableSpec,
  options: TableOptions & { readonly where: string },
) => Promise<Table>

export const readTable: ReadTable = async (store, spec, { where, ...options }) => {
  const path = insidePath(spec.file, `${where}.file`)
  if (/\.csv$/i.test(path)) {
    const rows = csvRows(await readText(store, path), path)
    const header = rows.next()
    return tableOf({ columns: header.done === true ? [] : header.value, rows }, spec, { path, where, ...options })
  }
  if (/\.safetensors$/i.test(path)) return readTensors(store, spec, { path, where, ...options })
  if (/\.parquet$/i.test(path)) {
    if (options.readParquet !== undefined) {
      return tableOf(await options.readParquet(store, path), spec, { path, where, ...options })
    }
    throw new OverhearError(
      'E_INPUT',
      `${where}.file: ${path} is Parquet, which cannot be read here`,
      'give CSV or safetensors',
    )
  }
  throw new OverhearError(
    'E_INPUT',
    `${where}.file: ${path} ends in no known way`,
    'known: .csv, .parquet, .safetensors',
  )
}

interface At extends TableOptions {
  readonly path: string
  readonly where: string
}

function tableOf({ columns, rows }: RawTable, spec: TableSpec, at: At): Table {
  const { path } = at
  if (columns.length === 0) throw new OverhearError('E_INPUT', `${path} is empty`, 'a header line is needed')
  distinct(columns, { key: 'the header', where: path })
  const labelsAt = labelNames(spec, at.where)?.map((name) => columnOf(name, { columns, key: 'label', ...at })!)
  const metaclassAt = columnOf(spec.metaclass, { columns, key: 'metaclass', ...at })
  const idAt = columnOf(spec.id, { columns, key: 'id', ...at })
  const beside = new Set([...(labelsAt ?? []), metaclassAt, idAt])
  const kept = columns.flatMap((_, j) => (beside.has(j) ? [] : [j]))
  const empty = new Set(at.mayBeEmpty)
  const mayBeEmpty = columns.map((name) => empty.has(name))
  const [features, labels, metaclasses]: [number[], number[], number[]] = [[], [], []]
  const ids: string[] = []
  let n = 0
  for (const row of rows) {
    n++
    const cell = (j: number): number => {
      const value = row[j] ?? ''
      if (value === '' && mayBeEmpty[j]) return Number.NaN
      return numberOf(value, () => `${path}: record ${n}, column ${JSON.stringify(columns[j])}`)
    }
    for (const j of kept) features.push(cell(j))
    for (const j of labelsAt ?? []) labels.push(cell(j))
    if (metaclassAt !== undefined) metaclasses.push(metaclassOf(row[metaclassAt] ?? '', spec, `${path}: record ${n}`))
    if (idAt !== undefined) ids.push(String(row[idAt] ?? ''))
  }
  return {
    columns: kept.map((j) => columns[j]!),
    features: matrix(n, kept.length, Float64Array.from(features)),
    ...(labelsAt !== undefined && { labels: Float64Array.from(labels) }),
    ...(metaclassAt !== undefined && { metaclasses: Float64Array.from(metaclasses) }),
    ...(idAt !== undefined && { ids: named(ids, path) }),
  }
}

/** The labels' names, each once; undefined when there is none. */
function labelNames({ label }: TableSpec, where: string): readonly string[] | undefined {
  if (label === undefined || typeof label === 'string') return label === undefined ? undefined : [label]
  distinct(label, { key: 'label', where })
  return label
}

function columnOf(
  name: string | undefined,
  { columns, key, path, where }: At & { columns: readonly string[]; key: string },
): number | undefined {
  if (name === undefined) return undefined
  const j = columns.indexOf(name)
  if (j >= 0) return j
  const near = nearest(name.slice(0, 64), columns.slice(0, 1000))
  const meant = near === undefined ? '' : ` (did you mean ${JSON.stringify(near)}?)`
  const found = `${where}.${key} is ${JSON.stringify(name)}, which is no column of ${path}${meant}`
  throw new OverhearError('E_INPUT', found, `columns: ${some(columns)}`)
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** A finite number, or what stands there instead. */
export function numberOf(cell: string | number, where: () => string): number {
  const value = typeof cell === 'number' ? cell : decimal.test(cell.trim()) ? Number(cell) : Number.NaN
  if (!Number.isFinite(value)) {
    const shown = JSON.stringify(String(cell).slice(0, 60))
    throw new OverhearError(
      'E_NON_FINITE',
      `${where()} holds ${shown}`,
      'a finite number is needed, encoded as the model sees it',
    )
  }
  return value
}

function metaclassOf(cell: string | number, { metaclasses }: TableSpec, where: string): number {
  const words = listed(metaclasses, where)
  const index = words.indexOf(String(cell))
  if (index < 0) {
    const found = `${where}: the metaclass is ${JSON.stringify(String(cell).slice(0, 60))}`
    throw new OverhearError('E_INPUT', found, `known: ${some(words)}`)
  }
  return index
}

function listed(metaclasses: readonly string[] | undefined, where: string): readonly string[] {
  if (metaclasses !== undefined) return metaclasses
  const found = `${where} has a metaclass, but "metaclasses" is missing`
  throw new OverhearError('E_INPUT', found, 'list the words in order')
}

async function readTensors(store: FileStore, spec: TableSpec, { path, where, mayBeEmpty = [] }: At): Promise<Table> {
  const source = await store.open(path)
  try {
    const header = await readHeader(source, path)
    const info = header.tensors.get('features')
    if (info === undefined || info.shape.length !== 2) {
      const found = `${path} holds no tensor "features" of two dimensions`
      throw new OverhearError('E_SHAPE', found, '[records, inputs] is needed')
    }
    const [n, d] = info.shape as [number, number]
    if (n === 0) throw new OverhearError('E_SHAPE', `${path} holds no records`, 'at least one is needed')
    const columns = columnNames(header, d, path)
    const empty = new Set(mayBeEmpty)
    const checked = (values: Float64Array, names: readonly string[]): Float64Array => {
      const bad = values.findIndex(
        (v, i) => !Number.isFinite(v) && !(Number.isNaN(v) && empty.has(names[i % names.length]!)),
      )
      if (bad < 0) return values
      const at = `record ${Math.floor(bad / names.length) + 1}, column ${JSON.stringify(names[bad % names.length])}`
      throw new OverhearError('E_NON_FINITE', `${path}: ${at} holds ${values[bad]}`, 'finite numbers are needed')
    }
    const vector = async (name: string, names: readonly string[] = [name]): Promise<Float64Array> => {
      const found = header.tensors.get(name)
      const c = names.length
      const fits = c === 1 ? (found?.shape.length ?? 0) <= 2 : found?.shape.join() === `${n},${c}`
      if (found?.size === n * c && fits) return checked(await readTensor(source, found), names)
      const needed = c === 1 ? `${n} values` : `${n} x ${c} values`
      throw new OverhearError('E_SHAPE', `${where}: ${path} holds no tensor "${name}" of ${needed}`)
    }
    const features = matrix(n, d, checked(await readTensor(source, info), columns))
    const hasLabels = spec.label !== undefined || header.tensors.has('labels')
    return {
      columns,
      features,
      ...(hasLabels && { labels: await vector('labels', labelNames(spec, where)) }),
      ...(spec.metaclass !== undefined && { metaclasses: numbered(await vector('metaclass'), spec, path) }),
      ...(spec.id !== undefined && { ids: namesIn(header, n, path) }),
    }
  } finally {
    await source.close?.()
  }
}

/** Names of records, none of which may be missing: a report could not say whom it means. */
function named(ids: readonly string[], path: string): readonly string[] {
  const bad = ids.findIndex((id) => id.trim() === '')
  if (bad < 0) return ids
  throw new OverhearError('E_INPUT', `${path}: record ${bad + 1} has no id`, 'fill the column in, or leave "id" out')
}

/** The records' names in the file's metadata, a JSON list under "ids": tensors hold no words. */
function namesIn({ metadata }: SafetensorsHeader, n: number, path: string): readonly string[] {
  const where = `${path}: __metadata__.ids`
  const names = metadata.ids === undefined ? undefined : parseJson(metadata.ids, where)
  if (Array.isArray(names) && names.length === n && names.every((name) => typeof name === 'string')) {
    return named(names, path)
  }
  throw new OverhearError('E_INPUT', `${where} is no list of ${n} names`, 'one name per row of "features"')
}

/** The names in the file's metadata, a JSON list under "columns"; else numbers. */
function columnNames({ metadata }: SafetensorsHeader, d: number, path: string): readonly string[] {
  if (metadata.columns === undefined) return Array.from({ length: d }, (_, j) => String(j))
  const where = `${path}: __metadata__.columns`
  const names = parseJson(metadata.columns, where)
  if (!Array.isArray(names) || names.length !== d || !names.every((name) => typeof name === 'string')) {
    throw new OverhearError('E_INPUT', `${where} is no list of ${d} names`, 'one name per column of "features"')
  }
  distinct(names, { key: '__metadata__.columns', where: path })
  return names
}

function numbered(numbers: Float64Array, { metaclasses }: TableSpec, path: string): Float64Array {
  const words = listed(metaclasses, path)
  const bad = numbers.findIndex((k) => !(Number.isInteger(k) && k >= 0 && k < words.length))
  if (bad < 0) return numbers
  const found = `${path}: record ${bad + 1}: the metaclass is ${numbers[bad]}`
  throw new OverhearError('E_VALUE', found, `0 to ${words.length - 1} are possible, by "metaclasses"`)
}
