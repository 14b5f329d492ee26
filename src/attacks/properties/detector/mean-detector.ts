/** Several features of a round as one, for estimators that hold one feature against a sum. */
import { addScaledInto } from '../../../numeric/linalg/vector.js'
import { meanOf } from '../../../numeric/special/summaries.js'
import { affineFeatures } from './affine-features.js'
import { type Detector, deviationOf, parts, type Simulate, shapeOf } from './detector.js'

/**
 * The mean of t features in the unit of the usual one of them. It is affine in the update as each of them is, and f+ and f- are
 * measured on it: what the t have in common is in its deviation. If X given c is normal with one covariance S for both, the
 * feature (mu+ - mu-)' S^-1 X tells all that X does of c, of a sum of clients too; of detectors that differ in their training
 * updates alone, mean and S do not depend on the order, so that this is the mean.
 */
export function meanDetector(list: readonly Detector[], simulate: Simulate, pairs: number): Detector {
  const deviations = list.map(({ shape }) => deviationOf(shape))
  const usual = meanOf(deviations)
  const a = new Float64Array(list[0]!.a.length)
  let c = 0
  for (const [f, one] of list.entries()) {
    const by = deviations[f]! > 0 ? usual / deviations[f]! / list.length : 1 / list.length
    addScaledInto(a, one.a, by)
    c += by * one.c
  }
  const { train, choose, measure } = parts(pairs)
  const features = affineFeatures([{ a, c }])
  const measured = (having: boolean): Float64Array =>
    Float64Array.from({ length: measure }, (_, i) => features.of(simulate(having, train + choose + i))[0]!)
  const shape = shapeOf(measured(true), measured(false))
  features.release()
  return { a, c, penalty: meanOf(list.map(({ penalty }) => penalty)), shape }
}
