/** Runs one of a scenario's federations into a folder: the transcript, what the adversary knows, what only the grader knows. */

import type { LoadContext } from '../data/dataset-entry.js'
import type { Records } from '../data/records.js'
import { createDefence, type DefenceSpec } from '../defences/index.js'
import { OverhearError } from '../errors.js'
import type { Checkpoint } from '../federation/checkpoint.js'
import type { Defence } from '../federation/hooks.js'
import { manifestFor } from '../federation/manifest-for.js'
import { misbehaviours } from '../federation/misbehaviour/index.js'
import type { ClientPool } from '../federation/pool.js'
import type { Population } from '../federation/population.js'
import { recordFederation } from '../federation/record.js'
import type { FederationSpec } from '../federation/spec.js'
import { pooledRecords, utilityOf } from '../federation/utility.js'
import { parametersOf } from '../models/index.js'
import { settingsIn } from '../settings/index.js'
import { openTranscript } from '../transcript/read-transcript.js'
import type { WritableStore } from '../transcript/write-transcript.js'
import { federationOf, populationOf } from './federation-of.js'
import { modelsAlone } from './models-alone.js'
import { emptyMisbehaving } from './plants/empty-worlds.js'
import { loadPools, type Pools } from './pools.js'
import { modelName, type Scenario } from './scenario-schema.js'
import { targetsOf } from './targets.js'
import { turnBatches } from './turn-batches.js'
import { chooseModel, type Dealing, dealWorld, type ModelChoice, type World } from './world.js'
import { writeKnowledges, writeTruths } from './write-world.js'

/** Makes who plays the clients; `exchanging` where they exchange messages besides their updates. */
export type PoolFor = (
  spec: FederationSpec,
  population: Population,
  options?: { readonly exchanging?: boolean },
) => ClientPool

/** Which training of a scenario: the first of the world as it stands, unless told. */
export interface Training extends Dealing {
  /** The id of a client that stays away, and takes its misbehaviour with it. */
  readonly without?: string
  /** Whether the models that the targets, or the first of them, would train alone are computed, which can take long; in repeat 0 unless told. */
  readonly optima?: boolean | 'first'
}

export interface SimulateModelOptions extends Training {
  /** A store below the run's folder; '' is the folder itself. */
  folder(path: string): WritableStore
  readonly poolFor: PoolFor
  /** Who owns which rows, where that is loaded already. */
  readonly pools?: Pools
  readonly files?: LoadContext['files']
  readonly signal?: { readonly aborted: boolean }
  /** Whether what is damaged in the folder is made again, in place of being an error. */
  readonly repair?: boolean
  onRound?(done: number, total: number): void
}

/** How good the trained model is, for whoever weighs privacy against use. */
export interface ModelUtility {
  readonly model: string | null
  readonly rounds: number
  readonly trainLoss: number | null
  readonly heldOutLoss: number | null
  /** "R2" or "accuracy" on the rows kept back. */
  readonly metric: string | null
  readonly value: number | null
  /** Rounds of them in which too few were left for a secure sum, so that the model stayed; absent where all had one. */
  readonly withoutSum?: number
  /** Where the label was scaled: what 1 and 0 of a scaled label are. Losses here are in the label's own unit, squared. */
  readonly label?: { readonly scale: number; readonly shift: number }
}

/** A federation ready to run: the same for whoever builds it from the scenario. */
export interface Stage {
  /** Which of the scenario's models, in a few letters. */
  readonly name: string
  readonly world: World
  readonly choice: ModelChoice
  readonly spec: FederationSpec
  readonly population: Population
  /** The client that stays away. */
  readonly without?: string
}

export interface Simulated extends Stage {
  readonly targets: readonly string[]
  readonly checkpoint: Checkpoint
  readonly utility: ModelUtility
  /** Rounds without a sum among those played now, and why the last of them had none. */
  readonly aborted: { readonly rounds: number; readonly why: string | null }
  /** What the clients of a defence noticed in these rounds, counted by name. */
  readonly noticed: Readonly<Record<string, number>>
}

export interface StageOptions extends Training {
  readonly pools?: Pools
  readonly files?: LoadContext['files']
}

export async function stageOf(
  scenario: Scenario,
  model: number,
  { files, pools, without, ...dealing }: StageOptions = {},
): Promise<Stage> {
  const world = dealWorld(scenario, pools ?? (await loadPools(scenario, files)), dealing)
  const choice = chooseModel(scenario.models[model]!, world, scenario.training.learningRate)
  const { [without ?? '']: _, ...misbehaving } = emptyMisbehaving(scenario, world)
  return {
    name: modelName(scenario, model),
    world,
    choice,
    spec: federationOf(scenario, choice, { repeat: world.repeat, misbehaving }),
    population: populationOf(world),
    ...(without !== undefined && { without }),
  }
}

/** Goes on where an earlier call was cut off; a finished run is only measured again. */
export async function simulateModel(
  scenario: Scenario,
  model: number,
  options: SimulateModelOptions,
): Promise<Simulated> {
  const { folder, without, repeat = 0, optima = repeat === 0 } = options
  const stage = await stageOf(scenario, model, options)
  const { world, population } = stage
  // What is wrong with a scenario shows before the training, not after.
  const targets = targetsOf(scenario, world)
  checkMeasurable(scenario, world)
  checkActive(scenario, stage)
  if (without !== undefined) {
    const { optimum: _, ...trained } = await train(scenario, stage, options)
    return { ...stage, targets, ...trained }
  }
  await writeKnowledges(folder(''), scenario, world)
  const alone = optima === 'first' ? targets.slice(0, 1) : optima ? targets : []
  const { optimum, ...trained } = await train(scenario, stage, { ...options, alone })
  const { rounds } = await openTranscript(folder('transcript'), { parametersOf })
  const batches = turnBatches(stage, { targets, rounds: rounds(), defences: defencesOf(scenario) })
  const turns = rounds().map(({ round, participants }) => ({ round, clients: participants ?? [] }))
  const asked = scenario.knowledge.turnWindow > 0 && turns.length > 0
  if (asked) await writeKnowledges(folder(''), scenario, world, turns)
  const measured = scenario.contribution && repeat === 0
  await writeTruths(folder('truth'), scenario, {
    world,
    ...(optima && { optimum }),
    ...(measured && { contribution: await contributionsTo({ ...stage, ...trained }, scenario, { model, options }) }),
    batches,
    protocol: manifestFor(stage.spec, population, { defences: defencesOf(scenario) }).protocol,
    properties: propertiesOf(world),
    ...(asked && { participation: turns }),
  })
  return { ...stage, targets, ...trained }
}

function checkActive({ activeFrom }: Scenario, { spec: { rounds } }: Stage): void {
  if (activeFrom === null || activeFrom <= rounds) return
  throw new OverhearError('E_VALUE', `activeFrom is ${activeFrom}`, `the training has ${rounds} rounds`)
}

function checkMeasurable({ contribution }: Scenario, { validation }: World): void {
  if (!contribution || validation.length > 0) return
  const found = 'contribution is asked for, and no rows are kept back to measure it on'
  throw new OverhearError('E_INPUT', found, 'set data.validation above 0')
}

/** What each client adds to the first training: the loss on the validation rows without it, less that with it. */
async function contributionsTo(
  { utility, world }: Trained & Pick<Stage, 'world'>,
  scenario: Scenario,
  { model, options }: { readonly model: number; readonly options: SimulateModelOptions },
): Promise<Map<string, number>> {
  const added = new Map<string, number>()
  for (const { id } of world.clients) {
    const folder: SimulateModelOptions['folder'] = (path) => options.folder(`without-${id}/${path}`)
    const less = await simulateModel(scenario, model, { ...options, folder, without: id })
    added.set(id, less.utility.heldOutLoss! - utility.heldOutLoss!)
  }
  return added
}

type Trained = Pick<Simulated, 'checkpoint' | 'aborted' | 'noticed' | 'utility'>

interface TrainOptions extends SimulateModelOptions {
  /** Clients whose models of their own are sought when the rounds are over. */
  readonly alone?: readonly string[]
}

/** Plays the rounds that are left, and measures the model. */
async function train(
  scenario: Scenario,
  stage: Stage,
  { folder, poolFor, signal, onRound, repair, repeat = 0, alone = [] }: TrainOptions,
): Promise<Trained & { readonly optimum: ReadonlyMap<string, Float64Array> }> {
  const { world, spec, population, without } = stage
  const heldOut = world.validation.length === 0 ? undefined : world.encode(world.validation).records
  // One of many that are soon trained again: of what clients and server exchange in it only the sums are ever read.
  const again = repeat > 0 || without !== undefined
  const defences = again ? defencesOf(scenario).map(openly) : defencesOf(scenario)
  const exchanging = defences.some(({ exchange }) => exchange !== undefined)
  const pool = poolFor(spec, population, { exchanging: exchanging && !again })
  let checkpoint: Checkpoint
  let optimum: ReadonlyMap<string, Float64Array>
  let aborted: Simulated['aborted'] = { rounds: 0, why: null }
  const noticed: Record<string, number> = {}
  try {
    const rounds = recordFederation(spec, {
      population,
      pool,
      transcript: folder('transcript'),
      checkpoints: folder('checkpoints'),
      // Of those only where it ended. A run that is cut off plays a twentieth of its rounds again at most, which gives the
      // same bits.
      checkpointEvery: again ? spec.rounds : Math.ceil(spec.rounds / 20),
      ahead: 32 * 1024 * 1024,
      states: scenario.knowledge.states,
      ...(without !== undefined && { without }),
      ...(defences.length > 0 && { defences }),
      ...(signal !== undefined && { signal }),
      ...(repair !== undefined && { repair }),
    })
    for (;;) {
      const step = await rounds.next()
      if (step.done) {
        checkpoint = step.value
        break
      }
      const { round, aborted: why, notes = {} } = step.value
      for (const [name, count] of Object.entries(notes)) noticed[name] = (noticed[name] ?? 0) + count
      if (why !== undefined) aborted = { rounds: aborted.rounds + 1, why }
      onRound?.(round + 1, spec.rounds)
    }
    optimum = await modelsAlone(alone, { pool, population, from: checkpoint.theta, signal })
  } finally {
    await pool.close()
  }
  const lost = exchanging ? await roundsWithoutSum(folder('transcript')) : 0
  const utility = { ...utilityAt(stage, checkpoint, heldOut), ...(lost > 0 && { withoutSum: lost }) }
  return { checkpoint, optimum, aborted, noticed, utility }
}

/** A defence whose exchange gives the same sums with nothing kept secret, where it can. */
const openly = (defence: Defence): Defence => {
  const { exchange } = defence
  return exchange?.openly === undefined ? defence : { ...defence, exchange: exchange.openly() }
}

/** As they were written down: those of an earlier start count too. */
async function roundsWithoutSum(transcript: WritableStore): Promise<number> {
  const lines = new TextDecoder().decode(await transcript.read('rounds.jsonl')).split('\n')
  return lines.filter((line) => line !== '' && JSON.parse(line).participants?.length === 0).length
}

/** The settings that act as a defence would, and then the scenario's defences, fresh: some remember what they did. */
export const defencesOf = ({ defences, training }: Scenario): Defence[] => [
  ...Object.entries(settingsIn('training')).flatMap(([key, { id, acts }]) => {
    const hooks = acts?.((training as Readonly<Record<string, unknown>>)[key] as never)
    return hooks === undefined ? [] : [{ name: `setting ${id}`, ...hooks }]
  }),
  ...defences.map(({ name, params }) => createDefence({ name, ...params } as DefenceSpec)),
]

/** Clients by the way they misbehave, which may be nobody, and those who hold the record that is asked about. */
function propertiesOf({ clients, record, misbehaving }: World): Record<string, string[]> {
  const properties: Record<string, string[]> = Object.fromEntries(Object.keys(misbehaviours).map((name) => [name, []]))
  for (const [id, { name }] of Object.entries(misbehaving)) properties[name]!.push(id)
  if (record === undefined) return properties
  return { ...properties, membership: clients.filter(({ rows }) => rows.includes(record)).map(({ id }) => id) }
}

/** How the one label of a table of somebody's own was scaled; several would have several units. */
export function labelOf({ source, fitted: { label } }: Pick<World, 'source' | 'fitted'>): ModelUtility['label'] {
  const [rule, ...more] = label.rules
  if (source.labelScaled !== true || rule === undefined || more.length > 0) return undefined
  const { scale, shift } = rule.outputs[0]!
  return { scale, shift }
}

function utilityAt(
  { name, spec, population, without, world }: Stage,
  { theta, nextRound }: Checkpoint,
  heldOut?: Records,
): ModelUtility {
  const data = { train: pooledRecords(population, undefined, without), ...(heldOut !== undefined && { heldOut }) }
  const found = utilityOf(spec, data)(theta)
  const { accuracy, r2 } = found.heldOut ?? {}
  const label = labelOf(world)
  const told = (loss: number | undefined): number | null =>
    loss === undefined ? null : label === undefined ? loss : loss * label.scale * label.scale
  return {
    model: name,
    rounds: nextRound,
    trainLoss: told(found.train?.loss),
    heldOutLoss: told(found.heldOut?.loss),
    ...(label !== undefined && { label }),
    metric: found.heldOut === undefined ? null : accuracy === undefined ? 'R2' : 'accuracy',
    value: accuracy ?? r2 ?? null,
  }
}
