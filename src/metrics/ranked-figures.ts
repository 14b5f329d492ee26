/** The macro AUC of one value per record, and its interval. */
import { binomialInterval } from '../numeric/special/binomial-interval.js'
import { aucInterval } from './auc.js'
import { bootstrapInterval } from './bootstrap.js'
import { type CategoryCell, categoryCell } from './cells/category-cell.js'
import { tally } from './number-lists.js'
import type { Score } from './score.js'

/**
 * Of two values DeLong's interval, of more a bootstrap over the records. Where no pair, or every pair, is in the right
 * order neither knows a variance: then the exact interval of as many successes as the rarest value has records.
 */
export function rankedFigures(task: CategoryCell): Pick<Score, 'value' | 'interval' | 'intervalKind'> {
  const { truth, levels } = task
  const n = truth.length
  const cell = categoryCell(task)
  const value = cell.on(Int32Array.from(truth.keys()))
  if (value === 0 || value === 1) {
    const trials = tally(truth, levels).reduce((least, k) => (k > 0 && k < least ? k : least), n)
    const { low, high } = binomialInterval({ successes: value * trials, trials, confidence: 0.95 })
    return { value, interval: [low, high], intervalKind: 'exact' }
  }
  if (levels === 2) {
    const interval = aucInterval({ scores: task.score(1), positive: truth })
    return { value, interval: interval ?? null, intervalKind: 'DeLong' }
  }
  // In an order that is not that of the records, or the interval would depend on it.
  const scores = Array.from({ length: levels }, (_, level) => task.score(level))
  const order = Int32Array.from(truth.keys()).sort((a, b) => {
    if (truth[a] !== truth[b]) return truth[a]! - truth[b]!
    for (const of of scores) if (of[a] !== of[b]) return of[a]! - of[b]!
    return 0
  })
  const statistic = (rows: Int32Array): number => cell.on(rows.map((k) => order[k]!))
  const interval = bootstrapInterval({ size: n, value, statistic, address: 'auc' })
  return { value, interval, intervalKind: 'bootstrap' }
}
