/** What is known of a client's records and what is not: the columns to fill and the values that may stand there. */
import { OverhearError } from '../../errors.js'
import { type Matrix, matrix } from '../../numeric/linalg/matrix.js'
import type { View } from '../../threat/granted-keys.js'

export type Sensitive = View<'sensitive'>['sensitive'][number]

/** One attribute to infer. */
export interface Unknown {
  readonly sensitive: Sensitive
  /** Places of its columns in the records. */
  readonly places: readonly number[]
  /** Encoded values to choose from; for a continuous one a grid over its range. */
  readonly candidates: readonly (readonly number[])[]
}

export interface Unknowns {
  readonly attributes: readonly Unknown[]
  /** The records with zeros where the attributes go: nobody may read what stood there. */
  readonly known: Matrix
  readonly labels: Float64Array
}

/** Points of the grid over a continuous attribute's range; between them the minimum is refined. */
const gridPoints = 33

/** Checks records, labels and attributes once, and blanks the sensitive columns. */
export function unknownsOf(view: View<'records' | 'records.label' | 'sensitive'>): Unknowns {
  const { columns, features } = view.records
  const { rows: n, cols: k } = features
  if (n === 0) throw new OverhearError('E_SHAPE', 'no records to infer an attribute of', 'give at least one')
  const attributes = view.sensitive.map((sensitive): Unknown => {
    const places = sensitive.columns.map((name) => placeOf(name, columns))
    const candidates = sensitive.kind === 'continuous' ? gridOver(sensitive.range) : sensitive.values
    const odd = candidates.flat().find((v) => !Number.isFinite(v))
    if (odd !== undefined) throw new OverhearError('E_NON_FINITE', `attribute ${sensitive.name}: a value is ${odd}`)
    if (candidates.length < 2)
      throw new OverhearError('E_VALUE', `attribute ${sensitive.name} has ${candidates.length} values`, 'give two')
    return { sensitive, places, candidates }
  })
  const hidden = new Set(attributes.flatMap(({ places }) => places))
  if (hidden.size < attributes.reduce((sum, { places }) => sum + places.length, 0))
    throw new OverhearError('E_INPUT', 'two sensitive attributes share a column', 'each column belongs to one')
  const known = matrix(n, k, features.data.slice())
  for (let i = 0; i < n; i++) for (const j of hidden) known.data[i * k + j] = 0
  const bad = known.data.findIndex((v) => !Number.isFinite(v))
  if (bad >= 0) {
    const where = `record ${Math.floor(bad / k)}, column ${columns[bad % k]}`
    throw new OverhearError('E_NON_FINITE', `${where} is ${known.data[bad]}`, 'only sensitive columns may be empty')
  }
  return { attributes, known, labels: view['records.label'] }
}

function placeOf(name: string, columns: readonly string[]): number {
  const at = columns.indexOf(name)
  if (at < 0)
    throw new OverhearError('E_INPUT', `the sensitive column "${name}" is not in the records`, 'name their columns')
  return at
}

function gridOver([low, high]: readonly [number, number]): number[][] {
  return Array.from({ length: gridPoints }, (_, g) => [low + ((high - low) * g) / (gridPoints - 1)])
}

/** Writes one attribute's encoded value into each record; `valueAt` gives it, column by column. */
export function fillInto(
  records: Matrix,
  { places }: Pick<Unknown, 'places'>,
  valueAt: (record: number, column: number) => number,
): void {
  const { rows, cols, data } = records
  for (let i = 0; i < rows; i++) for (let c = 0; c < places.length; c++) data[i * cols + places[c]!] = valueAt(i, c)
}
