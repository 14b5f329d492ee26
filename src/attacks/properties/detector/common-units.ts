/** One unit and one level for the features of all rounds, so that a client's expected feature is the same in each. */

import { rowSums } from '../participation-matrix.js'
import { deviationOf, type FeatureShape } from './detector.js'
import type { FeatureSums } from './feature-sums.js'

/**
 * g_r is known up to unit and offset only: both are those of one round's regression, with the penalty that suited it, and
 * they fade with the detector. REG and PROLIN's L_reg hold one expected feature of a client against all rounds, so that what
 * all participants of a round share, mu-_r, is an error that enters once for every participant.
 *   g'_r = (g_r - mu-_r) / t_r - d / 2,   t_r^2 = ((mu+ - mu-) / 2)^2 + (s+^2 + s-^2) / 2
 * in units of the median t_r, d the mean of (mu+ - mu-) / t_r by v_r: f- has its mean at -d / 2 in every round, f+ at d / 2 in
 * most, and rounds that are all alike stay as they are.
 * departs: [prolin] Eq. (9) takes the features as they come.
 */
export function inCommonUnits({ A, G, shapes }: FeatureSums): FeatureSums {
  const half = shapes.map(({ plusMean, minusMean }) => (plusMean - minusMean) / 2)
  const deviations = shapes.map(deviationOf)
  const usual = deviations.slice().sort((a, b) => a - b)[deviations.length >> 1]!
  const units = deviations.map((t) => (t > 0 ? t / usual : 1))
  const trust = shapes.reduce((sum, { v }) => sum + v, 0)
  const apart = shapes.reduce((sum, { v }, r) => sum + (v * half[r]!) / units[r]!, 0) / (trust > 0 ? trust : 1) // d / 2
  const weights = rowSums(A)
  const zero = units.map((unit, r) => shapes[r]!.minusMean + apart * unit)
  return {
    A,
    G: G.map((g, r) => (g - weights[r]! * zero[r]!) / units[r]!),
    shapes: shapes.map((shape, r) => moved(shape, { zero: zero[r]!, unit: units[r]! })),
  }
}

function moved(shape: FeatureShape, { zero, unit }: { readonly zero: number; readonly unit: number }): FeatureShape {
  const { plusMean, plusStd, minusMean, minusStd } = shape
  return {
    ...shape,
    plusMean: (plusMean - zero) / unit,
    plusStd: plusStd / unit,
    minusMean: (minusMean - zero) / unit,
    minusStd: minusStd / unit,
  }
}
