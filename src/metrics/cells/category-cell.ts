/** One of several values per record, graded on any rows: macro AUC, with accuracies beside it. */
import { tally } from '../number-lists.js'
import { finite, type Gradable, meanOn, type Rows } from './gradable.js'
import { aucOfValue, ordered } from './roc.js'

export interface CategoryCell {
  /** The value that is named for each record. */
  readonly claimed: Int32Array
  readonly truth: Int32Array
  readonly levels: number
  /** How probable the named value is said to be. */
  readonly sure: Float64Array
  /** How probable this value is said to be for each record. */
  score(level: number): Float64Array
}

/**
 * The mean over the values of the AUC of one against the rest. Values that none or all of the rows have are left out;
 * where none is left the rows cannot be told apart, and the figure is 0.5.
 */
export function categoryCell({ claimed, truth, levels, sure, score }: CategoryCell): Gradable {
  const occurring = tally(truth, levels)
  // Of two values one says it all: to be likelier the one is to be less likely the other.
  const asked = levels === 2 ? [1] : Array.from(occurring.keys()).filter((level) => occurring[level]! > 0)
  const parts = asked.map((level) => ({ level, scores: ordered(score(level)) }))
  const right = Uint8Array.from(claimed, (level, i) => (level === truth[i] ? 1 : 0))
  return {
    metric: 'AUC',
    better: 'higher',
    best: 1,
    of: 'records',
    right,
    sure,
    on(rows) {
      let [sum, count] = [0, 0]
      for (const { level, scores } of parts) {
        const area = aucOfValue(scores, rows, { truth, value: level })
        if (area === undefined) continue
        sum += area
        count++
      }
      return count === 0 ? 0.5 : sum / count
    },
    also: (rows) => finite(accuracies({ right, truth, levels }, rows)),
  }
}

interface Judged {
  readonly right: Uint8Array
  readonly truth: Int32Array
  readonly levels: number
}

/** Accuracy; its mean over the values that occur; and how far that lies from naming at random (0) to perfection (1). */
function accuracies({ right, truth, levels }: Judged, rows: Rows): Record<string, number | undefined> {
  const [counts, hits] = [new Float64Array(levels), new Float64Array(levels)]
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    counts[truth[row]!]! += 1
    hits[truth[row]!]! += right[row]!
  }
  let [sum, present] = [0, 0]
  for (let level = 0; level < levels; level++) {
    if (counts[level] === 0) continue
    sum += hits[level]! / counts[level]!
    present++
  }
  const balancedAccuracy = sum / present
  const advantage = present < 2 ? undefined : (balancedAccuracy - 1 / present) / (1 - 1 / present)
  return { accuracy: meanOn(right, rows), balancedAccuracy, advantage }
}

/** What a claim of one value with a confidence says of every value: the rest is shared among the others. */
export function claimedScore(claimed: Int32Array, sure: Float64Array, levels: number) {
  return (level: number): Float64Array =>
    sure.map((p, i) => (claimed[i] === level ? p : (1 - p) / Math.max(1, levels - 1)))
}
