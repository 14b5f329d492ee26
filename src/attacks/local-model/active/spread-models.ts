/** Models to send to a client whose turns are an affine map, so that the map is told apart as well as can be. */
import { symmetricEigen } from '../../../numeric/linalg/eigen.js'
import { type Matrix, matrix } from '../../../numeric/linalg/matrix.js'
import { norm } from '../../../numeric/linalg/vector.js'

export interface SpreadOptions {
  /** Where all of them lie around. */
  readonly start: Float64Array
  readonly count: number
  /** Their distance from there, over its length. */
  readonly size: number
  /** Models that the client was sent before: [n, d]. */
  readonly heard: Matrix
}

export interface SpreadModels {
  readonly sent: readonly Float64Array[]
  /** Whether they only complete what was heard: too few to determine the map by themselves. */
  readonly withHeard: boolean
}

/**
 * With d + 1 messages or more: a step along each coordinate, then one against all of them, which make the corners of a simplex
 * around the start; then the same mirrored, and so on. With fewer: along the directions in which the models heard differ least.
 */
export function spreadModels({ start, count, size, heard }: SpreadOptions): SpreadModels {
  const d = start.length
  const step = size * (norm(start) || 1)
  const withHeard = count <= d
  const directions = withHeard ? leastHeard(heard, count) : corners(d, count)
  const sent = directions.map((direction) => start.map((x, j) => x + step * direction[j]!))
  return { sent, withHeard }
}

function corners(d: number, count: number): Float64Array[] {
  return Array.from({ length: count }, (_, k) => {
    const sign = Math.floor(k / (d + 1)) % 2 === 0 ? 1 : -1
    const at = k % (d + 1)
    return Float64Array.from({ length: d }, (_, j) => (at === d ? -sign / Math.sqrt(d) : j === at ? sign : 0))
  })
}

/** The eigenvectors of the heard models' scatter with the least eigenvalues. */
function leastHeard({ rows: n, cols: d, data }: Matrix, count: number): Float64Array[] {
  const mean = new Float64Array(d)
  for (let i = 0; i < data.length; i++) mean[i % d]! += data[i]! / n
  const S = matrix(d, d)
  for (let i = 0; i < n; i++) {
    for (let a = 0; a < d; a++) {
      const x = data[i * d + a]! - mean[a]!
      for (let b = 0; b < d; b++) S.data[a * d + b]! += x * (data[i * d + b]! - mean[b]!)
    }
  }
  const { values, vectors } = symmetricEigen(S)
  const order = Array.from(values.keys()).sort((p, q) => values[p]! - values[q]!)
  return order.slice(0, count).map((p) => Float64Array.from({ length: d }, (_, j) => vectors.data[j * d + p]!))
}
