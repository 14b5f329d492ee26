/** The rounds of a federation, one after the other: who takes part, what crosses the wire, what becomes of the model. */
import { OverhearError } from '../errors.js'
import { initialise } from '../models/initialise.js'
import { parameterCount } from '../models/model.js'
import { firstNonFinite } from '../numeric/linalg/vector.js'
import { type Rng, rng } from '../numeric/random/rng.js'
import { canonical } from '../transcript/canonical.js'
import type { Update } from '../transcript/round-messages.js'
import { type Checkpoint, checkMark, markOf } from './checkpoint.js'
import { misbehaviourIn } from './clients.js'
import { checkTogether } from './defences-together.js'
import { defended, type Exchanging, exchangingIn, turnOf } from './defended-turn.js'
import type { Guest, Notes } from './exchange.js'
import type { Adversary, Defence, ExchangeContext, Excluded, Plain, Stateful } from './hooks.js'
import { withOnly } from './in-sum.js'
import { type ClientPool, inlinePool } from './pool.js'
import { awayFrom, type Population } from './population.js'
import { chooser } from './sampling/sampling.js'
import { serverStep } from './server-step.js'
import { type FederationSpec, playedBy, type Settled, settle } from './spec.js'
import { type Turn, turnStream } from './turn.js'
import { divergenceHint } from './updates.js'
import type { Utility } from './utility.js'

export interface FederateOptions {
  readonly population: Population
  /** Who plays the clients; in this thread unless told. Whoever made a pool closes it. */
  readonly pool?: ClientPool
  /** Where to take up a run; its beginning unless told. */
  readonly from?: Checkpoint
  /** The first global model; drawn by the spec's initialiser from the seed unless told. */
  readonly initial?: Float64Array
  readonly adversary?: Adversary
  readonly defences?: readonly Defence[]
  /** The id of a client that stays away: never asked, while all others are asked and draw as if it were there. */
  readonly without?: string
  /** Looked at between rounds: an aborted run ends with E_INTERRUPTED. An AbortSignal fits. */
  readonly signal?: { readonly aborted: boolean }
  /** Measures each new global model, every so many rounds and after the last. */
  readonly utility?: { evaluate(theta: Float64Array): Utility; readonly every?: number }
}

/** One round: what crossed the wire, what only the simulator knows, and where the run stands after it. */
export interface FederationRound {
  readonly round: number
  /** Whose updates are in the sum, in the order of the population. */
  readonly participants: readonly string[]
  readonly dropped: readonly string[]
  /** Who was sent something other than the global model. */
  readonly tampered: readonly string[]
  readonly learningRate: number
  /** The model that was broadcast. */
  readonly global: Float64Array
  readonly sent: ReadonlyMap<string, Float64Array>
  /** What came back, after the defences on a turn; nothing where updates stay with the clients. */
  readonly updates: ReadonlyMap<string, Update>
  /** 1 each, or their numbers of records. */
  readonly weights: ReadonlyMap<string, number>
  /** sum over i of w_i (theta_i - theta), where a defence has replaced it. */
  readonly aggregate?: Float64Array
  /** Why an exchange gave no sum: the model stays, and all who were asked count as dropped. */
  readonly aborted?: string
  /** What the clients of an exchange noticed, counted by name. */
  readonly notes?: Notes
  /** Who lost its place in an exchange. */
  readonly excluded?: readonly Excluded[]
  /** The next global model. */
  readonly next: Float64Array
  /** The truth about this round: who misbehaved. */
  readonly misbehaved: readonly string[]
  readonly utility?: Utility
  readonly checkpoint: Checkpoint
}

/** Runs a federation. The same spec, population and hooks give the same bits, whoever plays the clients. */
export async function* federate(
  spec: FederationSpec,
  options: FederateOptions,
): AsyncGenerator<FederationRound, Checkpoint, undefined> {
  const run = begin(spec, options)
  const { settled, from } = run
  const pool = options.pool ?? inlinePool(spec, { population: options.population })
  let checkpoint = from ?? checkpointOf(run, 0, run.theta)
  // Whether any round had a sum, as far as this call can tell; only an exchange can fail to give one.
  let summed = exchangingIn(run.defences) === undefined || from !== undefined || settled.rounds === 0
  let aborted = 'nobody answered'
  try {
    for (let round = from?.nextRound ?? 0; round < settled.rounds; round++) {
      if (options.signal?.aborted === true) {
        throw new OverhearError('E_INTERRUPTED', `interrupted before round ${round}`)
      }
      const played = await playRound(run, { round, global: checkpoint.theta, pool })
      summed ||= played.aggregate !== undefined
      aborted = played.aborted ?? aborted
      const utility = measured(settled, options.utility, played)
      checkpoint = checkpointOf(run, round + 1, played.next)
      yield { ...played, ...(utility !== undefined && { utility }), checkpoint }
    }
    if (!summed) throw new OverhearError('E_VALUE', `none of ${settled.rounds} rounds had a sum: ${aborted}`)
    return checkpoint
  } finally {
    if (options.pool === undefined) await pool.close()
  }
}

function checkpointOf({ mark, memory, adversary, defences }: Run, nextRound: number, theta: Float64Array): Checkpoint {
  return {
    run: mark,
    nextRound,
    theta,
    memory: Object.fromEntries(memory),
    adversary: stateOf(adversary),
    defences: Object.fromEntries(defences.map((defence) => [defence.name, stateOf(defence)])),
  }
}

/** Plays a run to its end, and returns where it stands then; `each` sees the rounds. */
export async function runToEnd(
  rounds: AsyncGenerator<FederationRound, Checkpoint, undefined>,
  each?: (round: FederationRound) => void,
): Promise<Checkpoint> {
  for (;;) {
    const step = await rounds.next()
    if (step.done) return step.value
    each?.(step.value)
  }
}

interface Run {
  readonly settled: Settled
  readonly population: Population
  readonly adversary: Adversary | undefined
  readonly defences: readonly Defence[]
  readonly from: Checkpoint | undefined
  readonly mark: Checkpoint['run']
  readonly memory: Map<string, Float64Array>
  readonly theta: Float64Array
  readonly root: Rng
  choose(round: number): number[]
}

/** Checks that everything fits together, and restores what a checkpoint holds. */
function begin(spec: FederationSpec, options: FederateOptions): Run {
  const { population, pool, from, adversary, defences = [] } = options
  const settled = settle(spec)
  const root = rng(settled.seed)
  checkFit(settled, population, defences)
  if (pool !== undefined && canonical(playedBy(pool.spec)) !== canonical(playedBy(spec))) {
    throw new OverhearError('E_INPUT', 'the pool was made for another federation', 'make one from this spec')
  }
  const mark = markOf(spec, population)
  if (from !== undefined) {
    checkMark(from, mark)
    if (from.nextRound > settled.rounds) {
      const found = `the checkpoint stands before round ${from.nextRound}`
      throw new OverhearError('E_VALUE', found, `this run has only ${settled.rounds} rounds`)
    }
    checkDefences(from, defences)
    adversary?.restore?.(from.adversary)
    for (const defence of defences) defence.restore?.(from.defences[defence.name] ?? null)
  }
  const theta = from?.theta ?? options.initial ?? initialise(settled.model, root.fork('initial'), settled.initialiser)
  checkTheta(theta, settled, from === undefined ? 'the initial model' : 'the checkpoint')
  const choose = chooser(settled.sampling, population)
  const away = options.without === undefined ? undefined : awayFrom(population, options.without)
  return {
    settled,
    population,
    adversary,
    defences,
    from,
    mark,
    theta,
    root,
    memory: new Map(Object.entries(from?.memory ?? {})),
    choose: (round) => choose({ round, rng: root.fork('round', round, 'sampling') }).filter((one) => one !== away),
  }
}

/** A run goes on under the defences that it began with. */
function checkDefences({ defences: before }: Checkpoint, defences: readonly Defence[]): void {
  const words = (names: readonly string[]): string => [...names].sort().join(', ') || 'none'
  const [then, now] = [words(Object.keys(before)), words(defences.map(({ name }) => name))]
  if (then === now) return
  throw new OverhearError('E_INPUT', `the checkpoint was made under defences: ${then}; now: ${now}`, 'keep them')
}

function checkFit({ model, misbehaving }: Settled, population: Population, defences: readonly Defence[]): void {
  if (population.inputs !== model.inputs) {
    const found = `the clients' records have ${population.inputs} columns`
    throw new OverhearError('E_SHAPE', found, `the ${model.kind} model reads ${model.inputs}`)
  }
  const stranger = [...misbehaving.keys()].find((id) => population.indexOf(id) === undefined)
  if (stranger !== undefined) {
    throw new OverhearError('E_VALUE', `misbehaving names client "${stranger}"`, 'there is no such client')
  }
  checkTogether(defences)
}

function checkTheta(theta: Float64Array, { model }: Settled, what: string): void {
  const d = parameterCount(model)
  if (theta.length !== d) {
    throw new OverhearError('E_SHAPE', `${what} has ${theta.length} values`, `a ${model.kind} model like this has ${d}`)
  }
  const bad = firstNonFinite(theta)
  if (bad >= 0) throw new OverhearError('E_NON_FINITE', `${what}: theta[${bad}] is ${theta[bad]}`)
}

interface Place {
  readonly round: number
  readonly global: Float64Array
  readonly pool: ClientPool
}

type Played = Omit<FederationRound, 'checkpoint' | 'utility'>

async function playRound(run: Run, { round, global, pool }: Place): Promise<Played> {
  const { settled, population, adversary, memory } = run
  const learningRate = settled.rateIn(round)
  const asked = run.choose(round)
  const fails = (client: number): boolean =>
    settled.dropouts > 0 && turnStream(settled, { round, client }).fork('fails').uniform() < settled.dropouts
  const absent = new Set(asked.filter(fails))
  const present = asked.filter((client) => !absent.has(client))
  const participants = present.map(population.id)
  const sent = new Map<string, Float64Array>()
  for (const client of participants) {
    const other = adversary?.sendTo({ round, client, global })
    if (other === undefined) continue
    checkTheta(other, settled, `round ${round}, what the adversary sends to client "${client}"`)
    sent.set(client, other)
  }
  const received = (id: string): Float64Array => sent.get(id) ?? global
  const turns = present.map((client, i): Turn => {
    const id = participants[i]!
    return turnOf({ round, client, theta: received(id), memory: memory.get(id) }, run.defences)
  })
  const exchanging = exchangingIn(run.defences)
  const updates = new Map<string, Update>()
  const trained = turns.length === 0 || exchanging !== undefined ? [] : await pool.train(turns)
  for (const [i, own] of trained.entries()) {
    const id = participants[i]!
    updates.set(id, await defended(own, turns[i]!, run))
    adversary?.received?.({ round, client: id, global, sent: received(id), update: updates.get(id)! })
  }
  const dropped = [...absent].map(population.id)
  const weightOf = (client: number): number => (settled.aggregateWeights === 'one' ? 1 : population.samples(client))
  const weights = new Map(present.map((client, i) => [participants[i]!, weightOf(client)]))
  const invite = (client: number) => ({ id: population.id(client), weight: weightOf(client) })
  const sitting = exchanging && seating(exchanging, { invited: [...present, ...absent].map(invite), turns, pool })
  const summed = await serverStep({ round, global, learningRate, updates, weights, dropped }, { ...run, sitting })
  for (const id of participants) {
    if (settled.misbehaving.get(id)?.entry.remembers) memory.set(id, received(id))
  }
  const misbehaved = participants.filter(
    (id, i) => settled.misbehaving.has(id) && misbehaviourIn(settled, id, turnStream(settled, turns[i]!)),
  )
  const who = { participants, dropped, tampered: [...sent.keys()], sent, weights, misbehaved }
  // Without a sum nobody's update is in anything: as if all had vanished.
  const { inSum = summed.aborted === undefined ? undefined : new Set<string>(), ...rest } = summed
  const named = inSum === undefined ? who : withOnly(inSum, who, asked.map(population.id))
  return { round, learningRate, global, updates, ...rest, ...named }
}

interface Invitation extends Pick<ExchangeContext, 'invited'> {
  /** Of those who stay, who come first. */
  readonly turns: readonly Turn[]
  readonly pool: ClientPool
}

/** The clients of an exchange: where they sit, and how they are asked to. */
function seating({ name, exchange }: Exchanging, { invited, turns, pool }: Invitation) {
  const guests = invited.map(({ id, weight }, i): Guest => {
    return { place: i + 1, id, weight, ...(i < turns.length && { turn: turns[i]! }) }
  })
  return { invited, staying: turns.length, sit: () => pool.sit(guests, { name, ...exchange }) }
}

function measured(
  { rounds, plan }: Settled,
  utility: FederateOptions['utility'],
  { round, next }: Played,
): Utility | undefined {
  if (utility === undefined || ((round + 1) % (utility.every ?? 1) !== 0 && round + 1 !== rounds)) return undefined
  const found = utility.evaluate(next)
  for (const [part, figures] of Object.entries(found)) {
    if (figures === undefined || Number.isFinite(figures.loss)) continue
    const where = `round ${round}: the ${part} loss of the new model is ${figures.loss}`
    throw new OverhearError('E_NON_FINITE', where, divergenceHint(plan.learningRate))
  }
  return found
}

const stateOf = (one: Stateful | undefined): Plain => one?.state?.() ?? null
