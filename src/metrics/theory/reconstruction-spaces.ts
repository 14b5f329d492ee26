/** How far least squares on whole updates and on single features of them err from the same sums. [prolin] App. B, Fig. 6 */
import { OverhearError } from '../../errors.js'
import { pseudoInverse } from '../../numeric/linalg/pseudo-inverse.js'
import { denseFromSparse, type SparseMatrix } from '../../numeric/linalg/sparse.js'

export interface ReconstructionSpaces {
  /** The participation matrix A, one row a round. */
  readonly A: SparseMatrix
  /** alpha: the weights of each of the t features over the coordinates of an update, the same in all rounds. */
  readonly weights: readonly Float64Array[]
  readonly noise?: ReconstructionNoise
}

/** Deviations of what a round's sum is off by, given the clients' means; 1 each unless told, as the paper takes them. */
export interface ReconstructionNoise {
  /** Of a coordinate of the update: one number for all, or one each. */
  readonly update?: number | Float64Array
  /** Of a feature. */
  readonly feature?: number
}

export interface SpaceErrors {
  /** E ||g(W~) - g(W^)||_1 over all clients and features, where W~ is the least squares of whole updates. */
  readonly update: number
  /** E ||G~ - G^||_1, where G~ is the least squares of the features' sums. */
  readonly feature: number
  /** Above 1, features are the better space. */
  readonly ratio: number
  /** Of A; below the number of clients some clients' errors are not finite, and both figures are those of the shortest solution. */
  readonly rank: number
}

/**
 * [prolin] App. B with its constants: W~ - W^ = A+ Omega and G~ - G^ = A+ Theta are normal, E |x| = sqrt(2 / pi) sd, and both
 * errors hold the same sum over clients of ||A+_i||, so that the ratio is that of the deviations of one row:
 * ||alpha||_2 sigma_update / sigma_feature.
 */
// departs: the paper divides by t besides, as it holds the error of one feature of an update against that of t features; here
// both sides sum over the same t. It also takes Omega and Theta to be equally loud. Where Theta = Omega alpha, which is so if
// g is the same in all rounds, sigma_feature = ||alpha||_2 sigma_update and the ratio is 1: the two ways are then one.
export function spaceErrors({ A, weights, noise = {} }: ReconstructionSpaces): SpaceErrors {
  const { update = 1, feature = 1 } = noise
  if (weights.length === 0) throw new OverhearError('E_VALUE', 'weights of no feature', 'there is at least one')
  if (!(feature > 0 && Number.isFinite(feature))) {
    throw new OverhearError('E_VALUE', `noise of a feature with the deviation ${feature}`, 'it is above 0')
  }
  const { inverse, rank } = pseudoInverse(denseFromSparse(A))
  let clients = 0
  for (let i = 0; i < inverse.rows; i++) {
    let squares = 0
    for (let r = 0; r < inverse.cols; r++)
      squares += inverse.data[i * inverse.cols + r]! * inverse.data[i * inverse.cols + r]!
    clients += Math.sqrt(squares)
  }
  const each = Math.sqrt(2 / Math.PI) * clients
  const heard = weights.reduce((sum, alpha) => sum + weightNorm(alpha, update), 0)
  return {
    update: each * heard,
    feature: each * feature * weights.length,
    ratio: heard / (feature * weights.length),
    rank,
  }
}

/**
 * [prolin] Fig. 6: ||alpha||_2 of a round's detector. With the deviations of the updates' coordinates it is that of the weights
 * over standardised updates.
 */
export function weightNorm(alpha: Float64Array, deviation: number | Float64Array = 1): number {
  if (typeof deviation !== 'number' && deviation.length !== alpha.length) {
    const found = `${deviation.length} deviations for ${alpha.length} weights`
    throw new OverhearError('E_SHAPE', found, 'one number for all coordinates, or one each')
  }
  let squares = 0
  for (let j = 0; j < alpha.length; j++) {
    const weight = alpha[j]! * (typeof deviation === 'number' ? deviation : deviation[j]!)
    squares += weight * weight
  }
  if (!Number.isFinite(squares)) {
    throw new OverhearError('E_NON_FINITE', 'weights or deviations that are no finite numbers', 'all are finite')
  }
  return Math.sqrt(squares)
}
