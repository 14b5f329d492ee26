/** A sweep: points of its axes with every seed, each a trial that is run once and kept; those that are kept already are not run. */
import { type Running, running, type StopSignal } from '../scenario/running.js'
import type { Point, PointSource } from './points.js'
import { type Crew, runTrials } from './run-trials.js'
import { type Trial, type TrialContext, trialAt } from './trial.js'
import { lineOf, type TrialLog } from './trial-line.js'
import type { ScoreReader } from './trial-score.js'

/** A sweep that was read and checked. */
export interface SweepPlan extends TrialContext {
  readonly name: string
  readonly source: PointSource
  /** Seeds of every point. */
  readonly seeds: readonly number[]
  readonly attempts: number
  /** What a search looks at; unless told, nothing. */
  readonly score?: ScoreReader
}

export interface SweepOptions {
  readonly log: TrialLog
  /** Who runs trials; asked for when the first has to be run. */
  crew(): Promise<Crew>
  readonly signal?: StopSignal
  /** Whether trials that failed in an earlier run are tried again. */
  readonly retryFailed?: boolean
}

/** What a sweep tells on its way. */
export type SweepEvent =
  /** So many of all are to be run; the rest is finished already. */
  | { readonly kind: 'planned'; readonly total: number; readonly finished: number }
  | { readonly kind: 'begun'; readonly trial: Trial; readonly doing: string }
  | { readonly kind: 'ended'; readonly trial: Trial; readonly reason: string | null; readonly doing: string }

/** What a sweep ends in. */
export interface SweepSummary {
  readonly name: string
  /** Every trial that was planned, in the order of the sweep, none twice. */
  readonly trials: readonly Trial[]
  readonly total: number
  readonly done: number
  readonly failed: number
  /** Of those done and failed, how many were finished before this run. */
  readonly before: number
  readonly complete: boolean
}

/** Begins at once: read its events with `for await`, and the summary from `result`. */
export function sweep(plan: SweepPlan, options: SweepOptions): Running<SweepEvent, SweepSummary> {
  return running((emit) => swept(plan, options, emit))
}

async function swept(plan: SweepPlan, options: SweepOptions, emit: (event: SweepEvent) => void): Promise<SweepSummary> {
  const { source, seeds } = plan
  const { log, signal } = options
  const all = new Map<string, Trial>()
  const total = source.total * seeds.length
  let [before, crew]: [number, Crew | undefined] = [0, undefined]
  try {
    for (let points = source.next(); points !== undefined && !signal?.aborted; points = source.next()) {
      const batch = await trialsOf(points, plan, all)
      const isFinished = ({ id }: Trial): boolean => {
        const state = log.state(id)
        return state === 'done' || (state === 'failed' && options.retryFailed !== true)
      }
      const fresh = [...new Map(batch.flat().map((trial) => [trial.id, trial])).values()].filter(
        ({ id }) => !all.has(id),
      )
      for (const trial of fresh) all.set(trial.id, trial)
      const open = fresh.filter((trial) => !isFinished(trial))
      before += fresh.length - open.length
      emit({ kind: 'planned', total, finished: before })
      if (open.length > 0) {
        crew ??= await begun(options)
        await runBatch(open, { plan, options, crew, emit })
      }
      if (signal?.aborted) break
      source.tell(await scoresOf(batch, plan, log))
    }
  } finally {
    await crew?.close()
  }
  const trials = [...all.values()]
  const count = (state: string): number => trials.filter(({ id }) => log.state(id) === state).length
  const [done, failed] = [count('done'), count('failed')]
  const complete = !signal?.aborted && done + failed === trials.length
  return { name: plan.name, trials, total, done, failed, before, complete }
}

/** A crew that ends as soon as it is asked to stop, whatever it does. */
async function begun({ crew, signal }: SweepOptions): Promise<Crew> {
  const own = await crew()
  const stop = (): void => void own.close()
  if (signal?.aborted) stop()
  signal?.addEventListener('abort', stop)
  return own
}

/** The trials of every point, one for each seed; numbers go on where the batch before ended. */
async function trialsOf(
  points: readonly Point[],
  plan: SweepPlan,
  all: ReadonlyMap<string, Trial>,
): Promise<Trial[][]> {
  let number = all.size
  const batch: Trial[][] = []
  for (const point of points) {
    const own: Trial[] = []
    for (const seed of plan.seeds) own.push(await trialAt(point, { number: number++, seed }, plan))
    batch.push(own)
  }
  return batch
}

interface Batch {
  readonly plan: SweepPlan
  readonly options: SweepOptions
  readonly crew: Crew
  emit(event: SweepEvent): void
}

function runBatch(open: readonly Trial[], { plan, options, crew, emit }: Batch): Promise<void> {
  const doing = (): string => crew.doing?.() ?? ''
  const { log, signal } = options
  return runTrials(open, {
    crew,
    attempts: plan.attempts,
    ...(signal !== undefined && { signal }),
    begun: (trial) => emit({ kind: 'begun', trial, doing: doing() }),
    async finish(trial, ending) {
      await log.add(lineOf(trial, ending))
      emit({ kind: 'ended', trial, reason: ending.reason, doing: doing() })
    },
  })
}

/** The mean over the seeds of each point; null where one failed or has no such score. */
async function scoresOf(batch: readonly (readonly Trial[])[], { score }: SweepPlan, log: TrialLog) {
  const scores: (number | null)[] = []
  if (score === undefined) return scores
  for (const seeds of batch) {
    let sum: number | null = 0
    for (const { id } of seeds) {
      const { result = null } = (await log.read(id)) ?? {}
      const value = result === null ? null : score(result)
      sum = sum === null || value === null ? null : sum + value
    }
    scores.push(sum === null ? null : sum / seeds.length)
  }
  return scores
}
