/** Measured means of f+ and f- that lean on those of the rounds about them, as far as their errors allow. */
import { exp, log } from '../../../numeric/special/elementary-functions.js'
import type { FeatureShape } from './detector.js'
import type { FeatureSums } from './feature-sums.js'

/** Rounds before and after from which a round may borrow. */
const reach = 10

/**
 * f- is measured on few updates, and the error of its mean enters a sum once for every participant: with 40 of them and 9
 * updates it is larger than all that their features vary. Detectors of neighbouring rounds are alike, though: half the gap
 * (mu+ - mu-) / 2 and the middle (mu+ + mu-) / 2 are pulled towards their means over these rounds. `measured` becomes the number
 * of updates that would have given means as good.
 */
export function steadyShapes({ A, G, shapes }: FeatureSums): FeatureSums {
  const errors = shapes.map(({ plusStd: p, minusStd: m, measured }) => (p * p + m * m) / (4 * measured))
  const half = steadied(
    shapes.map(({ plusMean, minusMean }) => (plusMean - minusMean) / 2),
    errors,
  )
  const middle = steadied(
    shapes.map(({ plusMean, minusMean }) => (plusMean + minusMean) / 2),
    errors,
  )
  const stds = steadyStds(
    shapes,
    half.map(({ value }) => value),
  )
  const steady = shapes.map((shape, r): FeatureShape => {
    const [gap, centre] = [half[r]!, middle[r]!]
    const { plusStd, minusStd } = stds[r]!
    const error = gap.error + centre.error
    const measured = error > 0 ? (minusStd * minusStd) / error : shape.measured
    const [plusMean, minusMean] = [centre.value + gap.value, centre.value - gap.value]
    return { ...shape, plusMean, plusStd, minusMean, minusStd, measured }
  })
  return { A, G, shapes: steady }
}

/**
 * Deviations likewise: of few updates they are off by a quarter and more. A round has a unit of its own, so that the logarithms
 * of what they are in t_r = sqrt(((mu+ - mu-) / 2)^2 + (s+^2 + s-^2) / 2) are pulled together, each with the variance
 * 1 / (2 (m - 1)) that m draws from a normal leave it.
 */
function steadyStds(
  shapes: readonly FeatureShape[],
  half: readonly number[],
): Pick<FeatureShape, 'plusStd' | 'minusStd'>[] {
  const units = shapes.map(({ plusStd: p, minusStd: m }, r) => Math.sqrt(half[r]! * half[r]! + (p * p + m * m) / 2))
  const errors = shapes.map(({ measured }) => 1 / (2 * Math.max(1, measured - 1)))
  const pulled = (stds: readonly number[]): number[] =>
    steadied(
      stds.map((std, r) => log(std / units[r]!)),
      errors,
    ).map(({ value }, r) => units[r]! * exp(value))
  const plus = pulled(shapes.map(({ plusStd }) => plusStd))
  const minus = pulled(shapes.map(({ minusStd }) => minusStd))
  return shapes.map((_, r) => ({ plusStd: plus[r]!, minusStd: minus[r]! }))
}

interface Steadied {
  readonly value: number
  /** Its variance. */
  readonly error: number
}

/** What values vary about their mean beyond their errors, tau^2, keeps tau^2 / (tau^2 + error) of the difference. */
function steadied(values: readonly number[], errors: readonly number[]): Steadied[] {
  return values.map((value, r) => {
    const [from, to] = [Math.max(0, r - reach), Math.min(values.length, r + reach + 1)]
    const count = to - from
    let [mean, error] = [0, 0]
    for (let k = from; k < to; k++) {
      mean += values[k]! / count
      error += errors[k]! / count
    }
    let variance = 0
    for (let k = from; k < to; k++) variance += ((values[k]! - mean) * (values[k]! - mean)) / Math.max(1, count - 1)
    const real = Math.max(0, variance - error)
    const kept = real > 0 ? real / (real + errors[r]!) : 0
    return { value: mean + kept * (value - mean), error: kept * errors[r]! + ((1 - kept) * error) / count }
  })
}
