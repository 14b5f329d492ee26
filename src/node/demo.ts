/** The main job until the audit exists: train a small federation, with progress, and print what each client has gained. */
import type { Records } from '../data/records.js'
import { toyLeastSquares } from '../data/toy-least-squares.js'
import { OverhearError } from '../errors.js'
import { type FederationRound, federate } from '../federation/federate.js'
import { heldPopulation } from '../federation/population.js'
import type { FederationSpec } from '../federation/spec.js'
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
  const rule = { algorithm: 'fedavg', learningRate: 0.05, localEpochs: 1, batchSize: 32 } as const
  const spec: FederationSpec = { model, seed, rounds, rule }
  const theta0 = initialise(createModel(model), root.fork('initial'))
  const signal = {
    get aborted() {
      return stopped()
    },
  }
  const bar = progress({ total: rounds, what: 'federated rounds', quiet })
  let done = 0
  const onRound = ({ round }: FederationRound): void => {
    done = round + 1
    bar.tick(done)
  }
  const theta = await train(spec, { data, theta0, signal, onRound, workers }).finally(() => bar.end())
  // After an interruption there is no such model, and no figure for it.
  const alone = await Promise.all(data.map((own) => train(spec, { data: [own], theta0, signal, workers: 1 })))
  const complete = !stopped()
  const loss = functionsOf(createModel(model))
  const lossOf = (theta: Float64Array, records: Records): number => loss.loss(theta, records)
  return {
    rounds: done,
    clients: data.map((records, k) => ({
      id: String(k),
      records: records.labels.length,
      before: lossOf(theta0, records),
      after: lossOf(theta, records),
      alone: complete ? lossOf(alone[k]!, records) : null,
    })),
    digest: await digestOf(theta),
  }
}

interface TrainOptions {
  readonly data: readonly Records[]
  readonly theta0: Float64Array
  readonly signal: { readonly aborted: boolean }
  readonly workers: number | undefined
  onRound?(round: FederationRound): void
}

/** The model after the last round, or after the last one before an interruption. */
async function train(spec: FederationSpec, options: TrainOptions): Promise<Float64Array> {
  const { data, theta0, signal, workers, onRound } = options
  const population = heldPopulation(data)
  const pool = threadPool(spec, { population, ...(workers !== undefined && { workers }) })
  let theta = theta0
  try {
    for await (const round of federate(spec, { population, pool, initial: theta0, signal })) {
      theta = round.next
      onRound?.(round)
    }
  } catch (error) {
    if (!(error instanceof OverhearError && error.code === 'E_INTERRUPTED')) throw error
  } finally {
    await pool.close()
  }
  return theta
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
