/** The main job until the audit exists: train a small federation, with progress, and print what each client has gained. */
import type { Records } from '../data/records.js'
import { toyLeastSquares } from '../data/toy-least-squares.js'
import { fedAvg } from '../federation/fedavg.js'
import type { ClientsSpec } from '../federation/pool.js'
import { digestOf } from '../models/fingerprint.js'
import { functionsOf } from '../models/functions.js'
import { createModel, type ModelSpec } from '../models/index.js'
import { initialise } from '../models/initialise.js'
import { rng } from '../numeric/rng.js'
import { progress } from './progress.js'
import { textTable } from './table.js'
import { threadPool } from './thread-pool.js'

export interface DemoOptions {
  readonly seed: number
  readonly rounds: number
  readonly workers?: number
  readonly quiet: boolean
  readonly stopped: () => boolean
}

export interface DemoResult {
  readonly rounds: number
  readonly clients: readonly { id: string; records: number; before: number; after: number; alone: number | null }[]
  readonly digest: string
}

/** Losses are mean squared errors on the client's own records; `alone` is a model trained on them and nothing else. */
export async function demo(options: DemoOptions): Promise<DemoResult> {
  const { seed, rounds, workers, quiet, stopped } = options
  const root = rng(seed).fork('demo')
  const data = toyLeastSquares(root.fork('data'), { clients: 5, recordsPerClient: 512, heterogeneity: 0.3 })
  const model: ModelSpec = { kind: 'mlp', inputs: 10, hidden: [64], outputs: 1 }
  const training = { learningRate: 0.05, localEpochs: 1, batchSize: 32 }
  const spec: ClientsSpec = { model, precision: 'f32', training, seed, records: { ...data } }
  const theta0 = initialise(createModel(model), root.fork('initial'))
  const samples = data.map(({ labels }) => labels.length)

  const federated = await train({ what: 'federated rounds', all: samples })
  // After an interruption there is no such model, and no figure for it.
  const alone = await Promise.all(data.map((_, k) => trainAlone(spec, k, { theta0, rounds, stopped })))
  const complete = !stopped()
  const loss = functionsOf(createModel(model))
  const lossOf = (theta: Float64Array, records: Records): number => loss.loss(theta, records)
  return {
    rounds: federated.rounds,
    clients: data.map((records, k) => ({
      id: String(k),
      records: records.labels.length,
      before: lossOf(theta0, records),
      after: lossOf(federated.theta, records),
      alone: complete ? lossOf(alone[k]!, records) : null,
    })),
    digest: await digestOf(federated.theta),
  }

  async function train({ what, all }: { what: string; all: readonly number[] }) {
    const pool = threadPool(spec, workers === undefined ? {} : { workers })
    const bar = progress({ total: rounds, what, quiet })
    let done = 0
    const onRound = (round: number): void => {
      done = round + 1
      bar.tick(done)
    }
    try {
      const theta = await fedAvg(theta0, { rounds, samples: all, pool, onRound, stopped })
      return { theta, rounds: done }
    } finally {
      bar.end()
      await pool.close()
    }
  }
}

interface AloneOptions {
  readonly theta0: Float64Array
  readonly rounds: number
  readonly stopped: () => boolean
}

/** The same training with a federation of one. */
async function trainAlone(
  spec: ClientsSpec,
  k: number,
  { theta0, rounds, stopped }: AloneOptions,
): Promise<Float64Array> {
  const records = spec.records[k]!
  const pool = threadPool({ ...spec, records: { 0: records } }, { workers: 1 })
  try {
    return await fedAvg(theta0, { rounds, samples: [records.labels.length], pool, stopped })
  } finally {
    await pool.close()
  }
}

export function demoText({ rounds, clients, digest }: DemoResult): string {
  const rows = clients.map((c) => [
    c.id,
    c.records,
    c.before.toFixed(4),
    c.after.toFixed(4),
    c.alone === null ? '-' : c.alone.toFixed(4),
  ])
  const header = ['client', 'records', 'loss before', 'after', 'alone']
  return `${textTable(header, rows)}\n\n${rounds} rounds of federated averaging, MLP 10-64-1; model ${digest.slice(0, 16)}`
}
