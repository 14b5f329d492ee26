/** How well a fitted map explains the messages that it was not fitted to. */
import { norm } from '../../numeric/linalg/vector.js'
import type { AffineFit } from './affine-fit.js'
import type { Messages } from './turn-matrices.js'

export interface Miss {
  readonly others: number
  /** |W^-1 Delta - (theta - theta*)| of those messages, in the mean square; 0 without any. */
  readonly miss: number
  /** The same over |theta - theta*|. */
  readonly relativeMiss: number
  /** Whether rounding explains it. */
  readonly exact: boolean
}

const LEEWAY = 100

export function missOfOthers(fit: AffineFit, { theta, descent, rounding }: Messages, rows: Int32Array): Miss {
  const d = theta.cols
  const used = new Set(rows)
  const W = fit.inverse.data
  let misses = 0
  let sizes = 0
  let others = 0
  for (let i = 0; i < theta.rows; i++) {
    if (used.has(i)) continue
    others++
    for (let j = 0; j < d; j++) {
      const away = theta.data[i * d + j]! - fit.optimum[j]!
      let back = 0
      for (let k = 0; k < d; k++) back += W[j * d + k]! * descent.data[i * d + k]!
      misses += (back - away) * (back - away)
      sizes += away * away
    }
  }
  if (others === 0) return { others, miss: 0, relativeMiss: 0, exact: true }
  const miss = Math.sqrt(misses / others)
  const explained = norm(W) * rounding * Math.sqrt(d + 2)
  return { others, miss, relativeMiss: sizes === 0 ? 0 : Math.sqrt(misses / sizes), exact: miss <= LEEWAY * explained }
}
