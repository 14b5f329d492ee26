/** Where clients compute: here, or (node/thread-pool.ts) in worker threads. The results have the same bits either way. */
import type { Records } from '../data/records.js'
import { createModel, type ModelSpec } from '../models/index.js'
import { trainer } from '../models/trainer.js'
import type { Precision } from '../numeric/kernels.js'
import { rng } from '../numeric/rng.js'
import { type LocalTraining, localSgd } from './local-sgd.js'

/** Everything a worker needs to play some clients, as plain data. */
export interface ClientsSpec {
  readonly model: ModelSpec
  readonly precision: Precision
  readonly training: LocalTraining
  readonly seed: number
  /** By client number; a worker is given only its own. */
  readonly records: Readonly<Record<number, Records>>
}

/** "Client k, take this model in round t and send back yours." */
export interface Turn {
  readonly round: number
  readonly client: number
  readonly theta: Float64Array
}

export interface ClientPool {
  train(turns: readonly Turn[]): Promise<Float64Array[]>
  close(): Promise<void>
}

/** The clients themselves. Draws are addressed by round and client, so that nobody else's turn moves them. */
export function createClients({
  model: spec,
  precision,
  training,
  seed,
  records,
}: ClientsSpec): (turn: Turn) => Float64Array {
  const model = createModel(spec)
  const trainers = new Map(Object.entries(records).map(([k, data]) => [Number(k), trainer(model, { data, precision })]))
  return ({ round, client, theta }) =>
    localSgd(trainers.get(client)!, theta, { ...training, rng: rng(seed).fork('round', round, 'client', client) })
}

export function inlinePool(spec: ClientsSpec): ClientPool {
  const play = createClients(spec)
  return {
    train: async (turns) => turns.map(play),
    close: async () => {},
  }
}
