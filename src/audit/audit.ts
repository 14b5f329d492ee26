/** The audit itself: simulate a federation or take a recording, attack it from every place, and say what leaks. */
import { kernelHash } from '../numeric/engine/kernel-bytes.js'
import { digestOfData } from '../scenario/own-data.js'
import { type Running, running, type StopSignal } from '../scenario/running.js'
import type { Scenario, ScenarioInput } from '../scenario/scenario-schema.js'
import type { SimulateEvent, SimulatePorts } from '../scenario/simulate.js'
import { defencesOf } from '../scenario/simulate-model.js'
import { smallWorld } from '../scenario/small-world.js'
import { type ObserverName, observerCalled } from '../threat/observers.js'
import type { Transcript } from '../transcript/read-transcript.js'
import { recordedPrivacy, scenarioPrivacy } from './account/audited-privacy.js'
import { withNoise } from './account/calibrated-noise.js'
import { recordedSetup } from './account/recorded-setup.js'
import { allObservers, askedAttacks } from './asked-attacks.js'
import { assemble } from './assemble.js'
import { type Attacked, type AttackedEvent, beginAttacking } from './attacks-at-work.js'
import { keptAt, type SimulatedPlace, type Task, tasksFor } from './audit-tasks.js'
import type { AuditDocument } from './document.js'
import { inLabelUnits, type LabelUnit, type UnitOf } from './finished/label-units.js'
import { contentMarks } from './folder/content-marks.js'
import { keepContents, markFolder, readContents, settleFolder, writeText } from './folder/run-folder.js'
import { hashOf } from './hash.js'
import { ladderTasks, recordedTasks } from './ladder/ladder-tasks.js'
import { questionsFrom } from './ladder/questions-from.js'
import { plannedRepeats, trainings } from './ladder/trainings.js'
import { openRecording, type RecordingPaths } from './open-recording.js'
import { planJobs } from './plan-jobs.js'
import { attackPlants } from './plants/attack-plants.js'
import { beginPlants, plantsOf } from './plants/plant-trainings.js'
import { withPlants } from './plants/with-plants.js'
import { type LoadedPlugin, loadPlugins, type Plugin } from './plugins.js'
import { type AuditPorts, holding, type RunFolder } from './ports.js'
import { readScenario } from './read-scenario.js'
import { recordedTargets } from './recorded/recorded-targets.js'
import { type RecordedEvidence, recordingFacts } from './recorded/recording-facts.js'
import { sumAttacks } from './sum-attacks.js'

/** How to audit; only the ports are needed. */
export interface AuditOptions {
  readonly ports: AuditPorts
  /** Stops the audit: attacks that are finished by then make a document that says it is not complete. */
  readonly signal?: StopSignal
  /** Where the adversary may stand; unless told, where the scenario says, or everywhere. */
  readonly observers?: 'all' | readonly string[]
  /** Of a recording's attacks; a scenario has its own. */
  readonly seed?: number
  /** Of a recording that names no target: how many of its clients are attacked at most; 20 unless told. */
  readonly mostTargets?: number
  /** How often a scenario is trained; unless told, as it says, or by its size. */
  readonly repeats?: number
  /** Whether results that an earlier call finished in the same folder count; else they are forgotten. */
  readonly resume?: boolean
  /** Whether damage in the folder is mended: what is whole counts, the rest is made again. Resumes. */
  readonly repair?: boolean
  /** An attack that takes longer is stopped; null: none is; unless told, what the scenario says. */
  readonly secondsPerAttack?: number | null
  /** What to enter in the tables before anything is read, besides the scenario's own: files, or plug-ins themselves. */
  readonly plugins?: readonly (string | Plugin)[]
  /** Whether the scenario's world is made one in which there is nothing to find, and how; not unless told. */
  readonly empty?: Scenario['empty']
  /** Makes the report that is written beside the results, such as `reportHtml`. */
  report?(audit: AuditDocument): string
}

/** What an audit tells on its way. */
export type AuditEvent =
  | SimulateEvent
  /** A training begins, one of so many. */
  | { readonly kind: 'training'; readonly number: number; readonly total: number }
  | AttackedEvent

/** A federation to simulate, or the folders of one that was recorded. */
export type AuditSubject = ScenarioInput | Scenario | RecordingPaths

/**
 * Audits a scenario or a recording. The work begins at once: read its events with `for await`, and the document from
 * `result`. Everything it makes lies in the run's folder, which the ports settle on.
 */
export function audit(subject: AuditSubject, options: AuditOptions): Running<AuditEvent, AuditDocument> {
  return running(async (emit) => {
    const { ports, release } = holding(options.ports)
    const own = { ...options, ports }
    try {
      return await (isRecording(subject) ? auditRecording(subject, own, emit) : auditScenario(subject, own, emit))
    } finally {
      await release()
    }
  })
}

/** Whether it names the folders of a recording. */
export const isRecording = (subject: AuditSubject): subject is RecordingPaths =>
  'transcript' in subject && typeof subject.transcript === 'string'

type Emit = (event: AuditEvent) => void

async function auditScenario(input: ScenarioInput, options: AuditOptions, emit: Emit): Promise<AuditDocument> {
  const { ports, signal, repair } = options
  ports.threads.prepare?.()
  const plugins = await loadPlugins(
    [...(options.plugins ?? []), ...(Array.isArray(input.plugins) ? input.plugins : [])],
    ports,
  )
  const given = readScenario({ ...input, ...(options.repeats !== undefined && { repeats: options.repeats }) })
  const read = await withNoise(given, ports.files)
  const asked = askedObservers(options.observers ?? read.observers)
  const { empty } = options
  const scenario: Scenario = { ...read, observers: asked, ...(empty !== undefined && { empty }) }
  const { observers: _, plugins: __, ...world } = scenario
  const data = ports.files.dataset === undefined ? {} : { dataset: ports.files.dataset }
  const contents = await digestOfData(scenario, data)
  const hash = await hashOf({ ...world, plugins: hashesOf(plugins), ...(contents !== undefined && { contents }) })
  const run = await settleFolder(ports, { name: scenario.name, of: hash })
  await markFolder(run, hash, ports)
  await writeText(run, 'scenario.json', `${JSON.stringify(scenario, null, 2)}\n`)
  const simulated: SimulatePorts = { folder: run.folder, clients: ports.threads.clients, ...data }
  const repeats = await plannedRepeats(scenario, simulated)
  const seconds = options.secondsPerAttack === undefined ? scenario.secondsPerAttack : options.secondsPerAttack
  const utility: Record<string, AuditDocument['utility'][string]> = {}
  const units = new Map<string, LabelUnit>()
  const diverged: Record<string, string> = {}
  const doubts = new Set<string>()
  const attacking = await beginAttacking({ run, hash, seconds, options, emit })
  const training = {
    ports: simulated,
    emit,
    ...(signal !== undefined && { signal }),
    ...(repair !== undefined && { repair }),
  }
  let first: SimulatedPlace | undefined
  try {
    // Where clients sit in threads to exchange messages, others would have to be started for the plants.
    const exchanging = defencesOf(scenario).some(({ exchange }) => exchange !== undefined)
    const elsewhere = exchanging ? undefined : attacking.plant
    const planting = { ...training, repeats, run: run.path, elsewhere }
    const begun = await beginPlants(scenario, planting)
    const made = trainings(scenario, {
      ...training,
      repeats,
      more: plantsOf(scenario).length,
      diverged(model, why) {
        diverged[model] = why
        emit({ kind: 'remark', model, text: `not tested: ${why}` })
      },
    })
    for await (const trained of made) {
      // Attacks on one repeat run while the next one is trained.
      for (const one of trained) {
        const place = { scenario, run: run.path, repeats, trained: one }
        first ??= place
        if (one.utility.label !== undefined) units.set(`${one.repeat} ${one.name}`, one.utility.label)
        if (one.repeat === 0) {
          attacking.add(tasksFor(place))
          utility[one.name] = one.utility
          const size = { clients: one.clients.length, rounds: scenario.training.rounds }
          for (const doubt of smallWorld(size)) doubts.add(doubt)
        }
        attacking.add(ladderTasks(place))
      }
    }
    await attackPlants({ scenario, run: run.path, repeats }, attacking, {
      ...planting,
      begun,
      without: new Set(Object.keys(diverged)),
    })
  } catch (error) {
    await attacking.stop()
    throw error
  }
  const attacked = await attacking.end()
  const sums = await sumAttacks(scenario, { observers: asked, ports: ports.files, place: first })
  const unitOf: UnitOf = (model, repeat) => units.get(`${repeat} ${model}`)
  const made = { scenario, hash, plugins, utility, diverged, run, observers: asked, options, repeats, unitOf }
  const privacy = await scenarioPrivacy(scenario, ports.files)
  return finish(attacked, { ...made, ...sums, doubts: [...doubts], ...(privacy !== undefined && { privacy }) })
}

async function auditRecording(paths: RecordingPaths, options: AuditOptions, emit: Emit): Promise<AuditDocument> {
  const { ports, seed = 1 } = options
  ports.threads.prepare?.()
  const plugins = await loadPlugins(options.plugins ?? [], ports)
  const { sources, truth } = await openRecording(paths, ports.files)
  const asked = askedObservers(options.observers ?? 'all')
  const { manifest } = sources.transcript
  const { targets, notes, pathsOf } = await recordedTargets(paths, sources, options.mostTargets)
  const plan = {
    observers: asked,
    targets,
    seed,
    recordedFor: manifest.recordedFor.kind,
    secureAggregation: manifest.protocol.secureAggregation,
  }
  const attacks = askedAttacks({ attacks: 'all', activeRounds: 1 })
  const planned = planJobs({ ...plan, attacks, controls: true, withoutTruth: paths.truth === undefined })
  const run = await settleFolder(ports, { name: 'recording', of: { paths, seed, plugins: hashesOf(plugins) } })
  const hash = await markRecording(run, { paths, plugins, options, transcript: sources.transcript })
  const kept = keptAt({ run: run.path })
  const tasks: Task[] = [
    ...planned.map((one): Task => ({ planned: one, paths: pathsOf(one.job.target), model: null, kept })),
    ...recordedTasks(pathsOf, sources, { plan, attacks, kept }),
  ]
  const attacking = await beginAttacking({ run, hash, seconds: options.secondsPerAttack ?? null, options, emit })
  attacking.add(tasks)
  const attacked = await attacking.end()
  const whole = { scenario: null, hash, plugins, utility: {}, diverged: {}, run, observers: asked, options }
  const { transcript } = sources
  const recorded = { paths, transcript, targets, notes, ...(truth !== undefined && { truth }) }
  const privacy = recordedPrivacy(recordedSetup(transcript, {}))
  return finish(attacked, { ...whole, repeats: 1, recorded, ...(privacy !== undefined && { privacy }) })
}

interface Recorded {
  readonly paths: RecordingPaths
  readonly transcript: Transcript
  readonly plugins: readonly LoadedPlugin[]
  readonly options: AuditOptions
}

/** Marks the folder with what the files hold, wherever they lie, and gives the hash of it. */
async function markRecording(run: RunFolder, { paths, transcript, plugins, options }: Recorded): Promise<string> {
  const { ports, seed = 1, repair = false, resume = repair } = options
  const before = await readContents(run)
  const now = await contentMarks(paths, transcript, { ports: ports.files, known: before })
  const contents = Object.fromEntries(Object.entries(now).map(([name, { sha256 }]) => [name, sha256]))
  const hash = await hashOf({ contents, target: paths.target, seed, plugins: hashesOf(plugins) })
  await keepContents(run, { before, now, resume })
  await markFolder(run, hash, ports)
  return hash
}

/** What a run depends on of its plug-ins: their code, wherever it lies. */
const hashesOf = (plugins: readonly LoadedPlugin[]): string[] => plugins.map(({ hash }) => hash)

function askedObservers(asked: 'all' | readonly string[]): ObserverName[] {
  if (asked === 'all') return allObservers()
  for (const one of asked) observerCalled(one)
  return [...asked]
}

interface Finishing
  extends Pick<AuditDocument, 'scenario' | 'hash' | 'plugins' | 'utility' | 'diverged' | 'sums' | 'privacy'> {
  readonly run: RunFolder
  readonly observers: readonly ObserverName[]
  readonly options: AuditOptions
  readonly repeats: number
  /** What a reader must know besides. */
  readonly doubts?: readonly string[]
  /** How labels were scaled for each training; not at all unless told. */
  readonly unitOf?: UnitOf
  /** Of a recording. */
  readonly recorded?: RecordedEvidence
}

/** Puts the document together and writes it, with the report where one is wanted. */
async function finish({ finished: graded, complete }: Attacked, around: Finishing): Promise<AuditDocument> {
  const { run, options, repeats, doubts = [], recorded, unitOf = () => undefined, ...rest } = around
  const finished = inLabelUnits(withPlants(graded), unitOf)
  const { versions } = options.ports
  const seed = rest.scenario?.seed ?? options.seed ?? 1
  const questions = questionsFrom(finished, { ...rest, repeats, seed })
  const shown = {
    ...rest,
    complete,
    versions: {
      overhear: versions.overhear,
      kernels: kernelHash,
      ...(versions.node !== undefined && { node: versions.node }),
    },
    report: options.report === undefined ? null : run.shown('report.html'),
  }
  const { verdict, ...other } = assemble(finished, shown, questions)
  const told = { ...verdict, doubts: [...doubts, ...verdict.doubts] }
  const results = other.observers.flatMap(({ attacks }) => attacks)
  const recording = recorded && (await recordingFacts(recorded, results, questions))
  const made: AuditDocument = { ...other, verdict: told, ...(recording !== undefined && { recording }) }
  await writeText(run, 'audit.json', `${JSON.stringify(made)}\n`)
  if (options.report !== undefined) await writeText(run, 'report.html', options.report(made))
  return made
}
