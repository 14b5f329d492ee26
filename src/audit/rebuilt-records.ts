/** Rebuilt records beside the true ones, so that people can look at what an error of 0.02 means. */
import type { Claim } from '../attacks/claim.js'
import { batchOf, type Grading } from '../metrics/grading.js'
import type { Score } from '../metrics/score.js'
import { type RecordedSpec, recordedModel } from '../models/index.js'
import type { Picture } from '../models/model.js'
import { rowOf } from '../numeric/linalg/matrix.js'

export interface Rebuilt {
  readonly columns: readonly string[]
  /** Where the columns are the points of a picture. */
  readonly shape: Picture | null
  /** Each true record of the batch with the claimed one that was paired with it; null where none was. */
  readonly pairs: readonly { readonly truth: readonly number[]; readonly claimed: readonly number[] | null }[]
}

/** A report shows so many records of one claim. */
export const mostShown = 8

/** Of a claim of records, graded; undefined for any other. */
export async function rebuiltOf(
  claim: Claim,
  score: Pick<Score, 'pairedWith'> | null,
  { grading, model }: { grading: Grading; model: RecordedSpec },
): Promise<Rebuilt | undefined> {
  const pairedWith = score?.pairedWith
  if (claim.kind !== 'records' || pairedWith === undefined) return undefined
  const { features: claimed, ...where } = claim
  const { columns, features: X } = await batchOf(where, grading)
  const pairs = Array.from({ length: Math.min(X.rows, mostShown) }, (_, i) => {
    const own = claimed[pairedWith[i]!]
    const truth = Array.from(rowOf(X, i))
    return { truth, claimed: own === undefined ? null : Array.from(own) }
  })
  return { columns, shape: pictureShape(model, columns), pairs }
}

/** As the model reads its inputs; else by the names that pictures' columns have, if they make squares. */
export function pictureShape(model: RecordedSpec, columns: readonly string[]): Picture | null {
  const own = model.kind === 'opaque' ? undefined : recordedModel(model).picture
  if (own !== undefined) return own
  if (columns.length === 0 || !columns.every((name) => /^pixel_?\d+$/.test(name))) return null
  for (const channels of [1, 3]) {
    const side = Math.round(Math.sqrt(columns.length / channels))
    if (channels * side * side === columns.length) return [channels, side, side]
  }
  return null
}
