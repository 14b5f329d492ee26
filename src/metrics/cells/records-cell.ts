/** Rebuilt records, graded on any rows after the best pairing with them: normalised error, PSNR beside it. */
import type { RecordsClaim } from '../../attacks/claim.js'
import { type Matrix, matrix, rowOf } from '../../numeric/linalg/matrix.js'
import { assignment } from '../../numeric/optimise/assignment.js'
import { log } from '../../numeric/special/elementary-functions.js'
import { rangeOf } from '../../numeric/special/summaries.js'
import type { Asked } from '../grading.js'
import { finiteNumbers } from '../number-lists.js'
import { distanceSq } from '../records-score.js'
import { finite, type Gradable, type Rows } from './gradable.js'

/** A row that nothing was claimed of counts as claimed to be zero; of more records than there are rows the first count. */
export function recordsCell({ features }: Pick<RecordsClaim, 'features'>, { table }: Asked): Gradable {
  const X = table.features
  const claimed = features.map((row, i) => finiteNumbers(row, `features[${i}]`, X.cols))
  const D = matrix(X.rows, claimed.length)
  for (let i = 0; i < X.rows; i++) {
    for (const [j, record] of claimed.entries()) D.data[i * D.cols + j] = distanceSq(rowOf(X, i), record)
  }
  const alone = lengthsSq(X)
  return distanceCell(X, (rows) => {
    // Less what no claim would cost, so that pairing is worth its while.
    const cost = matrix(rows.length, Math.min(rows.length, D.cols))
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!
      for (let j = 0; j < cost.cols; j++) cost.data[i * cost.cols + j] = D.data[row * D.cols + j]! - alone[row]!
    }
    const { columnOfRow } = assignment(cost)
    return (i) => (columnOfRow[i]! < 0 ? alone[rows[i]!]! : D.data[rows[i]! * D.cols + columnOfRow[i]!]!)
  })
}

const lengthsSq = (X: Matrix): Float64Array => Float64Array.from({ length: X.rows }, (_, i) => distanceSq(rowOf(X, i)))

/** From the squared error of each of the rows, by its place among them. */
export function distanceCell(X: Matrix, errorsSq: (rows: Rows) => (i: number) => number): Gradable {
  const alone = lengthsSq(X)
  const { min, max } = rangeOf(X.data)
  const peak = max - min
  const sums = (rows: Rows) => {
    const error = errorsSq(rows)
    let [errorSq, lengthSq] = [0, 0]
    for (let i = 0; i < rows.length; i++) {
      lengthSq += alone[rows[i]!]!
      errorSq += error(i)
    }
    return { errorSq, lengthSq }
  }
  return {
    metric: 'normalised error',
    better: 'lower',
    best: 0,
    of: 'batch',
    on(rows) {
      if (rows.length === 0) return Number.NaN
      const { errorSq, lengthSq } = sums(rows)
      return Math.sqrt(errorSq) / (lengthSq === 0 ? 1 : Math.sqrt(lengthSq))
    },
    also(rows) {
      const { errorSq } = sums(rows)
      return finite({ PSNR: (10 * log((peak * peak * rows.length * X.cols) / errorSq)) / Math.LN10 })
    },
  }
}
