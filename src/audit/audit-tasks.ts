/** Runs the jobs of an audit, keeps each result as it comes, and takes up an audit that was cut off. */
import { seedOf } from '../scenario/repeats.js'
import type { Scenario } from '../scenario/scenario-schema.js'
import { knowledgeName } from '../scenario/write-world.js'
import type { ObserverName } from '../threat/observers.js'
import { allObservers, askedAttacks } from './asked-attacks.js'
import type { Finished } from './assemble.js'
import type { AttackResult } from './attack-result.js'
import type { ResultLog } from './folder/result-log.js'
import { hashOf } from './hash.js'
import type { Ask } from './ladder/answer.js'
import { holdsBack, type Trained } from './ladder/trainings.js'
import type { LiveRun } from './live-run.js'
import type { RecordingPaths } from './open-recording.js'
import { effortOf, type Planned, planJobs } from './plan-jobs.js'
import type { JobPool } from './ports.js'

/** A job with the files it reads. */
export interface Task {
  readonly planned: Planned
  readonly paths: RecordingPaths
  readonly live?: LiveRun
  /** Asks in the cells of the ladder. */
  readonly ask?: Ask
  /** The leak that was planted in the training, from 0. */
  readonly plant?: number
  /** Where what attacks derive is kept. */
  readonly kept?: string
  readonly model: string | null
}

/** One model of one training of a scenario, and where its files are. */
export interface SimulatedPlace {
  readonly scenario: Scenario
  /** The run's folder. */
  readonly run: string
  readonly repeats: number
  readonly trained: Trained
}

/** What the federation of a place is asked with, whoever asks. */
export function planAt({ scenario, trained: { targets, repeat } }: SimulatedPlace) {
  return {
    observers: scenario.observers === 'all' ? allObservers() : (scenario.observers as ObserverName[]),
    targets,
    recordedFor: 'server',
    seed: seedOf(scenario.seed, repeat),
    fromParams: { rounds: scenario.activeRounds },
    workBudget: scenario.workBudget,
  } as const
}

/** The files of a target. */
export function pathsAt({ run, trained: { folder, targets } }: SimulatedPlace, target: string): RecordingPaths {
  const at = below(run, folder)
  return {
    transcript: `${at}/transcript`,
    knowledge: `${at}/${knowledgeName(target, targets[0]!)}`,
    truth: `${at}/truth`,
  }
}

/** The federation itself, for attacks that send. */
export function liveAt({ scenario, run, trained: { folder, model, repeat, plant } }: SimulatedPlace): LiveRun {
  // Who is guilty is drawn anew in plants, whatever the other trainings are like.
  const training = plant === undefined ? { repeat, redraw: holdsBack(scenario) } : { repeat, redraw: true, plant }
  return { scenario, model, training, checkpoints: `${below(run, folder)}/checkpoints` }
}

/** Where in a run's folder attacks keep what they derive. */
export const keptFolder = 'kept'

export const keptAt = ({ run }: Pick<SimulatedPlace, 'run'>): string => below(run, keptFolder)

/** A path below a folder; '' is nothing on either side. */
export const below = (folder: string, path: string): string => [folder, path].filter((part) => part !== '').join('/')

/** Every attack as it would be run by itself, on the training that people are told of. */
export function tasksFor(place: SimulatedPlace): Task[] {
  const { scenario, trained } = place
  const planned = planJobs({ ...planAt(place), attacks: askedAttacks(scenario), controls: false })
  const live = liveAt(place)
  return planned.map((one) => ({
    planned: one,
    model: trained.name,
    paths: pathsAt(place, one.job.target ?? trained.targets[0]!),
    live,
    kept: keptAt(place),
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

/** How many times the work of one run an attack does that is asked in the cells of the ladder, about. */
export const cellsAsked = 4

const outOfTime = ({ error }: AttackResult): boolean => error?.code === 'E_TIME'

/** All results in the order of the tasks; those in the log are not run again. Rejects when interrupted. */
export async function runTasks(tasks: readonly Task[], options: RunTasksOptions): Promise<Finished[]> {
  const { pool, log, context } = options
  return Promise.all(
    tasks.map(async ({ planned, paths, live, ask, kept, model, plant }) => {
      const { job } = planned
      const hash = await hashOf({ job, model, ask, plant, context })
      let result = log.finished.get(hash)
      if (result === undefined || outOfTime(result)) {
        const claimed = log.claimed.get(hash)
        const request = {
          job,
          paths,
          effort: effortOf(job) * (ask === undefined ? 1 : cellsAsked),
          ...(live && { live }),
          ...(ask && { ask }),
          ...(kept !== undefined && { kept }),
          ...(claimed && { claimed }),
        }
        let stored: Promise<void> | undefined
        const fresh = await pool.run(request, {
          onClaimed(claim) {
            stored = log.addClaim(hash, { ...claim, model })
            stored.catch(() => {}) // heard below, unless something worse comes first
          },
        })
        await stored
        // An attack that was stopped from outside could not say which training it was asked about.
        const stopped = ask !== undefined && fresh.ladder === undefined
        result = {
          ...fresh,
          model,
          ...(plant !== undefined && { plant }),
          ...(stopped && { ladder: { repeat: ask.repeat, answers: [] } }),
        }
        // Whoever resumes may have more time: what was stopped is not finished.
        if (!outOfTime(result)) await log.add(hash, result)
      }
      options.onFinished?.({ planned, result })
      return { planned, result }
    }),
  )
}
