/** Scales for learning a map: inputs in the directions in which the models heard really differ, outputs in their spread. */
import { type Matrix, matrix } from '../../numeric/linalg/matrix.js'
import { numericalRank } from '../../numeric/linalg/pseudo-inverse.js'
import { svd } from '../../numeric/linalg/svd.js'
import { meanOf } from '../../numeric/special/summaries.js'

export type InputScale = 'whiten' | 'each' | 'none'
export type OutputScale = 'each' | 'global' | 'none'

/** Columns less their mean, divided by a scale. */
export interface Columns {
  readonly mean: Float64Array
  readonly scale: Float64Array
  readonly rows: Matrix
}

export function scaleColumns({ rows: n, cols: d, data }: Matrix, how: OutputScale): Columns {
  const mean = new Float64Array(d)
  const variance = new Float64Array(d)
  if (how !== 'none') {
    for (let i = 0; i < data.length; i++) mean[i % d]! += data[i]! / n
  }
  for (let i = 0; i < data.length; i++) variance[i % d]! += ((data[i]! - mean[i % d]!) * (data[i]! - mean[i % d]!)) / n
  const common = Math.sqrt(meanOf(variance)) || 1
  const scales = {
    each: () => variance.map((v) => Math.sqrt(v) || common),
    global: () => variance.map(() => common),
    none: () => variance.map(() => 1),
  }
  const scale = scales[how]()
  const rows = matrix(
    n,
    d,
    data.map((x, i) => (x - mean[i % d]!) / scale[i % d]!),
  )
  return { mean, scale, rows }
}

/** Coordinates of a model among the models heard. */
export interface Coordinates {
  /** The models heard: [n, size]. */
  readonly rows: Matrix
  readonly size: number
  to(theta: Float64Array): Float64Array
  /** The model at z that differs from `at` only in the directions heard. */
  from(z: Float64Array, at: Float64Array): Float64Array
}

/**
 * whiten: principal directions in units of their spread. Successive models of a training run lie nearly on a line; L-BFGS
 * does much better in these coordinates, Adam no better than with scaled columns (docs/model-reconstruction.md).
 */
export function coordinatesOf(theta: Matrix, how: InputScale): Coordinates {
  const n = theta.rows
  const { mean, scale, rows } = scaleColumns(theta, how === 'none' ? 'none' : 'each')
  const d = mean.length
  const plain = (x: Float64Array): Float64Array => x.map((v, j) => (v - mean[j]!) / scale[j]!)
  if (how !== 'whiten') {
    return { rows, size: d, to: plain, from: (z) => z.map((v, j) => v * scale[j]! + mean[j]!) }
  }
  const { U, s, V } = svd(rows)
  const r = s[0] === 0 ? 0 : numericalRank(s, Math.max(n, d) * Number.EPSILON * 1e3)
  const spread = s.map((x) => x / Math.sqrt(n))
  const white = matrix(n, r)
  for (let i = 0; i < n; i++) {
    for (let p = 0; p < r; p++) white.data[i * r + p] = U.data[i * s.length + p]! * Math.sqrt(n)
  }
  const to = (x: Float64Array): Float64Array => {
    const z = new Float64Array(r)
    for (const [j, v] of plain(x).entries()) {
      for (let p = 0; p < r; p++) z[p]! += (V.data[j * s.length + p]! * v) / spread[p]!
    }
    return z
  }
  return {
    rows: white,
    size: r,
    to,
    from(z, at) {
      const move = to(at).map((v, p) => (z[p]! - v) * spread[p]!)
      return at.map((v, j) => {
        let along = 0
        for (let p = 0; p < r; p++) along += V.data[j * s.length + p]! * move[p]!
        return v + along * scale[j]!
      })
    },
  }
}
