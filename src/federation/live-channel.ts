/** A line into a federation that is still running: what an active adversary sends, the target's own training answers. */
import { OverhearError } from '../errors.js'
import { type Checkpoint, checkMark, markOf } from './checkpoint.js'
import { defended, exchangingIn, turnOf } from './defended-turn.js'
import type { Defence } from './hooks.js'
import type { ClientPool } from './pool.js'
import type { Population } from './population.js'
import { type FederationSpec, settle } from './spec.js'
import { modelAfter } from './updates.js'

export interface LiveChannelOptions {
  readonly spec: FederationSpec
  readonly population: Population
  readonly pool: ClientPool
  /** Where the federation stands: the first turn is that of its next round. */
  readonly from: Checkpoint
  readonly target: string
  /** Those of the federation: the target's turns pass through them too. */
  readonly defences?: readonly Defence[]
}

/** One turn that was played. */
export interface LiveTurn {
  readonly round: number
  readonly sent: Float64Array
  readonly returned: Float64Array
}

export interface LiveChannel {
  /** Sends a model to the target and returns the model that comes back; each call is one round. */
  (client: string, theta: Float64Array): Promise<Float64Array>
  /** A new line from where this one began, as if nothing had been sent. */
  restart(): LiveChannel
  /** Lets so many rounds pass in which the target is sent the honest model: its later turns draw from later streams. */
  pass(rounds: number): void
  /** What was sent and returned, for those who ask whether it would have been noticed. */
  sentSoFar(): readonly LiveTurn[]
}

/** With defences that keep a state, only one line may be in use at a time. */
export function liveChannel(options: LiveChannelOptions): LiveChannel {
  const { spec, population, pool, from, target, defences = [] } = options
  checkMark(from, markOf(spec, population))
  const exchanging = exchangingIn(defences)
  if (exchanging !== undefined) {
    const found = `a line to client "${target}" under ${exchanging.name}`
    throw new OverhearError('E_INPUT', found, 'its updates stay with it: only sums can be heard')
  }
  const settled = settle(spec)
  const client = population.indexOf(target)
  if (client === undefined)
    throw new OverhearError('E_VALUE', `the target is client "${target}"`, 'there is no such client')
  for (const defence of defences) defence.restore?.(from.defences[defence.name] ?? null)
  const played: LiveTurn[] = []
  let passed = 0
  let memory = from.memory[target]
  let before: Promise<unknown> = Promise.resolve()

  const play = async (theta: Float64Array): Promise<Float64Array> => {
    const round = from.nextRound + passed + played.length
    const turn = turnOf({ round, client, theta, memory }, defences)
    const [trained] = await pool.train([turn])
    const update = await defended(trained!, turn, { settled, population, defences })
    const returned = modelAfter(update, { received: theta, learningRate: settled.rateIn(round) })
    if (settled.misbehaving.get(target)?.entry.remembers) memory = theta
    played.push({ round, sent: theta, returned })
    return returned.slice()
  }
  const send = (to: string, theta: Float64Array): Promise<Float64Array> => {
    if (to !== target) {
      const found = `a model was to be sent to client "${to}"`
      return Promise.reject(new OverhearError('E_INPUT', found, `this line leads to client "${target}"`))
    }
    const own = theta.slice()
    const turn = before.then(() => play(own)) // one round each, in the order of the calls
    before = turn.catch(() => {})
    return turn
  }
  const pass = (rounds: number): void => {
    before = before.then(() => {
      passed += rounds
    })
  }
  return Object.assign(send, { restart: () => liveChannel(options), pass, sentSoFar: () => [...played] })
}
