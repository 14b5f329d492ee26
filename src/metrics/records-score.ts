/** Grades reconstructed records after the best pairing with the true ones: normalised error and PSNR. */

import type { RecordsClaim } from '../attacks/claim.js'
import { OverhearError } from '../errors.js'
import { type Matrix, matrix, perRecord, rowOf } from '../numeric/linalg/matrix.js'
import { dot } from '../numeric/linalg/vector.js'
import { assignment } from '../numeric/optimise/assignment.js'
import { log } from '../numeric/special/elementary-functions.js'
import { meanOf, rangeOf, totalOf } from '../numeric/special/summaries.js'
import type { Table } from '../transcript/encoded-table.js'
import { batchOf, type Known, metric, needed, recordsOf } from './grading.js'
import { finiteNumbers, meanAbsoluteError } from './number-lists.js'
import { scoreOf } from './score.js'

/**
 * |claimed - true| / |true| over all records of the batch. A true record that nothing was claimed of counts as claimed
 * to be zero; of a claim of more records than the batch has, the first count.
 */
export const records = metric(
  'records',
  'rebuilt records, each beside the true one it fits best',
  async (claim, graded) => {
    const { known } = graded
    const batch = await batchOf(claim, graded)
    const [whole] = needed([`clients.${claim.client}`, await recordsOf(claim.client, graded)])
    const X = batch.features
    const claimed = claimedMatrix(claim, batch)
    const { columnOfRow } = assignment(squaredDistances(X, claimed))
    const lengthSq = dot(X.data, X.data)
    const errorsSq = Float64Array.from({ length: X.rows }, (_, i) => {
      const paired = columnOfRow[i]!
      return distanceSq(rowOf(X, i), paired < 0 ? undefined : rowOf(claimed, paired))
    })
    const unit = lengthSq === 0 ? 1 : Math.sqrt(lengthSq)
    const totalSq = totalOf(errorsSq)
    const centre = meanRecord(known, X.cols)
    const chanceSq = centre && errorSqOf(X, centre)
    // One number for every entry looks at the truth: to be read, and no chance level.
    const greySq = errorSqOf(X, new Float64Array(X.cols).fill(meanOf(X.data)))
    // The peak is the largest less the least entry of the client's records.
    const { min, max } = rangeOf(whole.features.data)
    const peak = max - min
    const psnr = (errorSq: number): number => (10 * log((peak * peak * X.data.length) / errorSq)) / Math.LN10
    return scoreOf({
      metric: lengthSq === 0 ? 'error' : 'normalised error',
      value: Math.sqrt(totalSq) / unit,
      better: 'lower',
      guesses:
        chanceSq === undefined
          ? []
          : [{ words: 'the mean record of the auxiliary data', value: Math.sqrt(chanceSq) / unit }],
      noGuess: 'there are no auxiliary data with these columns',
      also: {
        PSNR: psnr(totalSq),
        ...(chanceSq !== undefined && { chancePSNR: psnr(chanceSq) }),
        bestNumberInHindsight: Math.sqrt(greySq) / unit,
        paired: Math.min(X.rows, claimed.rows),
        ...labelFigures(claim, columnOfRow, { batch, known }),
      },
      notes: [
        ...(totalSq === 0 ? ['the records are exact: their PSNR is infinite'] : []),
        ...(claim.features.length > X.rows
          ? [`only the first ${X.rows} of ${claim.features.length} records count`]
          : []),
      ],
      perRecord: errorsSq.map((e) => Math.sqrt(e)),
      pairedWith: columnOfRow,
    })
  },
)

function claimedMatrix({ features, labels }: RecordsClaim, { features: X, labels: truth }: Table): Matrix {
  const out = matrix(Math.min(features.length, X.rows), X.cols)
  for (const [i, row] of features.entries()) {
    const values = finiteNumbers(row, `features[${i}]`, X.cols)
    if (i < X.rows) out.data.set(values, i * X.cols)
  }
  const each = truth === undefined ? Math.max(1, Math.round(labels.length / features.length)) : truth.length / X.rows
  if (labels.length > 0 && labels.length !== each * features.length) {
    const found = `${labels.length} labels are claimed for ${features.length} records`
    throw new OverhearError('E_SHAPE', found, `${each === 1 ? 'one' : each} a record is needed, or none`)
  }
  return out
}

/** The squared distance, to zero unless told. */
export function distanceSq(x: Float64Array, other?: ArrayLike<number>): number {
  let sum = 0
  for (let j = 0; j < x.length; j++) {
    const off = x[j]! - (other?.[j] ?? 0)
    sum += off * off
  }
  return sum
}

/** Rows: true records; columns: claimed ones. Less what no claim would cost, so that pairing is worth its while. */
function squaredDistances(X: Matrix, claimed: Matrix): Matrix {
  const cost = matrix(X.rows, claimed.rows)
  for (let i = 0; i < X.rows; i++) {
    const alone = distanceSq(rowOf(X, i))
    for (let j = 0; j < claimed.rows; j++) {
      cost.data[i * claimed.rows + j] = distanceSq(rowOf(X, i), rowOf(claimed, j)) - alone
    }
  }
  return cost
}

/** The mean record of the auxiliary data, where they have these columns. */
export function meanRecord({ auxiliary }: Known, cols: number): Float64Array | undefined {
  const A = auxiliary?.features
  if (A === undefined || A.rows === 0 || A.cols !== cols) return undefined
  const centre = new Float64Array(cols)
  for (let i = 0; i < A.rows; i++) for (let j = 0; j < A.cols; j++) centre[j]! += A.data[i * A.cols + j]! / A.rows
  return centre
}

/** The summed squares of claiming one record for all. */
function errorSqOf(X: Matrix, record: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < X.rows; i++) sum += distanceSq(rowOf(X, i), record)
  return sum
}

/** How good the labels are that came with the paired records. */
function labelFigures(
  { labels }: RecordsClaim,
  pairedWith: Int32Array,
  { batch, known }: { batch: Table; known: Known },
): Record<string, number> {
  if (labels.length === 0 || batch.labels === undefined) return {}
  const Y = perRecord(batch.labels, batch.features.rows)
  const claimed = finiteNumbers(labels, 'labels')
  const pairs = Array.from(pairedWith, (j, i) => [j, i] as const).filter(([j]) => j >= 0)
  const guess = pairs.flatMap(([j]) => Array.from(claimed.slice(j * Y.cols, (j + 1) * Y.cols)))
  const truth = pairs.flatMap(([, i]) => Array.from(rowOf(Y, i)))
  if (known.classes === undefined) return { labelMAE: meanAbsoluteError(guess, truth) }
  return { labelAccuracy: guess.filter((y, i) => y === truth[i]).length / batch.labels.length }
}
