/** AUC and the true-positive rate at a fixed false-positive rate, on any rows of a list of scores that is ordered once. */
import { finiteNumbers } from '../number-lists.js'

/** Scores by their order alone: equal ones share a place, the least has 0. */
export interface Ordered {
  readonly places: Int32Array
  /** How many different scores there are. */
  readonly count: number
  /** Room for a tally of the positive and of the negative ones. */
  readonly ones: Float64Array
  readonly zeros: Float64Array
}

/** Puts scores in order; one that is no number is an error. */
export function ordered(scores: ArrayLike<number>, name = 'scores'): Ordered {
  const values = finiteNumbers(scores, name)
  const order = Int32Array.from(values, (_, i) => i).sort((a, b) => values[a]! - values[b]!)
  const places = new Int32Array(values.length)
  let count = 0
  for (let k = 0; k < order.length; k++) {
    if (k > 0 && values[order[k]!]! > values[order[k - 1]!]!) count++
    places[order[k]!] = count
  }
  if (order.length > 0) count++
  return { places, count, ones: new Float64Array(count), zeros: new Float64Array(count) }
}

/** The chance that one of `rows` scores above one of `others`, ties counted half; undefined where either has none. */
export function aucBetween(scores: Ordered, rows: ArrayLike<number>, others: ArrayLike<number>): number | undefined {
  const { ones, zeros, places } = scores
  tallyInto(ones, places, rows)
  tallyInto(zeros, places, others)
  return area(scores, rows.length, others.length)
}

/** The same between the rows that have a value and the rows that have another. */
export function aucOfValue(
  scores: Ordered,
  rows: ArrayLike<number>,
  { truth, value }: { readonly truth: Int32Array; readonly value: number },
): number | undefined {
  const { ones, zeros, places } = scores
  ones.fill(0)
  zeros.fill(0)
  let m = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    if (truth[row] === value) {
      ones[places[row]!]! += 1
      m++
    } else zeros[places[row]!]! += 1
  }
  return area(scores, m, rows.length - m)
}

function tallyInto(counts: Float64Array, places: Int32Array, rows: ArrayLike<number>): void {
  counts.fill(0)
  for (let i = 0; i < rows.length; i++) counts[places[rows[i]!]!]! += 1
}

function area({ ones, zeros, count }: Ordered, m: number, n: number): number | undefined {
  if (m === 0 || n === 0) return undefined
  // Whole numbers and halves: exact, so that equal counts give equal bits in whatever order they came.
  let [sum, below] = [0, 0]
  for (let g = 0; g < count; g++) {
    sum += ones[g]! * (below + zeros[g]! / 2)
    below += zeros[g]!
  }
  return sum / (m * n)
}

/** The least false-positive rate above 0 that so many negative ones can show. */
export const finestRate = (negatives: number): number => 1 / negatives

/**
 * The largest share of `rows` that lies at or above a threshold which no more than `rate` of `others` reach. Undefined
 * where there are no rows, or so few others that the rate cannot be told from 0.
 */
export function tprAt(
  scores: Ordered,
  {
    rows,
    others,
    rate,
  }: { readonly rows: ArrayLike<number>; readonly others: ArrayLike<number>; readonly rate: number },
): number | undefined {
  if (rows.length === 0 || others.length === 0 || (rate > 0 && finestRate(others.length) > rate)) return undefined
  const { ones, zeros, places, count } = scores
  tallyInto(ones, places, rows)
  tallyInto(zeros, places, others)
  const allowed = rate * others.length
  let [found, accused] = [0, 0]
  for (let g = count - 1; g >= 0; g--) {
    accused += zeros[g]!
    if (accused > allowed) break
    found += ones[g]!
  }
  return found / rows.length
}
