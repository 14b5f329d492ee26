/** Whether stated confidences are what they say: the expected calibration error. [naeini2015] */

const BINS = 10

/** Mean of |confidence - accuracy| over ten equal bins of confidence, weighted by how many fall in. */
export function calibrationError(confidence: ArrayLike<number>, right: ArrayLike<number>): number {
  const [surer, hits] = [new Float64Array(BINS), new Float64Array(BINS)]
  for (let i = 0; i < confidence.length; i++) {
    const bin = Math.min(BINS - 1, Math.floor(confidence[i]! * BINS))
    surer[bin]! += confidence[i]!
    hits[bin]! += right[i]!
  }
  let sum = 0
  for (let bin = 0; bin < BINS; bin++) sum += Math.abs(surer[bin]! - hits[bin]!)
  return sum / confidence.length
}
