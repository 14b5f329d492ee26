/** The macro AUC of one value per record, and its interval. */
import { aucInterval } from './auc.js'
import { bootstrapInterval } from './bootstrap.js'
import { type CategoryCell, categoryCell } from './cells/category-cell.js'
import { tally } from './number-lists.js'
import type { Score } from './score.js'

/**
 * Of two values DeLong's interval, of more a bootstrap over the records. Where no pair, or every pair, is in the right
 * order neither knows a variance: then the exact interval of `perfectOrder`, for the rarest value against the rest.
 */
export function rankedFigures(task: CategoryCell): Pick<Score, 'value' | 'interval' | 'intervalKind'> {
  const { truth, levels } = task
  const n = truth.length
  const cell = categoryCell(task)
  const value = cell.on(Int32Array.from(truth.keys()))
  if (value === 0 || value === 1) {
    const rarest = tally(truth, levels).reduce((least, k) => (k > 0 && k < least ? k : least), n)
    const low = perfectOrder(rarest, n - rarest)
    return { value, interval: value === 1 ? [low, 1] : [0, 1 - low], intervalKind: 'exact' }
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

/**
 * The least AUC at which m of one kind all lie above n of the other with a chance of 2.5 %, where the two distributions
 * are powers of each other (Lehmann 1953), either way round: then the chance of any order is a product. At an AUC of a
 * half it is 1 in the number of choices of m among m + n.
 */
export function perfectOrder(m: number, n: number): number {
  const chance = (theta: number, few: number, many: number): number => {
    let p = 1
    for (let i = 1; i <= many; i++) p *= (i * theta) / (i * theta + few)
    return p
  }
  const least = (few: number, many: number): number => {
    // AUC = theta / (1 + theta)
    let [low, high] = [0, 1]
    for (let step = 0; step < 60; step++) {
      const area = (low + high) / 2
      if (chance(area / (1 - area), few, many) < 0.025) low = area
      else high = area
    }
    return low
  }
  return Math.min(least(m, n), least(n, m))
}
