/** What a client's records may be, as an observer supposes: several guesses, what is not known drawn from records alike. */
import type { Batch } from '../../models/functions.js'
import { type Matrix, matrix, perRecord, rowOf, rowsOf } from '../../numeric/linalg/matrix.js'
import type { Rng } from '../../numeric/random/rng.js'
import { meanOf } from '../../numeric/special/summaries.js'
import type { View } from '../../threat/granted-keys.js'

export type SupposedView = Partial<
  View<'records' | 'records.label' | 'sensitive' | 'auxiliary' | 'auxiliary.label' | 'samples'>
>

export interface Supposed {
  readonly guesses: readonly Batch[]
  /** Whether they are the client's own records, as far as these are known, or others of the same kind. */
  readonly own: boolean
  /** Whether what is not known was drawn without a look at the label: nobody alike was there to lend it. */
  readonly blind: boolean
  /** Records in the client's hands: some may have to stand in for others. */
  readonly samples: number
}

/** Auxiliary records that are asked about a record: one of them lends it what is not known. */
const neighbours = 5

/** So many guesses; undefined where nothing is known to guess from. */
export function supposedRecords(view: SupposedView, count: number, rng: Rng): Supposed | undefined {
  const { records, auxiliary } = view
  const donors = donorsOf(view)
  if (records !== undefined && records.features.rows > 0 && (view['records.label'] !== undefined || donors)) {
    const guess = guesser(view as SupposedView & View<'records'>, donors)
    const guesses = Array.from({ length: count }, (_, k) => guess(rng.fork('guess', k)))
    const blind = (view.sensitive ?? []).length > 0 && !lendsTo(records.columns, donors)
    return { guesses, own: true, blind, samples: Math.max(view.samples ?? 0, records.features.rows) }
  }
  if (donors === undefined || auxiliary === undefined) return undefined
  const samples = view.samples ?? auxiliary.features.rows
  const guesses = Array.from({ length: count }, (_, k) => {
    const own = rng.fork('guess', k)
    const rows = Int32Array.from({ length: samples }, () => own.integer(donors.features.rows))
    return { features: rowsOf(donors.features, rows), labels: rowsOf(donors.labels, rows).data }
  })
  return { guesses, own: false, blind: false, samples }
}

/** Whether the donors have the same columns. */
const lendsTo = (columns: readonly string[], donors: Donors | undefined): donors is Donors =>
  donors !== undefined && donors.columns.join('\n') === columns.join('\n')

interface Donors {
  readonly columns: readonly string[]
  readonly features: Matrix
  /** One row a record. */
  readonly labels: Matrix
}

function donorsOf({ auxiliary, 'auxiliary.label': labels }: SupposedView): Donors | undefined {
  if (auxiliary === undefined || labels === undefined || auxiliary.features.rows === 0) return undefined
  const { columns, features } = auxiliary
  if (features.data.some((v) => !Number.isFinite(v)) || labels.some((v) => !Number.isFinite(v))) return undefined
  return { columns, features, labels: perRecord(labels, features.rows) }
}

/** Fills what is unknown of each record from one of the auxiliary records that are nearest in what is known. */
function guesser(view: SupposedView & View<'records'>, donors: Donors | undefined): (rng: Rng) => Batch {
  const { columns, features } = view.records
  const hidden = new Set((view.sensitive ?? []).flatMap((one) => one.columns.map((name) => columns.indexOf(name))))
  const known = columns.map((_, j) => j).filter((j) => !hidden.has(j))
  const own = view['records.label']
  const ownLabels = own === undefined ? undefined : perRecord(own, features.rows)
  const near = lendsTo(columns, donors) ? nearest({ features, labels: ownLabels }, donors, known) : undefined
  return (rng) => {
    const filled = matrix(features.rows, features.cols, features.data.slice())
    const labels = ownLabels === undefined ? matrix(features.rows, donors!.labels.cols) : ownLabels
    for (let i = 0; i < features.rows; i++) {
      const from = near === undefined ? undefined : near[i]![rng.integer(near[i]!.length)]!
      if (from !== undefined) {
        const lent = rowOf(donors!.features, from)
        for (const j of hidden) filled.data[i * features.cols + j] = lent[j]!
      } else fillByEncoding(filled, i, view, rng)
      if (ownLabels !== undefined) continue
      const lender = from ?? rng.integer(donors!.labels.rows)
      labels.data.set(rowOf(donors!.labels, lender), i * labels.cols)
    }
    return { features: filled, labels: labels.data.slice() }
  }
}

/** Without records alike: any of the values, which an encoding with mean zero makes as common as that mean says. */
function fillByEncoding(filled: Matrix, i: number, { records, sensitive = [] }: SupposedView, rng: Rng): void {
  for (const one of sensitive) {
    const places = one.columns.map((name) => records!.columns.indexOf(name))
    const value =
      one.kind === 'continuous'
        ? [one.range[0] + rng.uniform() * (one.range[1] - one.range[0])]
        : one.values[rng.categorical(sharesOf(one.values))]!
    for (const [c, j] of places.entries()) filled.data[i * filled.cols + j] = value[c]!
  }
}

function sharesOf(values: readonly (readonly number[])[]): number[] {
  const [low, high] = [values[0]![0]!, values[1]![0]!]
  if (values.length !== 2 || !(low * high < 0)) return values.map(() => 1)
  return [high / (high - low), -low / (high - low)].map((share) => Math.max(0, share))
}

/** For each record the auxiliary records that are nearest in the known columns, scaled, and in the label where it is known. */
function nearest(
  own: { readonly features: Matrix; readonly labels: Matrix | undefined },
  donors: Donors,
  known: readonly number[],
): number[][] {
  const scales = known.map((j) => scaleOf(Float64Array.from({ length: donors.features.rows }, (_, i) => donors.features.data[i * donors.features.cols + j]!))) // biome-ignore format: one line
  const labelScale = scaleOf(donors.labels.data)
  return Array.from({ length: own.features.rows }, (_, i) => {
    const at = rowOf(own.features, i)
    const label = own.labels && rowOf(own.labels, i)
    const far = Array.from({ length: donors.features.rows }, (_, k) => {
      const other = rowOf(donors.features, k)
      let sum = 0
      for (const [c, j] of known.entries()) sum += square((at[j]! - other[j]!) / scales[c]!)
      if (label !== undefined) {
        const others = rowOf(donors.labels, k)
        // The label counts for as much as all else: it is what training is about.
        for (let c = 0; c < label.length; c++) sum += known.length * square((label[c]! - others[c]!) / labelScale)
      }
      return sum
    })
    return Array.from(far.keys())
      .sort((a, b) => far[a]! - far[b]! || a - b)
      .slice(0, neighbours)
  })
}

const square = (x: number): number => x * x

function scaleOf(values: Float64Array): number {
  const mean = meanOf(values)
  const std = Math.sqrt(meanOf(values.map((v) => square(v - mean))))
  return std > 0 ? std : 1
}
