/** A claim that can be graded on any of the records that were asked about. */
import type { Better } from '../score.js'

/** Places in the table that was asked about. */
export type Rows = ArrayLike<number>

/** A claim made ready to be graded on any of the rows that were asked about, hundreds of times. */
export interface Gradable {
  /** "AUC", "MAE", "loss", "iAcc", "normalised error", ... Figures of two names are never compared. */
  readonly metric: string
  readonly better: Better
  /** What whoever knows everything has: 1 for AUC and accuracies, 0 for errors, null for a loss. */
  readonly best: number | null
  /** Each record is graded by itself; or the rows as one batch; or the rows against others. */
  readonly of: 'records' | 'batch' | 'members'
  /**
   * The figure on these rows; for members these are the members and `others` are not (all other rows, unless told). NaN
   * where they have none: an error of no rows, or of rows that the claim says nothing about.
   */
  on(rows: Rows, others?: Rows): number
  /** Secondary figures on these rows; what cannot be computed is left out. */
  also?(rows: Rows, others?: Rows): Readonly<Record<string, number>>
  /** For one discrete value per record: 1 where the claim is right, for each row of the table. */
  readonly right?: Uint8Array
  /** The probability that the claim gives its value, for each row of the table. */
  readonly sure?: Float64Array
}

/** The mean of a number that each row has; NaN for no rows. */
export function meanOn(values: Float64Array | Uint8Array, rows: Rows): number {
  let sum = 0
  for (let i = 0; i < rows.length; i++) sum += values[rows[i]!]!
  return sum / rows.length
}

/** The figures that are numbers. */
export const finite = (figures: Readonly<Record<string, number | undefined>>): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(figures).filter((pair): pair is [string, number] => Number.isFinite(pair[1] ?? Number.NaN)),
  )
