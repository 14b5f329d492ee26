/** The clients themselves: one trainer serves them all, and the records of those seen last stay in kernel memory. */
import type { Records } from '../data/records.js'
import { internal, OverhearError } from '../errors.js'
import { compressorOf } from '../models/compressions/index.js'
import type { DescentOptions } from '../models/descent.js'
import { type Held, type Trainer, trainer } from '../models/trainer.js'
import { firstNonFinite } from '../numeric/linalg/vector.js'
import { type Rng, rng } from '../numeric/random/rng.js'
import type { Update } from '../transcript/round-messages.js'
import { forEachBatch } from './batches.js'
import { localOptimum } from './local-optimum.js'
import type { LocalPlan } from './local-rules/local-rule.js'
import type { BadTraining } from './misbehaviour/misbehaviour.js'
import { mixedRecords } from './mixed-records.js'
import type { Population } from './population.js'
import { type Behaviour, type FederationSpec, type Settled, settle } from './spec.js'
import { type StepPrivacy, type Turn, turnStream } from './turn.js'
import { changeOf, divergenceHint, updateOf, valuesOf } from './updates.js'

export interface ClientsOptions {
  /** Bytes of records that may stay in kernel memory for a next turn; 128 MB unless told. */
  readonly cacheBytes?: number
}

/** A search for the model that a client would train alone. */
export interface Search {
  readonly client: number
  /** Where it begins. */
  readonly from: Float64Array
  readonly maxIterations: number
}

export interface Clients {
  play(turn: Turn): Update
  /** The same as theta_i minus the received model. Who has no turn has nothing to train on. */
  change(turn: Turn | undefined): Float64Array
  /** Draws for rounding that change. */
  rounding(turn: Turn | undefined): Rng
  /** Where a search ends. */
  alone(search: Search): Float64Array
  release(): void
}

/** Draws are addressed by round and client, so that nobody else's turn moves them. */
export function createClients(spec: FederationSpec, population: Population, options: ClientsOptions = {}): Clients {
  const settled = settle(spec)
  const cache = recordsCache(population, options)
  let bench: { readonly trainer: Trainer; readonly key: string } | undefined
  const trainerFor = (privacy: StepPrivacy | undefined): Trainer => {
    const key = JSON.stringify(privacy) ?? ''
    if (bench?.key === key) return bench.trainer
    cache.clear()
    bench?.trainer.release()
    const { model, precision, loss, lossScale, plan } = settled
    const own = privacy === undefined ? {} : { privacy }
    bench = { key, trainer: trainer(model, { precision, loss, lossScale, ...descentOf(plan), ...own }) }
    return bench.trainer
  }
  const play = (turn: Turn): Update => {
    const worker = trainerFor(turn.privacy)
    const stream = turnStream(settled, turn)
    const learningRate = settled.rateIn(turn.round)
    const train = ({ ascend = false, labels }: BadTraining = {}): Update => {
      const how = { settled, rng: stream, ascend, sampleRate: turn.privacy?.sampleRate, learningRate }
      const other = labels === undefined ? undefined : { ...population.records(turn.client), labels }
      if (turn.mixing !== undefined) {
        const mixture = { ...turn.mixing, classes: settled.loss !== 'mse', rng: stream.fork('mixup') }
        return trainOn(worker, mixedRecords(other ?? population.records(turn.client), mixture), turn.theta, how)
      }
      if (other !== undefined) return trainOn(worker, other, turn.theta, how)
      worker.use(cache.held(turn, worker))
      return trainTurn(worker, turn.theta, how)
    }
    const bad = misbehaviourIn(settled, population.id(turn.client), stream)
    if (bad === undefined) return train()
    const { theta: received, memory } = turn
    const { share, loss, model } = settled
    const { client } = turn
    return bad.entry.act(
      {
        ...{ received, memory, share, train, learningRate },
        records: () => population.records(client),
        classes: loss === 'mse' ? undefined : loss === 'binary-cross-entropy' ? 2 : model.outputs,
        rng: stream.fork('misbehaviour', 'act'),
        lasting: rng(settled.seed).fork('misbehaviour', 'client', client),
      },
      bad.values as never,
    )
  }
  const { name, params } = settled.compression
  const compress = compressorOf({ name, ...params })
  const sent = (turn: Turn): Update => {
    const update = play(turn)
    if (compress === undefined) return update
    const frame = { received: turn.theta, learningRate: settled.rateIn(turn.round) }
    return updateOf(settled.share, compress(changeOf(update, frame)), frame)
  }
  const playNamed = (turn: Turn): Update => named(turn, { population, settled }, () => sent(turn))
  return {
    play: playNamed,
    change(turn) {
      if (turn === undefined) throw internal('a client without a turn was asked for its update')
      return changeOf(playNamed(turn), { received: turn.theta, learningRate: settled.rateIn(turn.round) })
    },
    rounding(turn) {
      if (turn === undefined) throw internal('a client without a turn was asked for its update')
      return turnStream(settled, turn).fork('rounding')
    },
    alone({ client, from, maxIterations }) {
      const { model, loss } = settled
      return localOptimum(model, population.records(client), { loss, from, maxIterations }).theta
    },
    release() {
      cache.clear()
      bench?.trainer.release()
      bench = undefined
    },
  }
}

/** Whether and how a client misbehaves in a turn, by the turn's own stream. */
export function misbehaviourIn({ misbehaving }: Settled, id: string, stream: Rng): Behaviour | undefined {
  const bad = misbehaving.get(id)
  if (bad === undefined || bad.prob === 1) return bad
  return stream.fork('misbehaviour').uniform() < bad.prob ? bad : undefined
}

/** What a plan says of the steps themselves. */
function descentOf({ momentum, proxMu, optimizer, weightDecay = 0, clipNorm = null }: LocalPlan): DescentOptions {
  const { name, params } = optimizer ?? { name: 'sgd', params: {} }
  return { momentum, proxMu, weightDecay, clipNorm, optimizer: { name, ...params } }
}

interface Training {
  readonly settled: Settled
  readonly rng: Rng
  readonly ascend: boolean
  readonly sampleRate: number | undefined
  readonly learningRate: number
}

/** A turn on records that are not the client's own, which nobody keeps. */
function trainOn(worker: Trainer, records: Records, theta: Float64Array, training: Training): Update {
  const held = worker.hold(records)
  try {
    worker.use(held)
    return trainTurn(worker, theta, training)
  } finally {
    held.release()
  }
}

function trainTurn(
  worker: Trainer,
  theta: Float64Array,
  { settled, rng: stream, ascend, sampleRate, learningRate: eta }: Training,
): Update {
  const { plan, share } = settled
  const n = worker.records
  const batching = { plan, rng: stream, sampleRate }
  worker.load(theta)
  if (share === 'gradient') {
    let grad = theta
    forEachBatch(n, batching, (rows, draws) => {
      grad = worker.gradient(rows, draws) // of the one step there is
    })
    return { kind: 'gradient', grad: ascend ? grad.map((g) => -g) : grad }
  }
  forEachBatch(n, batching, (rows, draws) => {
    worker.step(rows, ascend ? -eta : eta, draws)
  })
  const after = worker.theta()
  if (share === 'parameters') return { kind: 'parameters', theta: after }
  // The client subtracts what it trained from: the received model in its own precision.
  const from = settled.precision === 'f32' ? theta.map(Math.fround) : theta
  const dTheta = after.map((x, j) => x - from[j]!)
  return updateOf(share, dTheta, { received: theta, learningRate: eta })
}

/** Names the turn in whatever goes wrong in it, and refuses numbers that are none. */
function named(
  { round, client, theta }: Turn,
  { population, settled }: { population: Population; settled: Settled },
  work: () => Update,
): Update {
  const who = `round ${round}, client "${client < population.count ? population.id(client) : client}"`
  let update: Update
  try {
    update = work()
  } catch (error) {
    if (error instanceof OverhearError) {
      throw new OverhearError(error.code, `${who}: ${error.message}`)
    }
    throw internal(`${who}: ${(error as Error).message}`)
  }
  checkUpdate(update, { who, length: theta.length, learningRate: settled.rateIn(round) })
  return update
}

interface Expected {
  readonly who: string
  /** Values of a model. */
  readonly length: number
  readonly learningRate: number
}

/** What is no update stops a run, and so does divergence, with its place and its likeliest cause. */
export function checkUpdate(update: Update, { who, length, learningRate }: Expected): void {
  const values = ['parameters', 'delta', 'gradient'].includes(update?.kind) ? valuesOf(update) : undefined
  if (values?.length !== length) {
    const found = `${who}: what was returned is ${values === undefined ? 'no update' : `an update of ${values.length} values`}`
    throw new OverhearError('E_SHAPE', found, `the model has ${length}; updateOf makes an update from a change`)
  }
  const bad = firstNonFinite(values)
  if (bad < 0) return
  const name = { parameters: 'theta', delta: 'dTheta', gradient: 'grad' }[update.kind]
  const found = `${who}: training diverged: ${name}[${bad}] is ${values[bad]}`
  throw new OverhearError('E_NON_FINITE', found, divergenceHint(learningRate))
}

const fewest = 64
const usualBytes = 128 * 1024 * 1024

/** Records in kernel memory: as many as one round asks for (or a few), so that memory does not grow with the population. */
function recordsCache(population: Population, { cacheBytes = usualBytes }: ClientsOptions) {
  const kept = new Map<number, Held>() // those used longest ago come first
  let bytes = 0
  let [round, turns, most] = [-1, 0, fewest]
  const drop = (client: number, held: Held): void => {
    kept.delete(client)
    bytes -= held.bytes
    held.release()
  }
  return {
    held(turn: Turn, worker: Trainer): Held {
      turns = turn.round === round ? turns + 1 : 1
      round = turn.round
      most = Math.max(most, turns)
      const { client } = turn
      let held = kept.get(client)
      if (held === undefined) {
        held = worker.hold(population.records(client))
        bytes += held.bytes
      } else kept.delete(client)
      kept.set(client, held)
      for (const [other, old] of kept) {
        if (other === client || (bytes <= cacheBytes && kept.size <= most)) break
        drop(other, old)
      }
      return held
    },
    clear(): void {
      for (const [client, held] of kept) drop(client, held)
    },
  }
}
