/** A distance in units of the truth's own length. */
import { norm } from '../numeric/linalg/vector.js'

export interface RelativeError {
  /** "relative error"; "error" when the truth is zero and has no length to measure by. */
  readonly metric: string
  of(guess: Float64Array): number
}

/** |guess - truth| / |truth|. */
export function relativeErrorTo(truth: Float64Array): RelativeError {
  const length = norm(truth)
  const unit = length === 0 ? 1 : length
  return {
    metric: length === 0 ? 'error' : 'relative error',
    of: (guess) => norm(guess.map((x, i) => x - truth[i]!)) / unit,
  }
}
