/** Trials on a crew: the longest expected first, again where a worker was lost, and given up with the reason. */
import type { StopSignal } from '../scenario/running.js'
import type { Trial } from './trial.js'
import type { Ending } from './trial-line.js'
import type { TrialResult } from './trial-result.js'

/** What became of one attempt. */
export type Outcome<R = TrialResult> =
  | { readonly kind: 'done'; readonly result: R; readonly seconds: number; readonly worker: string }
  /** The trial itself is wrong: it would be wrong again. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The worker crashed, hung, or took too much memory: another attempt may go well. */
  | { readonly kind: 'lost'; readonly reason: string }
  | { readonly kind: 'stopped' }

/** Who runs trials: worker processes of this machine, or a queue that others serve. */
export interface Crew {
  /** How many trials it may have at a time. */
  readonly size: number
  run(trial: Trial): Promise<Outcome>
  /** Told when what a trial ended in is kept. */
  kept?(trial: Trial): Promise<void>
  /** What each worker does, in a few words. */
  doing?(): string
  /** Ends all work; what runs is stopped. */
  close(): Promise<void>
}

export interface ScheduleOptions {
  readonly crew: Crew
  readonly attempts: number
  readonly signal?: StopSignal
  begun?(trial: Trial): void
  /** Keeps what a trial ended in. */
  finish(trial: Trial, ending: Ending): Promise<void>
}

/** Runs all of them; ends early where it is asked to stop. What `finish` throws ends the rest. */
export async function runTrials(trials: readonly Trial[], options: ScheduleOptions): Promise<void> {
  const { crew, signal } = options
  // Of the same effort, in the order of the sweep; the next one is taken from the end.
  const waiting = [...trials].sort((a, b) => a.effort - b.effort || b.number - a.number)
  const keeping = new Set<Promise<void>>()
  let failure: unknown
  const keep = (trial: Trial, ending: Ending): void => {
    // The worker goes on meanwhile.
    const kept = options.finish(trial, ending).then(
      () => crew.kept?.(trial),
      (error) => {
        failure ??= error
      },
    )
    const own = kept.then(() => void keeping.delete(own))
    keeping.add(own)
  }
  const lane = async (): Promise<void> => {
    for (let trial = waiting.pop(); trial !== undefined; trial = waiting.pop()) {
      if (signal?.aborted || failure !== undefined) return
      options.begun?.(trial)
      const ending = await attempted(trial, options)
      if (ending === undefined) return
      keep(trial, ending)
    }
  }
  const lanes = Array.from({ length: Math.min(crew.size, trials.length) }, lane)
  const ended = await Promise.allSettled(lanes)
  await Promise.all(keeping)
  if (failure !== undefined) throw failure
  for (const one of ended) if (one.status === 'rejected') throw one.reason
}

/** One trial to its end; undefined where it was stopped. */
async function attempted(trial: Trial, { crew, attempts, signal }: ScheduleOptions): Promise<Ending | undefined> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await crew.run(trial)
    const took = { seconds: null, attempts: attempt, worker: null }
    if (outcome.kind === 'stopped') return undefined
    if (outcome.kind === 'done') {
      const { result, seconds, worker } = outcome
      return { result, reason: null, took: { seconds, attempts: attempt, worker } }
    }
    if (outcome.kind === 'refused') return { result: null, reason: outcome.reason, took }
    if (attempt < attempts) continue
    if (signal?.aborted) return undefined
    const often = attempt === 1 ? '' : `, ${attempt} times`
    return { result: null, reason: `${outcome.reason}${often}`, took }
  }
}
