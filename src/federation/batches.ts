/** Which records each local step of a turn reads, in which order. */

import type { Rng } from '../numeric/random/rng.js'
import { count } from '../partition/partition-entry.js'
import type { LocalPlan } from './local-rules/local-rule.js'

export interface Batching {
  readonly plan: LocalPlan
  /** The turn's own stream. */
  readonly rng: Rng
  /** For a private step whose batches are Poisson samples. */
  readonly sampleRate?: number | undefined
}

export type Visit = (rows: Int32Array, rng: () => Rng) => void

/**
 * [mcmahan2017] Alg. 1, ClientUpdate: epochs of batches of B, drawn from the turn's own stream.
 * departs: records are reordered each epoch unless told, and a short last batch is averaged over its own records, or left
 * out where the plan says so and it is not the only one.
 */
export function forEachBatch(n: number, batching: Batching, visit: Visit): void {
  const { plan, rng, sampleRate } = batching
  if (sampleRate !== undefined) {
    forEachSample(n, { plan, rng, sampleRate }, visit)
    return
  }
  const B = Math.min(plan.batchSize ?? n, n)
  const end = plan.dropLast === true ? n - (n % B) : n
  const E = plan.localEpochs ?? Number.POSITIVE_INFINITY
  let left = plan.localSteps ?? Number.POSITIVE_INFINITY
  let order = plan.shuffle === 'round' ? rng.fork('order').permutation(n) : undefined
  const epochs = rng.fork('epoch')
  for (let e = 0; e < E && left > 0; e++) {
    if (plan.shuffle === 'epoch') order = epochs.fork(e).permutation(n)
    order ??= count(n)
    for (let start = 0; start < end && left > 0; start += B, left--) {
      visit(order.subarray(start, start + B), () => epochs.fork(e, 'dropout', start))
    }
  }
}

/** The same number of steps on Poisson samples: each record is in a batch with probability q, on its own. */
function forEachSample(n: number, { plan, rng, sampleRate: q }: Batching & { sampleRate: number }, visit: Visit): void {
  const B = Math.min(plan.batchSize ?? n, n)
  const perEpoch = plan.dropLast === true ? Math.floor(n / B) : Math.ceil(n / B)
  const steps = plan.localSteps ?? plan.localEpochs! * perEpoch
  for (let s = 0; s < steps; s++) {
    const coins = rng.fork('step', s, 'sample').uniforms(n)
    visit(
      count(n).filter((i) => coins[i]! < q),
      () => rng.fork('step', s),
    )
  }
}

/** Whether the steps of a turn come through all records, whatever is drawn. */
export function readsAll(n: number, { plan, sampleRate }: Omit<Batching, 'rng'>): boolean {
  if (sampleRate !== undefined || n === 0) return false
  const B = Math.min(plan.batchSize ?? n, n)
  const whole = plan.dropLast !== true || n % B === 0
  return whole && (plan.localEpochs ?? 1) >= 1 && (plan.localSteps ?? Number.POSITIVE_INFINITY) >= Math.ceil(n / B)
}

/** The rows of every step, as the truth of a recording wants them. */
export function batchRows(n: number, turn: Batching): Int32Array[] {
  const batches: Int32Array[] = []
  forEachBatch(n, turn, (rows) => batches.push(rows.slice()))
  return batches
}
