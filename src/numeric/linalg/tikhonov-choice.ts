/** Rules that choose the Tikhonov weight from points of the curve, smallest weight first. */
import { OverhearError } from '../../errors.js'
import type { TikhonovPoint } from './tikhonov.js'

/** The corner of the L: the point of largest curvature. */
export function cornerOfLCurve(curve: readonly TikhonovPoint[]): TikhonovPoint {
  return best(curve, ({ curvature }) => curvature, 'an L-curve')
}

/** The point of least generalised cross-validation score. */
export function leastCrossValidation(curve: readonly TikhonovPoint[]): TikhonovPoint {
  return best(curve, ({ gcv }) => -gcv, 'a cross-validation score')
}

/**
 * The smallest weight whose slope −β ‖x‖² / ‖A x − b‖² is at or below `slope`. The slope tends to 0 at both ends, so two
 * crossings are normal and this takes the less regularised. When none is so steep: the steepest, `reached` false.
 */
export function smallestBetaWithSlope(
  curve: readonly TikhonovPoint[],
  slope: number,
): { point: TikhonovPoint; reached: boolean } {
  const point = curve.find((candidate) => candidate.slope <= slope)
  if (point !== undefined) return { point, reached: true }
  return { point: best(curve, (candidate) => -candidate.slope, 'a slope'), reached: false }
}

/** First of the points with the largest finite score. */
function best(curve: readonly TikhonovPoint[], score: (point: TikhonovPoint) => number, what: string): TikhonovPoint {
  let found: TikhonovPoint | undefined
  for (const point of curve) {
    if (Number.isFinite(score(point)) && (found === undefined || score(point) > score(found))) found = point
  }
  if (found !== undefined) return found
  throw new OverhearError(
    'E_VALUE',
    `none of ${curve.length} Tikhonov points has ${what}`,
    'the right-hand side must have a part that A can reach, and one that it must miss',
  )
}
