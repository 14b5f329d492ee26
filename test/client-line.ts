/** A line to one client that trains any model on data of its own, in batches that are drawn anew each turn. */
import { type Batch, functionsOf, type ModelFunctions } from '../src/models/functions.js'
import type { Loss, Model } from '../src/models/model.js'
import { perRecord, rowsOf } from '../src/numeric/linalg/matrix.js'
import { rng } from '../src/numeric/random/rng.js'
import type { Channel } from '../src/threat/granted-keys.js'

export interface LineOptions {
  readonly learningRate: number
  readonly batchSize?: number
  readonly localEpochs?: number
  readonly seed?: number
  readonly loss?: Loss
}

export interface ClientLine {
  readonly channel: Channel
  readonly functions: ModelFunctions
  /** Messages that were sent, on this line and on those that were started again. */
  readonly sent: () => number
}

export function clientLine(model: Model, data: Batch, options: LineOptions): ClientLine {
  const { learningRate: eta, batchSize = data.features.rows, localEpochs = 1, seed = 1 } = options
  const functions = functionsOf(model, options.loss === undefined ? {} : { loss: options.loss })
  const n = data.features.rows
  let total = 0
  const open = (): Channel => {
    let turn = 0
    const line = async (_: string, sent: Float64Array): Promise<Float64Array> => {
      total++
      const stream = rng(seed).fork('turn', turn++)
      let theta = sent.slice()
      for (let e = 0; e < localEpochs; e++) {
        const order = stream.fork('epoch', e).permutation(n)
        for (let s = 0; s < n; s += batchSize) {
          const rows = order.subarray(s, s + batchSize)
          const batch = { features: rowsOf(data.features, rows), labels: rowsOf(perRecord(data.labels, n), rows).data }
          const { grad } = functions.gradient(theta, batch)
          theta = theta.map((x, j) => x - eta * grad[j]!)
        }
      }
      return theta
    }
    return Object.assign(line, { restart: open })
  }
  return { channel: open(), functions, sent: () => total }
}
