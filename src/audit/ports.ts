/** What an audit needs of the machine it runs on: files, threads, and what to call the program. */
import type { LoadContext } from '../data/dataset-entry.js'
import type { PoolRows } from '../scenario/pools.js'
import type { Scenario } from '../scenario/scenario-schema.js'
import type { SimulateEvent, SimulatePorts } from '../scenario/simulate.js'
import type { AttackResult } from './attack-result.js'
import type { Ask } from './ladder/answer.js'
import type { Trained } from './ladder/trainings.js'
import type { LiveRun } from './live-run.js'
import type { RecordingPaths, RecordingPorts } from './open-recording.js'
import type { Job } from './plan-jobs.js'

/** The machine as an audit sees it. */
export interface AuditPorts {
  readonly files: AuditFiles
  readonly threads: AuditThreads
  readonly plugins?: PluginPort
  /** Versions that the document states, and that a run's folder is marked with. */
  readonly versions: { readonly overhear: string; readonly node?: string }
}

/** How plug-ins are read from files. */
export interface PluginPort {
  /** The default export of a file, the hash of its code with what it imports from beside it, and its whole path. */
  load(file: string): Promise<{ readonly plugin: unknown; readonly hash: string; readonly file: string }>
}

/** Where runs, datasets and recordings lie. */
export interface AuditFiles extends RecordingPorts {
  /** Settles on the run's folder and makes it; `name` is what it is called unless somebody asked for another. */
  run(name: string): Promise<RunFolder>
  /** Reads the files of a dataset, for those that have files. */
  dataset?(name: string): LoadContext['files']
}

/** The folder of one run. */
export interface RunFolder {
  /** What jobs are told: paths of the run's files begin with it. */
  readonly path: string
  /** A store below the folder; '' is the folder itself. */
  folder: SimulatePorts['folder']
  /** Deletes a folder below it with all that is in it, where there is one. */
  forget?(path: string): Promise<void>
  /** One of the run's files as people are told of it. */
  shown(path: string): string
  /** Lets others have the folder; until then nobody else writes into it. */
  release?(): Promise<void>
}

/** The same ports, and how to let go of every folder that was settled on through them. */
export function holding(ports: AuditPorts): { readonly ports: AuditPorts; release(): Promise<void> } {
  const held: RunFolder[] = []
  const run = async (name: string): Promise<RunFolder> => {
    const folder = await ports.files.run(name)
    held.push(folder)
    return folder
  }
  return {
    ports: { ...ports, files: { ...ports.files, run } },
    async release() {
      for (const folder of held.splice(0)) await folder.release?.()
    },
  }
}

/** Who does the work. */
export interface AuditThreads {
  /** Whether the work is done in other threads, which see no object of this one. */
  readonly elsewhere?: boolean
  /** Told that work will come: threads can start meanwhile. */
  prepare?(): void
  /** Who plays the clients of a simulation. */
  readonly clients: SimulatePorts['clients']
  /** Who runs the attacks, each for so many seconds at most; null: as long as it takes. */
  jobs(options: { readonly secondsPerJob: number | null }): JobPool
}

/** A job with the files it reads: plain data, so that it can travel to another thread. */
export interface JobRequest {
  readonly job: Job
  readonly paths: RecordingPaths
  /** The folder in which what attacks derive is kept for the jobs of other threads; unless told, none is. */
  readonly kept?: string
  /** The federation itself, for attacks that send. */
  readonly live?: LiveRun
  /** Asks in the cells of the ladder, instead of about the client's records as they are known. */
  readonly ask?: Ask
  /** How long it may take beside others, by guess: the longest are begun first. */
  readonly effort?: number
  /** What an earlier run claimed whose controls were cut off: they alone remain. */
  readonly claimed?: AttackResult
}

/** Told on the way of a job. */
export interface JobPoolHooks {
  onTick?(done: number, total: number): void
  /** What is claimed, before its controls have run; a result without any comes at once. */
  onClaimed?(result: AttackResult): void
}

/** Runs attacks, as many at a time as it likes. */
export interface JobPool {
  /** Rejects with E_INTERRUPTED once the pool is closed, and with the error of an internal fault. */
  run(request: JobRequest, hooks?: JobPoolHooks): Promise<AttackResult>
  /** Trains a federation with a planted leak before any attack that waits, for as long as it takes. Rejects as `run` does. */
  plant?(request: PlantRequest): Promise<PlantReply>
  close(): Promise<void>
}

/** Which leak, in which of the scenario's models. */
export interface Planted {
  readonly plant: number
  readonly model: number
}

/** Plain data. */
export interface PlantRequest {
  readonly scenario: Scenario
  readonly pools: PoolRows
  /** The run's folder. */
  readonly run: string
  readonly planted: Planted
  readonly repair: boolean
}

/** What became of it: it is made, it diverged, or it is too large for one thread, which leaves it. */
export type PlantReply =
  | { readonly kind: 'made'; readonly trained: Trained; readonly events: readonly SimulateEvent[] }
  | { readonly kind: 'diverged' }
  | { readonly kind: 'large' }
