/** Rebuilt records beside the true ones, so that people can look at what an error of 0.02 means. */
import type { Claim, RecordsClaim } from '../attacks/claim.js'
import { batchOf, type Grading } from '../metrics/grading.js'
import type { Score } from '../metrics/score.js'
import { rowOf } from '../numeric/linalg/matrix.js'

/** Channels, height, width. */
export type PictureShape = readonly [number, number, number]

export interface Rebuilt {
  readonly columns: readonly string[]
  /** Where the columns are the points of a picture. */
  readonly shape: PictureShape | null
  /** Each true record of the batch with the claimed one that was paired with it; null where none was. */
  readonly pairs: readonly { readonly truth: readonly number[]; readonly claimed: readonly number[] | null }[]
}

/** A report shows so many records of one claim. */
export const mostShown = 8

/** Of the first claim of records, graded; undefined when there is none. */
export async function rebuiltOf(
  claims: readonly Claim[],
  scores: readonly (Pick<Score, 'pairedWith'> | null)[],
  { grading, model }: { grading: Grading; model: Readonly<Record<string, unknown>> },
): Promise<Rebuilt | undefined> {
  const at = claims.findIndex(({ kind }) => kind === 'records')
  const pairedWith = scores[at]?.pairedWith
  if (pairedWith === undefined) return undefined
  const { features: claimed, ...where } = claims[at] as RecordsClaim
  const { columns, features: X } = await batchOf(where, grading)
  const pairs = Array.from({ length: Math.min(X.rows, mostShown) }, (_, i) => {
    const own = claimed[pairedWith[i]!]
    const truth = Array.from(rowOf(X, i))
    return { truth, claimed: own === undefined ? null : Array.from(own) }
  })
  return { columns, shape: pictureShape(model, columns), pairs }
}

const shapes: Readonly<Record<string, PictureShape>> = { 'lenet-mnist': [1, 28, 28], 'lenet-cifar': [3, 32, 32] }

/** As the model reads its inputs; else by the names that pictures' columns have, if they make squares. */
export function pictureShape(
  { kind, inputs }: Readonly<Record<string, unknown>>,
  columns: readonly string[],
): PictureShape | null {
  if (kind === 'lenet-dlg') return inputs as PictureShape
  const own = shapes[String(kind)]
  if (own !== undefined) return own
  if (columns.length === 0 || !columns.every((name) => /^pixel_?\d+$/.test(name))) return null
  for (const channels of [1, 3]) {
    const side = Math.round(Math.sqrt(columns.length / channels))
    if (channels * side * side === columns.length) return [channels, side, side]
  }
  return null
}
