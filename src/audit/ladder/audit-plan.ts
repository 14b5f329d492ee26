/** What an audit of a scenario will do and could find, told before anything runs: `overhear audit --plan`. */
import { inlinePool } from '../../federation/pool.js'
import { plantRepeat } from '../../scenario/plants/grades.js'
import { modelName, type Scenario } from '../../scenario/scenario-schema.js'
import { poolsOf, type SimulatePorts } from '../../scenario/simulate.js'
import { simulateModel } from '../../scenario/simulate-model.js'
import { bytesOfMessages } from '../../scenario/size-of-messages.js'
import { seatsOf, targetsOf } from '../../scenario/targets.js'
import { dealWorld, type World } from '../../scenario/world.js'
import { memoryFolder } from '../../transcript/memory-folder.js'
import { leastAreaPlanned, planTest } from '../../verdict/plan.js'
import { defaultDraws } from '../../verdict/randomisation.js'
import { cellsAsked, type SimulatedPlace, type Task, tasksFor } from '../audit-tasks.js'
import { keptBytes } from '../job-runner.js'
import { effortOf } from '../plan-jobs.js'
import { plantTasks } from '../plants/plant-tasks.js'
import { plantsOf } from '../plants/plant-trainings.js'
import { ladderTasks } from './ladder-tasks.js'
import { absentIn, holdsBack, plannedRepeats, type Trained } from './trainings.js'

/** Before anything runs. */
export interface AuditPlan {
  readonly repeats: number
  /** Federations that are trained, of all models, with and without the targets. */
  readonly trainings: number
  /** Jobs of attacks. */
  readonly attacks: number
  /** About, by one short trial of each model and the attacks' own estimates, on so many cores. */
  readonly seconds: { readonly trainings: number; readonly attacks: number; readonly cores: number }
  /** Messages of all trainings on disk, at most. */
  readonly bytes: number
  /** Bytes of memory that all threads take together, about. */
  readonly memory: number
  /** Records of the first target that are compared: trained, held back. */
  readonly records: { readonly trained: number; readonly heldBack: number }
  /** Of each kind of test: how many answers each training can have, the level it is held to, the least p it can reach. */
  readonly tests: readonly {
    readonly name: string
    readonly candidates: number
    readonly level: number
    readonly leastP: number
    /** Why it cannot reject anything, in words; null where it can. */
    readonly untested: string | null
  }[]
  /** About the least areas that would be seen with power 0.8. */
  readonly leastSeen: { readonly members: number; readonly attribute: number }
}

export interface PlanPorts extends Pick<SimulatePorts, 'dataset'> {
  /** Milliseconds. */
  now(): number
  readonly cores: number
}

/** Rounds that a round's time is told by. */
const trialRounds = 5
/** Seconds that a unit of an attack's effort takes on some fifty records and sixty rounds, about; it grows with both. */
const secondsPerEffort = 0.006
const usual = { records: 50, rounds: 60 }
const rowsOfEach = 8
/** Bytes that a thread takes before it holds anything: compiled code, kernels, a small world. */
const bytesOfThread = 100e6

export async function planAudit(scenario: Scenario, ports: PlanPorts): Promise<AuditPlan> {
  const repeats = await plannedRepeats(scenario, ports)
  const world = dealWorld(scenario, await poolsOf(scenario, ports), { redraw: holdsBack(scenario) })
  const targets = targetsOf(scenario, world)
  const planted = plantsOf(scenario).length
  const perModel = repeats * (1 + absentIn(scenario, targets.length)) + planted
  const tasks = scenario.models.flatMap((_, model) => tasksOf(scenario, { model, repeats, world, targets }))
  const first = world.clients.find(({ id }) => id === targets[0])!
  const records = { trained: first.rows.length, heldBack: first.heldBack.length }
  const bytes = await bytesOfMessages(scenario, ports)
  return {
    repeats,
    trainings: perModel * scenario.models.length,
    attacks: tasks.length,
    seconds: {
      trainings: perModel * (await trialSeconds(scenario, ports)),
      attacks: attackSeconds(tasks, scenario, records.trained) / ports.cores,
      cores: ports.cores,
    },
    bytes: perModel * scenario.models.length * bytes,
    memory: memoryOf(bytes, ports.cores),
    records,
    ...testsOf(scenario, { repeats, world, records }),
  }
}

/** Every core has a thread, beside the main one; each keeps decoded messages, in doubles, up to a limit, and as much in use. */
const memoryOf = (bytesOfMessages: number, cores: number): number =>
  (1 + cores) * bytesOfThread + cores * 2 * Math.min(keptBytes, 2 * bytesOfMessages)

interface Planned {
  readonly model: number
  readonly repeats: number
  readonly world: World
  readonly targets: readonly string[]
}

/** The jobs of all repeats, of one model, as if it were trained. */
function tasksOf(scenario: Scenario, { model, repeats, world, targets }: Planned): Task[] {
  const clients = world.clients.map(({ id }) => id)
  const placeOf = (repeat: number, plant?: number): SimulatedPlace => {
    const trained: Trained = {
      repeat,
      ...(plant !== undefined && { plant }),
      model,
      name: modelName(scenario, model),
      folder: '',
      targets,
      clients,
      seats: seatsOf(scenario, world.clients),
      utility: { model: null, rounds: 0, trainLoss: null, heldOutLoss: null, metric: null, value: null },
      without: new Map(),
    }
    return { scenario, run: '', repeats, trained }
  }
  const asked = Array.from({ length: repeats }, (_, repeat) => {
    const place = placeOf(repeat)
    return [...(repeat === 0 ? tasksFor(place) : []), ...ladderTasks(place)]
  }).flat()
  return [...asked, ...plantsOf(scenario).flatMap((plant) => plantTasks(placeOf(plantRepeat(plant), plant)))]
}

/** One training of all models, by a few rounds of each: what it takes before the first round, and what a round takes. */
async function trialSeconds(scenario: Scenario, ports: PlanPorts): Promise<number> {
  let milliseconds = 0
  for (const model of scenario.models.keys()) {
    await trialOf(scenario, { model, rounds: 1, ports }) // the first compiles, which is done once for all
    const [few, more] = [
      await trialOf(scenario, { model, rounds: 1, ports }),
      await trialOf(scenario, { model, rounds: 1 + trialRounds, ports }),
    ]
    const each = Math.max(0, more - few) / trialRounds
    milliseconds += Math.max(0, few - each) + each * scenario.training.rounds
  }
  return milliseconds / 1000
}

interface Trial {
  readonly model: number
  readonly rounds: number
  readonly ports: PlanPorts
}

async function trialOf(scenario: Scenario, { model, rounds, ports }: Trial): Promise<number> {
  const files = new Map<string, Uint8Array>()
  const pools = await poolsOf(scenario, ports)
  const start = ports.now()
  await simulateModel({ ...scenario, training: { ...scenario.training, rounds } }, model, {
    folder: (path) => memoryFolder(files, path),
    poolFor: (spec, population) => inlinePool(spec, { population }),
    pools,
    optima: false,
  })
  return ports.now() - start
}

function attackSeconds(tasks: readonly Task[], { training }: Scenario, records: number): number {
  const size = Math.max(1, records / usual.records) * Math.max(1, training.rounds / usual.rounds)
  const efforts = tasks.map(({ planned, ask }) => effortOf(planned.job) * (ask === undefined ? 1 : cellsAsked))
  return efforts.reduce((sum, effort) => sum + effort, 0) * secondsPerEffort * size
}

interface Tested extends Pick<Planned, 'repeats' | 'world'> {
  readonly records: AuditPlan['records']
}

function testsOf(scenario: Scenario, { repeats, world, records }: Tested): Pick<AuditPlan, 'tests' | 'leastSeen'> {
  const guilty = Object.keys(scenario.training.misbehaving).length
  const seats = Math.min(10, world.clients.length)
  const orders = Array.from({ length: seats }, (_, i) => i + 1).reduce((a, b) => Math.min(1000, a * b), 1)
  const sets = guilty === 0 ? 1 : Math.min(1000, choose(seatsOf(scenario, world.clients).length, guilty))
  const strata = new Map<string, readonly number[]>([
    ['claims about each record', [repeats === 1 ? 2000 : 200]],
    ['claims about a list', [2]],
    ...(sets > 1 ? [['who is guilty', [sets]] as const] : []),
  ])
  // The clients are the same in all trainings: their order is one answer, however often they train.
  const once = new Map<string, readonly number[]>([['whose messages are whose', [orders]]])
  const options = { alpha: scenario.alpha, looks: 1, ...defaultDraws } as const
  const planned = [
    ...planTest(strata, { ...options, trainings: repeats }),
    ...planTest(once, { ...options, trainings: 1 }),
  ]
  const able = planned.filter(([, { untested }]) => untested === null).length
  const level = scenario.alpha / Math.max(1, able)
  const n = Math.min(records.trained, records.heldBack)
  const half = { positive: Math.max(1, n / 2), negative: Math.max(1, n / 2) }
  const least = (areas: readonly { readonly positive: number; readonly negative: number }[]): number =>
    leastAreaPlanned({ areas, trainings: repeats, level: level / rowsOfEach })
  return {
    tests: planned.map(([name, { leastP, untested }]) => ({
      name,
      candidates: (strata.get(name) ?? once.get(name))![0]!,
      level,
      leastP,
      untested: untested === null ? null : `too few: it takes ${untested.repeats} repeats`,
    })),
    leastSeen: {
      members: least([{ positive: Math.max(1, n), negative: Math.max(1, n) }]),
      attribute: least([half, half]),
    },
  }
}

function choose(n: number, k: number): number {
  let ways = 1
  for (let i = 1; i <= k; i++) ways = (ways * (n - k + i)) / i
  return ways
}
