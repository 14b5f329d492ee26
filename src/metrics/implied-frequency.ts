/** What the encoded values of an attribute give away by themselves: a standardised dummy tells its frequency. */
import { leastSquares } from '../numeric/linalg/least-squares.js'
import { matrix } from '../numeric/linalg/matrix.js'

/** Slack for values that were rounded when they were written down. */
const SLACK = 0.05

/**
 * The share of each level in the data that the encoder was fitted to, when its columns have mean 0 and variance 1 there:
 * sum of p = 1, sum of p v = 0 for each column. Undefined when that has no one answer, or the columns are not
 * standardised (sum of p v^2 is not 1).
 */
export function impliedFrequencies(values: readonly (readonly number[])[]): Float64Array | undefined {
  const L = values.length
  const columns = values[0]?.length ?? 0
  if (L === 0 || columns === 0) return undefined
  const A = matrix(columns + 1, L)
  for (let l = 0; l < L; l++) {
    for (let j = 0; j < columns; j++) A.data[j * L + l] = values[l]![j]!
    A.data[columns * L + l] = 1
  }
  const b = matrix(columns + 1, 1)
  b.data[columns] = 1
  const { X, minimumNorm, residualNormSq } = leastSquares(A, b)
  const p = X.data
  if (minimumNorm || residualNormSq[0]! > SLACK * SLACK || p.some((share) => share < -1e-9)) return undefined
  for (let j = 0; j < columns; j++) {
    let variance = 0
    for (let l = 0; l < L; l++) variance += p[l]! * values[l]![j]! * values[l]![j]!
    if (Math.abs(variance - 1) > SLACK) return undefined
  }
  return p
}
