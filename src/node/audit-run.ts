/** Runs the jobs of an audit, keeps each result as it comes, and takes up an audit that was cut off. */
import { join } from 'node:path'
import { allObservers, askedAttacks } from '../audit/asked.js'
import type { Finished } from '../audit/assemble.js'
import { hashOf } from '../audit/hash.js'
import { type Planned, planJobs } from '../audit/plan-jobs.js'
import type { Scenario } from '../scenario/scenario.js'
import { knowledgeName } from '../scenario/write-world.js'
import type { ObserverName } from '../threat/observers.js'
import type { RunPaths } from './files/open-run.js'
import type { ResultLog } from './files/result-log.js'
import type { LiveRun } from './live-run.js'
import type { JobPool } from './threads/job-pool.js'

/** A job with the files it reads. */
export interface Task {
  readonly planned: Planned
  readonly paths: RunPaths
  readonly live?: LiveRun
  readonly model: string | null
}

export interface SimulatedPlace {
  readonly scenario: Scenario
  readonly model: number
  readonly name: string
  readonly folder: string
  readonly targets: readonly string[]
  readonly dataDir?: string
}

export function tasksFor({ scenario, model, name, folder, targets, dataDir }: SimulatedPlace): Task[] {
  const planned = planJobs({
    attacks: askedAttacks(scenario),
    observers: scenario.observers === 'all' ? allObservers : (scenario.observers as ObserverName[]),
    targets,
    recordedFor: 'server',
    seed: scenario.seed,
    controls: scenario.controls,
    fromParams: { rounds: scenario.activeRounds },
  })
  const checkpoints = join(folder, 'checkpoints')
  const live = { scenario, model, checkpoints, ...(dataDir !== undefined && { dataDir }) }
  return planned.map((one) => ({
    planned: one,
    model: name,
    paths: {
      transcript: join(folder, 'transcript'),
      knowledge: join(folder, knowledgeName(one.job.target ?? targets[0]!, targets[0]!)),
      truth: join(folder, 'truth'),
    },
    live,
  }))
}

export interface RunTasksOptions {
  readonly pool: JobPool
  readonly log: ResultLog
  /** What results depend on besides the job: the scenario, the code. */
  readonly context: unknown
  onDone?(done: number, total: number, last: string): void
  /** Each result as it comes. */
  onFinished?(one: Finished): void
}

/** All results in the order of the tasks; those in the log are not run again. Rejects when interrupted. */
export async function runTasks(tasks: readonly Task[], options: RunTasksOptions): Promise<Finished[]> {
  const { pool, log, context, onDone } = options
  let done = 0
  return Promise.all(
    tasks.map(async ({ planned, paths, live, model }) => {
      const { job } = planned
      const hash = await hashOf({ job, model, context })
      let result = log.finished.get(hash)
      if (result === undefined) {
        const fresh = await pool.run({ job, paths, ...(live !== undefined && { live }) })
        result = { ...fresh, model }
        log.add(hash, result)
      }
      options.onFinished?.({ planned, result })
      onDone?.(++done, tasks.length, job.attack)
      return { planned, result }
    }),
  )
}
