/** Encoded records from a CSV, Parquet or safetensors file: features in the model's order, labels, metaclasses. */
import { z } from 'zod'
import { nearest, OverhearError } from '../errors.js'
import { type Matrix, matrix } from '../numeric/matrix.js'
import { csvRows } from './csv.js'
import { readHeader, readTensor } from './safetensors.js'
import { type FileStore, insidePath, readText } from './store.js'
import { distinct } from './validate.js'

export const tableSchema = z.looseObject({
  file: z.string().min(1),
  label: z.string().optional(),
  metaclass: z.string().optional(),
  metaclasses: z.array(z.string()).min(1).optional(),
})
export interface TableSpec {
  readonly file: string
  readonly label?: string | undefined
  readonly metaclass?: string | undefined
  /** The words in the metaclass column, in the order that their numbers follow. */
  readonly metaclasses?: readonly string[] | undefined
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

export interface Table {
  /** Names of the features; a safetensors file has none, so they are "0", "1", ... */
  readonly columns: readonly string[]
  readonly features: Matrix
  readonly labels?: Float64Array
  /** Number of each row's metaclass. */
  readonly metaclasses?: Float64Array
}

/** Reads the records that `spec` names; `where` says in errors which key named them. */
export async function readTable(
  store: FileStore,
  spec: TableSpec,
  { where, ...options }: TableOptions & { where: string },
): Promise<Table> {
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
  const labelAt = columnOf(spec.label, { columns, key: 'label', ...at })
  const metaclassAt = columnOf(spec.metaclass, { columns, key: 'metaclass', ...at })
  const kept = columns.flatMap((_, j) => (j === labelAt || j === metaclassAt ? [] : [j]))
  const empty = new Set(at.mayBeEmpty)
  const mayBeEmpty = columns.map((name) => empty.has(name))
  const [features, labels, metaclasses]: [number[], number[], number[]] = [[], [], []]
  let n = 0
  for (const row of rows) {
    n++
    const cell = (j: number): number => {
      const value = row[j] ?? ''
      if (value === '' && mayBeEmpty[j]) return Number.NaN
      return numberOf(value, () => `${path}: record ${n}, column ${JSON.stringify(columns[j])}`)
    }
    for (const j of kept) features.push(cell(j))
    if (labelAt !== undefined) labels.push(cell(labelAt))
    if (metaclassAt !== undefined) metaclasses.push(metaclassOf(row[metaclassAt] ?? '', spec, `${path}: record ${n}`))
  }
  return {
    columns: kept.map((j) => columns[j]!),
    features: matrix(n, kept.length, Float64Array.from(features)),
    ...(labelAt !== undefined && { labels: Float64Array.from(labels) }),
    ...(metaclassAt !== undefined && { metaclasses: Float64Array.from(metaclasses) }),
  }
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
  throw new OverhearError('E_INPUT', found, `columns: ${columns.slice(0, 20).join(', ')}`)
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

function numberOf(cell: string | number, where: () => string): number {
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
  if (metaclasses === undefined) {
    throw new OverhearError(
      'E_INPUT',
      `${where} has a metaclass, but "metaclasses" is missing`,
      'list the words in order',
    )
  }
  const index = metaclasses.indexOf(String(cell))
  if (index < 0) {
    const found = `${where}: the metaclass is ${JSON.stringify(String(cell).slice(0, 60))}`
    throw new OverhearError('E_INPUT', found, `known: ${metaclasses.slice(0, 20).join(', ')}`)
  }
  return index
}

async function readTensors(store: FileStore, spec: TableSpec, { path, where, mayBeEmpty = [] }: At): Promise<Table> {
  const source = await store.open(path)
  try {
    const { tensors } = await readHeader(source, path)
    const info = tensors.get('features')
    if (info === undefined || info.shape.length !== 2) {
      throw new OverhearError(
        'E_SHAPE',
        `${path} holds no tensor "features" of two dimensions`,
        '[records, inputs] is needed',
      )
    }
    const [n, d] = info.shape as [number, number]
    if (n === 0) throw new OverhearError('E_SHAPE', `${path} holds no records`, 'at least one is needed')
    const vector = async (name: string): Promise<Float64Array> => {
      const found = tensors.get(name)
      if (found?.size === n && found.shape.length <= 2) return checked(await readTensor(source, found), [name])
      throw new OverhearError('E_SHAPE', `${where}: ${path} holds no tensor "${name}" of ${n} values`)
    }
    const columns = Array.from({ length: d }, (_, j) => String(j))
    const checked = (values: Float64Array, names: readonly string[]): Float64Array => {
      const empty = new Set(mayBeEmpty)
      const bad = values.findIndex((v, i) => !Number.isFinite(v) && !empty.has(names[i % names.length]!))
      if (bad < 0) return values
      const at = `record ${Math.floor(bad / names.length) + 1}, column "${names[bad % names.length]}"`
      throw new OverhearError('E_NON_FINITE', `${path}: ${at} holds ${values[bad]}`, 'finite numbers are needed')
    }
    const features = matrix(n, d, checked(await readTensor(source, info), columns))
    const hasLabels = spec.label !== undefined || tensors.has('labels')
    return {
      columns,
      features,
      ...(hasLabels && { labels: await vector('labels') }),
      ...(spec.metaclass !== undefined && { metaclasses: await vector('metaclass') }),
    }
  } finally {
    await source.close?.()
  }
}
