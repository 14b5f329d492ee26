/** Labels that follow from secrets: how far a row goes in a target's own direction, and the label that this makes. */
import { encodeSource } from '../../data/dataset.js'
import type { Rng } from '../../numeric/random/rng.js'
import { meanOf, varianceOf } from '../../numeric/special/summaries.js'
import type { Pools } from '../pools.js'

/** Labels as they were, encoded. */
export interface Labels {
  of(row: number, output: number): number
  /** Over all rows of clients. */
  readonly mean: readonly number[]
  readonly std: readonly number[]
}

export function encodedLabels({ clients, encoded }: Pools): Labels {
  const { records, placeOf } = encoded()
  const outputs = records.labels.length / Math.max(1, placeOf.size)
  const of = (row: number, output: number): number => records.labels[placeOf.get(row)! * outputs + output]!
  const all = clients.flatMap(({ rows }) => Array.from(rows))
  const columns = Array.from({ length: outputs }, (_, output) => all.map((row) => of(row, output)))
  return { of, mean: columns.map((one) => meanOf(one)), std: columns.map((one) => Math.sqrt(varianceOf(one))) }
}

/** What the parts of a planted label weigh, before they are scaled to length 1: secrets, what is known, an offset of all. */
const weights = { secrets: 1, known: 0.5, offset: 1 }

/** A number for each row, of mean square about 1: from its secrets, one column that is known, and an offset. */
export function directionOf(
  { source, fitted }: Pick<Pools, 'source' | 'fitted'>,
  { rows, worths, rng: draws }: { readonly rows: readonly number[]; readonly worths: readonly ((row: number) => number)[]; readonly rng: Rng }, // biome-ignore format: a line
): (row: number) => number {
  const { records, columns } = encodeSource(source, { rows, fit: fitted })
  const { features } = records
  const known = columns.flatMap(({ from }, j) => (source.sensitive.includes(from) ? [] : [j]))
  const column = (j: number): number[] => rows.map((_, i) => features.data[i * features.cols + j]!)
  const varied = known.map(column).map(standardised).filter((one) => one !== undefined) // biome-ignore format: a line
  const secrets = worths.map((worthOf) => standardised(rows.map(worthOf))).filter((one) => one !== undefined)
  const parts = [
    ...secrets.map((values) => ({ weight: weights.secrets / Math.sqrt(secrets.length), values })),
    ...(varied.length === 0 ? [] : [{ weight: weights.known, values: varied[draws.integer(varied.length)]! }]),
    { weight: draws.uniform() < 0.5 ? -weights.offset : weights.offset, values: rows.map(() => 1) },
  ]
  const length = Math.sqrt(parts.reduce((sum, { weight }) => sum + weight * weight, 0))
  const total = rows.map((_, i) => parts.reduce((sum, { weight, values }) => sum + weight * values[i]!, 0) / length)
  const places = new Map(rows.map((row, i) => [row, i]))
  return (row) => total[places.get(row)!]!
}

/** Mean 0, mean square 1; undefined of what does not vary. */
function standardised(values: readonly number[]): number[] | undefined {
  const mean = meanOf(values)
  const std = Math.sqrt(varianceOf(values))
  return std > 0 ? values.map((x) => (x - mean) / std) : undefined
}

/** A row to label: how far it goes, and whether it will be trained on. */
interface Going {
  readonly row: number
  readonly towards: number
  readonly trained: boolean
}

/**
 * The labels of a row. A regression's go with its direction; of two classes a table's row gets the one on its side. Trained
 * pictures keep their classes, which they show; held-back ones get another.
 */
export function chooserOf(
  { source, fitted }: Pools,
  labels: Labels,
  { rho, rng: draws }: { readonly rho: number; readonly rng: Rng },
): (going: Going) => readonly number[] {
  if (source.task === 'regression') {
    const rest = Math.sqrt(1 - rho * rho)
    const { mean, std } = labels
    return ({ row, towards }) =>
      mean.map((m, output) => m + rho * std[output]! * towards + rest * (labels.of(row, output) - m))
  }
  const classes = fitted.label.rules[0]!.levels.length
  const [low, high] = draws.sample(classes, Math.min(2, classes))
  return ({ row, towards, trained }) => {
    const own = labels.of(row, 0)
    if (classes < 2 || draws.uniform() >= rho) return [own]
    if (source.pixels === undefined) return [towards > 0 ? high! : low!]
    return [trained ? own : (own + 1 + draws.integer(classes - 1)) % classes]
  }
}
