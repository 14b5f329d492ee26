/** The trivial attack: one column, one threshold, both chosen in hindsight. */
import { argmax, tally } from './number-lists.js'

export interface NamedColumn {
  readonly name: string
  readonly values: ArrayLike<number>
}

export interface Threshold {
  readonly column: string
  readonly threshold: number
  readonly accuracy: number
  /** The level guessed at or below the threshold, and above it. */
  readonly below: number
  readonly above: number
}

/**
 * "column > threshold" with the most frequent level on either side, over all columns and thresholds between neighbours;
 * of equals the first column, the least threshold. Undefined when every column is constant.
 */
export function bestThreshold(
  columns: readonly NamedColumn[],
  truth: ArrayLike<number>,
  { levels }: { readonly levels: number },
): Threshold | undefined {
  const n = truth.length
  let best: Threshold | undefined
  for (const { name, values } of columns) {
    const order = Int32Array.from({ length: n }, (_, i) => i).sort((a, b) => values[a]! - values[b]!)
    const low = new Float64Array(levels)
    const high = tally(truth, levels)
    for (let i = 0; i + 1 < n; i++) {
      const level = truth[order[i]!]!
      low[level]! += 1
      high[level]! -= 1
      const [here, next] = [values[order[i]!]!, values[order[i + 1]!]!]
      if (!(next > here)) continue
      const [below, above] = [argmax(low), argmax(high)]
      const accuracy = (low[below]! + high[above]!) / n
      if (best !== undefined && accuracy <= best.accuracy) continue
      best = { column: name, threshold: between(here, next), accuracy, below, above }
    }
  }
  return best
}

/** Halfway, yet never the larger one: "> threshold" must part the two. */
function between(low: number, high: number): number {
  const middle = low + (high - low) / 2
  return middle < high ? middle : low
}
