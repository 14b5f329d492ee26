/** One client's turn: plain SGD on its own records, from the model it was sent. */

import { OverhearError } from '../errors.js'
import type { Trainer } from '../models/trainer.js'
import type { Rng } from '../numeric/rng.js'

export interface LocalTraining {
  readonly learningRate: number
  readonly localEpochs: number
  /** null: all records in one batch. */
  readonly batchSize: number | null
}

/**
 * [mcmahan2017] Alg. 1, ClientUpdate: E epochs of batches of B.
 * departs: records are shuffled anew each epoch, and a short last batch is averaged over its own records.
 */
export function localSgd(
  client: Trainer,
  theta: Float64Array,
  options: LocalTraining & { readonly rng: Rng },
): Float64Array {
  const { learningRate: eta, localEpochs: E, rng } = options
  const n = client.records
  const B = options.batchSize ?? n
  client.load(theta)
  for (let e = 0; e < E; e++) {
    const order = rng.fork('epoch', e).permutation(n)
    for (let start = 0; start < n; start += B) {
      client.step(order.subarray(start, start + B), eta, () => rng.fork('epoch', e, 'dropout', start))
    }
  }
  const after = client.theta()
  const bad = after.findIndex((x) => !Number.isFinite(x))
  if (bad >= 0) {
    const found = `training diverged: theta[${bad}] is ${after[bad]} after ${E} local epochs`
    throw new OverhearError('E_NON_FINITE', found, `lower the learning rate (${eta}) or scale the features and labels`)
  }
  return after
}
