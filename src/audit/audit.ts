/** The audit itself: simulate a federation or take a recording, attack it from every place, and say what leaks. */
import { OverhearError } from '../errors.js'
import { kernelHash } from '../numeric/engine/kernel-bytes.js'
import { type Running, running, type StopSignal } from '../scenario/running.js'
import type { Scenario, ScenarioInput } from '../scenario/scenario-schema.js'
import { type SimulateEvent, simulate } from '../scenario/simulate.js'
import { targetOf } from '../threat/grant.js'
import { type ObserverName, observerCalled } from '../threat/observers.js'
import { allObservers, askedAttacks } from './asked-attacks.js'
import { assemble, type Finished } from './assemble.js'
import type { AttackResult } from './attack-result.js'
import { runTasks, type Task, tasksFor } from './audit-tasks.js'
import type { AuditDocument } from './document.js'
import { hashOf } from './hash.js'
import { openRecording, type RecordingPaths } from './open-recording.js'
import { planJobs } from './plan-jobs.js'
import { type LoadedPlugin, loadPlugins, type Plugin } from './plugins.js'
import type { AuditPorts, RunFolder } from './ports.js'
import { readScenario } from './read-scenario.js'
import { openResultLog } from './result-log.js'
import { openRunFolder, writeText } from './run-folder.js'

/** How to audit; only the ports are needed. */
export interface AuditOptions {
  readonly ports: AuditPorts
  /** Stops the audit: attacks that are finished by then make a document that says it is not complete. */
  readonly signal?: StopSignal
  /** Where the adversary may stand; unless told, where the scenario says, or everywhere. */
  readonly observers?: 'all' | readonly string[]
  /** Of a recording's attacks; a scenario has its own. */
  readonly seed?: number
  /** Trains so many times, with seeds that follow each other. */
  readonly seeds?: number
  /** Whether results that an earlier call finished in the same folder count; else they are forgotten. */
  readonly resume?: boolean
  /** An attack that takes longer is stopped; null: none is; unless told, what the scenario says. */
  readonly secondsPerAttack?: number | null
  /** What to enter in the tables before anything is read, besides the scenario's own: files, or plug-ins themselves. */
  readonly plugins?: readonly (string | Plugin)[]
  /** Makes the report that is written beside the results, such as `reportHtml`. */
  report?(audit: AuditDocument): string
}

/** What an audit tells on its way. */
export type AuditEvent =
  | SimulateEvent
  /** An attack is finished, one of so many. */
  | { readonly kind: 'attacked'; readonly done: number; readonly total: number; readonly result: AttackResult }

/** A federation to simulate, or the folders of one that was recorded. */
export type AuditSubject = ScenarioInput | Scenario | RecordingPaths

/**
 * Audits a scenario or a recording. The work begins at once: read its events with `for await`, and the document from
 * `result`. Everything it makes lies in the run's folder, which the ports settle on.
 */
export function audit(subject: AuditSubject, options: AuditOptions): Running<AuditEvent, AuditDocument> {
  return running((emit) =>
    isRecording(subject) ? auditRecording(subject, options, emit) : auditScenario(subject, options, emit),
  )
}

const isRecording = (subject: AuditSubject): subject is RecordingPaths =>
  'transcript' in subject && typeof subject.transcript === 'string'

type Emit = (event: AuditEvent) => void

async function auditScenario(input: ScenarioInput, options: AuditOptions, emit: Emit): Promise<AuditDocument> {
  const { ports, signal, seeds = 1 } = options
  const plugins = await loadPlugins(
    [...(options.plugins ?? []), ...(Array.isArray(input.plugins) ? input.plugins : [])],
    ports,
  )
  const read = readScenario(input)
  const asked = askedObservers(options.observers ?? read.observers)
  const scenario: Scenario = { ...read, observers: asked }
  const { observers: _, plugins: __, ...world } = scenario
  const hash = await hashOf({ ...world, plugins: hashesOf(plugins) })
  const run = await openRunFolder(ports, { name: scenario.name, hash })
  await writeText(run, 'scenario.json', `${JSON.stringify(scenario, null, 2)}\n`)
  const tasks: Task[] = []
  const utility: Record<string, AuditDocument['utility'][string]> = {}
  for (let s = 0; s < seeds; s++) {
    const seeded: Scenario = { ...scenario, seed: scenario.seed + s }
    const base = seeds === 1 ? '' : `seed-${seeded.seed}`
    const simulation = simulate(seeded, {
      ports: {
        folder: (path) => run.folder(below(base, path)),
        clients: ports.threads.clients,
        ...(ports.files.dataset !== undefined && { dataset: ports.files.dataset }),
      },
      ...(signal !== undefined && { signal }),
    })
    for await (const event of simulation) emit(event)
    for (const [model, { name, folder, targets, utility: worth }] of (await simulation.result).entries()) {
      const kept = below(run.path, keptFolder)
      const place = { scenario: seeded, model, name, targets, kept, folder: below(run.path, below(base, folder)) }
      tasks.push(...tasksFor(place))
      utility[seeds === 1 ? name : `${name}, seed ${seeded.seed}`] = worth
    }
  }
  const seconds = options.secondsPerAttack === undefined ? scenario.secondsPerAttack : options.secondsPerAttack
  const attacked = await attackAll(tasks, { run, hash, seconds, options, emit })
  return finish(attacked, { scenario, hash, plugins, utility, run, observers: asked, options })
}

async function auditRecording(paths: RecordingPaths, options: AuditOptions, emit: Emit): Promise<AuditDocument> {
  const { ports, seed = 1 } = options
  const plugins = await loadPlugins(options.plugins ?? [], ports)
  const { sources } = await openRecording(paths, ports.files)
  const asked = askedObservers(options.observers ?? 'all')
  const target = targetOf(sources)
  const { manifest } = sources.transcript
  const planned = planJobs({
    attacks: askedAttacks({ attacks: 'all', activeRounds: 1 }),
    observers: asked,
    targets: target === undefined ? [] : [target],
    seed,
    controls: paths.truth !== undefined,
    recordedFor: manifest.recordedFor.kind,
    secureAggregation: manifest.protocol.secureAggregation,
  })
  const hash = await hashOf({
    paths,
    seed,
    manifest,
    rounds: sources.transcript.rounds().length,
    plugins: hashesOf(plugins),
  })
  const run = await openRunFolder(ports, { name: 'recording', hash })
  const kept = below(run.path, keptFolder)
  const tasks = planned.map((one): Task => ({ planned: one, paths, kept, model: null }))
  const attacked = await attackAll(tasks, { run, hash, seconds: options.secondsPerAttack ?? null, options, emit })
  return finish(attacked, { scenario: null, hash, plugins, utility: {}, run, observers: asked, options })
}

/** Where in a run's folder attacks keep what they derive. */
const keptFolder = 'kept'

/** What a run depends on of its plug-ins: their code, wherever it lies. */
const hashesOf = (plugins: readonly LoadedPlugin[]): string[] => plugins.map(({ hash }) => hash)

function askedObservers(asked: 'all' | readonly string[]): ObserverName[] {
  if (asked === 'all') return allObservers()
  for (const one of asked) observerCalled(one)
  return [...asked]
}

/** A path below a folder; '' is nothing on either side. */
const below = (folder: string, path: string): string => [folder, path].filter((part) => part !== '').join('/')

interface Attacking {
  readonly run: RunFolder
  readonly hash: string
  readonly seconds: number | null
  readonly options: AuditOptions
  readonly emit: Emit
}

interface Attacked {
  readonly finished: readonly Finished[]
  readonly complete: boolean
}

/** Runs what is not finished yet; an interruption keeps what is. */
async function attackAll(tasks: readonly Task[], around: Attacking): Promise<Attacked> {
  const { run, hash, seconds, emit } = around
  const { ports, signal, resume = false } = around.options
  if (!resume) await run.forget?.(keptFolder)
  const log = await openResultLog(run.folder(''), 'results.jsonl', { fresh: !resume })
  const pool = ports.threads.jobs({ secondsPerJob: seconds })
  const stop = (): void => void pool.close()
  signal?.addEventListener('abort', stop)
  const finished: Finished[] = []
  try {
    if (signal?.aborted) await pool.close()
    const all = await runTasks(tasks, {
      pool,
      log,
      context: { hash, version: ports.versions.overhear, kernelHash },
      onFinished(one) {
        finished.push(one)
        emit({ kind: 'attacked', done: finished.length, total: tasks.length, result: one.result })
      },
    })
    return { finished: all, complete: true }
  } catch (error) {
    if (!(error instanceof OverhearError && error.code === 'E_INTERRUPTED')) throw error
    return { finished, complete: false }
  } finally {
    signal?.removeEventListener('abort', stop)
    await pool.close()
  }
}

interface Finishing {
  readonly scenario: Scenario | null
  readonly hash: string
  readonly plugins: readonly LoadedPlugin[]
  readonly utility: AuditDocument['utility']
  readonly run: RunFolder
  readonly observers: readonly ObserverName[]
  readonly options: AuditOptions
}

/** Puts the document together and writes it, with the report where one is wanted. */
async function finish({ finished, complete }: Attacked, around: Finishing): Promise<AuditDocument> {
  const { run, options, ...rest } = around
  const { versions } = options.ports
  const made = assemble(finished, {
    ...rest,
    complete,
    versions: {
      overhear: versions.overhear,
      kernels: kernelHash,
      ...(versions.node !== undefined && { node: versions.node }),
    },
    report: options.report === undefined ? null : run.shown('report.html'),
  })
  await writeText(run, 'audit.json', `${JSON.stringify(made)}\n`)
  if (options.report !== undefined) await writeText(run, 'report.html', options.report(made))
  return made
}
