/** Differences between two figures of the same trainings or records. */
import { meanOf, varianceOf } from '../../numeric/special/summaries.js'
import { finiteNumbers } from '../number-lists.js'

export interface PairedDifference {
  readonly n: number
  readonly mean: number
  /** Of one difference; undefined for fewer than two. */
  readonly deviation: number | undefined
  /** Of the mean. */
  readonly standardError: number | undefined
}

/** first - second, pair by pair; undefined for none. */
export function pairedDifference(first: ArrayLike<number>, second: ArrayLike<number>): PairedDifference | undefined {
  const n = first.length
  const b = finiteNumbers(second, 'second', n)
  const differences = finiteNumbers(first, 'first').map((x, i) => x - b[i]!)
  if (n === 0) return undefined
  const mean = meanOf(differences)
  if (n === 1) return { n, mean, deviation: undefined, standardError: undefined }
  const deviation = Math.sqrt(varianceOf(differences, n - 1))
  return { n, mean, deviation, standardError: deviation / Math.sqrt(n) }
}
