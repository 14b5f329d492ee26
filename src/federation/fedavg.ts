/** The round loop of federated averaging, over any pool of clients. */
import type { ClientPool } from './pool.js'
import { weightedMean } from './weighted-mean.js'

export interface FedAvgOptions {
  readonly rounds: number
  /** Records per client, which are the weights of the mean. */
  readonly samples: readonly number[]
  readonly pool: ClientPool
  /** Called after each round with the new global model. */
  onRound?(round: number, theta: Float64Array): void
  /** Asked before each round; true ends the run with what is there. */
  stopped?(): boolean
}

export async function fedAvg(theta0: Float64Array, options: FedAvgOptions): Promise<Float64Array> {
  const { rounds, samples, pool, onRound, stopped } = options
  let theta = theta0
  for (let round = 0; round < rounds && stopped?.() !== true; round++) {
    const turns = samples.map((_, client) => ({ round, client, theta }))
    theta = weightedMean(await pool.train(turns), samples)
    onRound?.(round, theta)
  }
  return theta
}
