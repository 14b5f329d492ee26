/** Which records each local step of a turn reads, in which order. */

import type { Rng } from '../numeric/rng.js'
import { count } from '../partition/definition.js'
import type { LocalPlan } from './local-rule.js'

export type Visit = (rows: Int32Array, rng: () => Rng) => void

/**
 * [mcmahan2017] Alg. 1, ClientUpdate: epochs of batches of B, drawn from the turn's own stream.
 * departs: records are reordered each epoch unless told, and a short last batch is averaged over its own records.
 */
export function forEachBatch(n: number, { plan, rng }: { plan: LocalPlan; rng: Rng }, visit: Visit): void {
  const B = Math.min(plan.batchSize ?? n, n)
  const E = plan.localEpochs ?? Number.POSITIVE_INFINITY
  let left = plan.localSteps ?? Number.POSITIVE_INFINITY
  const fixed = plan.shuffle === 'round' ? rng.fork('order').permutation(n) : count(n)
  for (let e = 0; e < E && left > 0; e++) {
    const order = plan.shuffle === 'epoch' ? rng.fork('epoch', e).permutation(n) : fixed
    for (let start = 0; start < n && left > 0; start += B, left--) {
      visit(order.subarray(start, start + B), () => rng.fork('epoch', e, 'dropout', start))
    }
  }
}

/** The rows of every step, as the truth of a recording wants them. */
export function batchRows(n: number, turn: { readonly plan: LocalPlan; readonly rng: Rng }): Int32Array[] {
  const batches: Int32Array[] = []
  forEachBatch(n, turn, (rows) => batches.push(rows.slice()))
  return batches
}
