/** Runs the jobs of an audit, keeps each result as it comes, and takes up an audit that was cut off. */
import type { Scenario } from '../scenario/scenario-schema.js'
import { knowledgeName } from '../scenario/write-world.js'
import type { ObserverName } from '../threat/observers.js'
import { allObservers, askedAttacks } from './asked-attacks.js'
import type { Finished } from './assemble.js'
import type { AttackResult } from './attack-result.js'
import { hashOf } from './hash.js'
import type { LiveRun } from './live-run.js'
import type { RecordingPaths } from './open-recording.js'
import { type Planned, planJobs } from './plan-jobs.js'
import type { JobPool } from './ports.js'
import type { ResultLog } from './result-log.js'

/** A job with the files it reads. */
export interface Task {
  readonly planned: Planned
  readonly paths: RecordingPaths
  readonly live?: LiveRun
  /** Where what attacks derive is kept. */
  readonly kept?: string
  readonly model: string | null
}

/** One model's run of a scenario, and where its files are. */
export interface SimulatedPlace {
  readonly scenario: Scenario
  readonly model: number
  readonly name: string
  readonly folder: string
  readonly targets: readonly string[]
  /** Where what attacks derive is kept. */
  readonly kept: string
}

export function tasksFor({ scenario, model, name, folder, targets, kept }: SimulatedPlace): Task[] {
  const planned = planJobs({
    attacks: askedAttacks(scenario),
    observers: scenario.observers === 'all' ? allObservers() : (scenario.observers as ObserverName[]),
    targets,
    recordedFor: 'server',
    seed: scenario.seed,
    controls: scenario.controls,
    fromParams: { rounds: scenario.activeRounds },
  })
  const live = { scenario, model, checkpoints: `${folder}/checkpoints` }
  return planned.map((one) => ({
    planned: one,
    model: name,
    paths: {
      transcript: `${folder}/transcript`,
      knowledge: `${folder}/${knowledgeName(one.job.target ?? targets[0]!, targets[0]!)}`,
      truth: `${folder}/truth`,
    },
    live,
    kept,
  }))
}

export interface RunTasksOptions {
  readonly pool: JobPool
  readonly log: ResultLog
  /** What results depend on besides the job: the scenario, the code. */
  readonly context: unknown
  /** Each result as it comes. */
  onFinished?(one: Finished): void
}

const outOfTime = ({ error }: AttackResult): boolean => error?.code === 'E_TIME'

/** All results in the order of the tasks; those in the log are not run again. Rejects when interrupted. */
export async function runTasks(tasks: readonly Task[], options: RunTasksOptions): Promise<Finished[]> {
  const { pool, log, context } = options
  return Promise.all(
    tasks.map(async ({ planned, paths, live, kept, model }) => {
      const { job } = planned
      const hash = await hashOf({ job, model, context })
      let result = log.finished.get(hash)
      if (result === undefined || outOfTime(result)) {
        const fresh = await pool.run({
          job,
          paths,
          ...(live !== undefined && { live }),
          ...(kept !== undefined && { kept }),
        })
        result = { ...fresh, model }
        // Whoever resumes may have more time: what was stopped is not finished.
        if (!outOfTime(result)) await log.add(hash, result)
      }
      options.onFinished?.({ planned, result })
      return { planned, result }
    }),
  )
}
