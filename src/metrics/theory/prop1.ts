/** A floor under the accuracy of the model-based attribute attack on a linear model. [aia] Prop. 1 */
import { OverhearError } from '../../errors.js'

export interface LinearAttribute {
  /** E_c: the client's mean squared error, without a factor 1/2, at the model that is attacked. Needs the truth. */
  readonly meanSquaredError: number
  /** theta[s]: the model's weights for the encoded columns of the attribute. */
  readonly weights: ArrayLike<number>
  /** One row of encoded values a level, as in `sensitive.values`. */
  readonly values: readonly (readonly number[])[]
}

/**
 * A wrong level needs a residual of at least half the gap between what the right and the wrong one add to the
 * prediction: accuracy >= 1 - 4 E_c / gap^2, with the least gap over pairs of levels. Never below 0.
 */
// departs: [aia] has one column of 0 and 1, so gap = theta[s]; here v1 - v0 may be any, and there may be many levels.
export function attributeAccuracyFloor({ meanSquaredError: E, weights, values }: LinearAttribute): number {
  if (!(E >= 0)) throw new OverhearError('E_VALUE', `a mean squared error of ${E}`, 'it is 0 or above')
  const odd = values.findIndex((row) => row.length !== weights.length)
  if (odd >= 0) {
    const found = `values[${odd}] has ${values[odd]!.length} columns`
    throw new OverhearError('E_SHAPE', found, `there are ${weights.length} weights`)
  }
  const adds = values.map((row) => row.reduce((sum, v, j) => sum + v * weights[j]!, 0)).sort((a, b) => a - b)
  let gap = Number.POSITIVE_INFINITY
  for (let i = 1; i < adds.length; i++) gap = Math.min(gap, adds[i]! - adds[i - 1]!)
  if (!(gap * gap > 0)) return 0
  return Math.max(0, 1 - (4 * E) / (gap * gap))
}
