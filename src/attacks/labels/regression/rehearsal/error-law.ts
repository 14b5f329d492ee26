/** Errors of a batch as a law of a few numbers: a constant, and slopes along the directions in which embeddings differ most. */
import { symmetricEigen } from '../../../../numeric/linalg/eigen.js'
import { type Matrix, matrix } from '../../../../numeric/linalg/matrix.js'
import { meanOf } from '../../../../numeric/special/summaries.js'

export interface ErrorLaw {
  /** How many numbers it has; the first is the constant, the second the weight of known errors where there are some. */
  readonly size: number
  /** The known errors as they are; without them a constant of next to nothing. */
  readonly start: Float64Array
  /** z - y of every record that the law was made for. */
  errors(c: Float64Array): Float64Array
}

export interface LawOptions {
  /** Directions of unit variance among the embeddings, the widest first, at most so many. */
  readonly most: number
  /** z - y by labels that are known. */
  readonly known: Float64Array | undefined
}

export function errorLaw(embeddings: Matrix, { most, known }: LawOptions): ErrorLaw {
  const { rows: n, cols: m, data } = embeddings
  const mean = new Float64Array(m)
  for (let at = 0; at < data.length; at++) mean[at % m]! += data[at]! / n
  const S = matrix(m, m)
  for (let i = 0; i < n; i++) {
    for (let a = 0; a < m; a++) {
      const off = (data[i * m + a]! - mean[a]!) / n
      if (off === 0) continue
      for (let b = 0; b < m; b++) S.data[a * m + b]! += off * (data[i * m + b]! - mean[b]!)
    }
  }
  const { values, vectors } = symmetricEigen(S)
  const widest = Array.from(values.keys())
    .sort((a, b) => values[b]! - values[a]!)
    .slice(0, most)
    .filter((p) => values[p]! > 1e-9 * Math.max(...values))
  const along = widest.map((p) =>
    Float64Array.from({ length: n }, (_, i) => {
      let sum = 0
      for (let a = 0; a < m; a++) sum += (data[i * m + a]! - mean[a]!) * vectors.data[a * m + p]!
      return sum / Math.sqrt(values[p]!)
    }),
  )
  const centre = known === undefined ? 0 : meanOf(known)
  if (known !== undefined) along.unshift(known.map((e) => e - centre))
  const start = new Float64Array(1 + along.length)
  if (known === undefined) start[0] = 1e-9
  else start.set([centre, 1])
  return {
    ...{ size: start.length, start },
    errors: (c) =>
      Float64Array.from({ length: n }, (_, i) => along.reduce((e, one, k) => e + c[k + 1]! * one[i]!, c[0]!)),
  }
}
