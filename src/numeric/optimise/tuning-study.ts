/** A study: trials of settings from a space, one asked for after another, so as to find the best. */
import { OverhearError } from '../../errors.js'
import type { Rng } from '../random/rng.js'
import type { Pruner } from './median-pruner.js'
import { requireCount } from './optimiser.js'
import { type Sampler, tpeSampler } from './samplers.js'
import { fits, type Setting, type Space } from './search-space.js'
import { type Direction, type FinishedTrial, type Report, ranked, type TrialState } from './tuning-trial.js'

/** A trial that is under way. */
export interface Trial<S extends Space = Space> {
  readonly number: number
  readonly params: Setting<S>
  /** For whatever the trial itself draws. */
  readonly rng: Rng
  /** Notes an intermediate value; steps increase. */
  report(step: number, value: number): void
  /** Whether the reports so far are poor enough to stop here and tell `pruned`. */
  shouldPrune(): boolean
}

/** The value of a trial, or why it has none. A value that is not finite counts as failed. */
export type TrialOutcome = number | 'failed' | 'pruned'

export interface StudyOptions<S extends Space> {
  readonly space: S
  readonly rng: Rng
  readonly sampler?: Sampler
  readonly pruner?: Pruner
  readonly direction?: Direction
  /** Trials of an earlier run of this study: it goes on as if it had never stopped. */
  readonly finished?: readonly FinishedTrial<S>[]
}

export interface Study<S extends Space> {
  /** A new trial, numbered by the least number not taken. */
  ask(): Trial<S>
  tell(trial: Trial<S>, outcome: TrialOutcome, message?: string): FinishedTrial<S>
  /** The complete trial of best value, the earliest if several; undefined as long as there is none. */
  best(): FinishedTrial<S> | undefined
  /** By number; neither the list nor a trial in it ever changes. */
  finished(): readonly FinishedTrial<S>[]
  /** Asks, runs and tells until `trials` have finished, earlier ones included. What `run` throws becomes a failed trial. */
  optimise(
    run: (trial: Trial<S>) => TrialOutcome | Promise<TrialOutcome>,
    options: { readonly trials: number },
  ): Promise<FinishedTrial<S> | undefined>
}

interface Running<S extends Space> {
  readonly trial: Trial<S>
  readonly reports: Report[]
}

/** Trial t is sampled from `rng.fork('trial', t)` and the trials finished by then, and from nothing else. */
export function study<S extends Space>(options: StudyOptions<S>): Study<S> {
  const { space, rng, sampler = tpeSampler(), pruner, direction = 'minimise' } = options
  const running = new Map<number, Running<S>>()
  let done: readonly FinishedTrial<S>[] = Object.freeze(adopt(options.finished ?? [], space))

  function ask(): Trial<S> {
    const number = leastFree(done, running)
    const own = rng.fork('trial', number)
    const params = Object.freeze(sampler.sample({ space, finished: done, direction, rng: own })) as Setting<S>
    const reports: Report[] = []
    const trial: Trial<S> = Object.freeze({
      number,
      params,
      rng: own.fork('run'),
      report(step: number, value: number) {
        requireRunning(trial)
        requireCount('step', step, (reports.at(-1)?.step ?? -1) + 1)
        reports.push(Object.freeze({ step, value: Number.isFinite(value) ? value : null }))
      },
      shouldPrune: () => pruner?.({ reports, finished: done, direction }) ?? false,
    })
    running.set(number, { trial, reports })
    return trial
  }

  function requireRunning(trial: Trial<S>): Running<S> {
    const found = running.get(trial.number)
    if (found?.trial === trial) return found
    throw new OverhearError('E_INPUT', `trial ${trial.number} is not under way in this study`, 'a trial is told once')
  }

  function tell(trial: Trial<S>, outcome: TrialOutcome, message?: string): FinishedTrial<S> {
    const { reports } = requireRunning(trial)
    running.delete(trial.number)
    const { number, params } = trial
    const why =
      message ?? (typeof outcome === 'number' && !Number.isFinite(outcome) ? `the value was ${outcome}` : undefined)
    const record = freeze({ number, params, ...settled(outcome, reports), reports, ...(why ? { message: why } : {}) })
    done = Object.freeze([...done, record].sort((a, b) => a.number - b.number))
    return record
  }

  async function optimise(
    run: (trial: Trial<S>) => TrialOutcome | Promise<TrialOutcome>,
    { trials }: { readonly trials: number },
  ): Promise<FinishedTrial<S> | undefined> {
    requireCount('trials', trials, 0)
    while (done.length < trials) {
      const trial = ask()
      try {
        tell(trial, await run(trial))
      } catch (error) {
        tell(trial, 'failed', error instanceof Error ? error.message : String(error))
      }
    }
    return best()
  }

  const best = () => ranked(done, direction).find(({ state }) => state === 'complete')
  return { ask, tell, best, finished: () => done, optimise }
}

function settled(outcome: TrialOutcome, reports: readonly Report[]): { state: TrialState; value: number | null } {
  if (outcome === 'pruned') return { state: 'pruned', value: reports.at(-1)?.value ?? null }
  if (outcome === 'failed' || !Number.isFinite(outcome)) return { state: 'failed', value: null }
  return { state: 'complete', value: outcome }
}

function leastFree(done: readonly FinishedTrial[], running: ReadonlyMap<number, unknown>): number {
  const taken = new Set(done.map(({ number }) => number))
  let number = 0
  while (taken.has(number) || running.has(number)) number++
  return number
}

/** Copies of given trials, by number, once each of them is known to belong to the space. */
function adopt<S extends Space>(finished: readonly FinishedTrial<S>[], space: S): FinishedTrial<S>[] {
  const seen = new Set<number>()
  for (const { number, params, state, value } of finished) {
    requireCount('number of a finished trial', number, 0)
    if (seen.has(number)) throw new OverhearError('E_INPUT', `finished trial ${number} is given twice`)
    seen.add(number)
    for (const name of new Set([...Object.keys(space), ...Object.keys(params)])) {
      const dimension = space[name]
      if (dimension !== undefined && fits(dimension, params[name])) continue
      const found = `finished trial ${number} has ${name} = ${String(params[name])}`
      throw new OverhearError('E_INPUT', found, 'trials must come from a study of this very space')
    }
    if ((state === 'complete') !== Number.isFinite(value) && state !== 'pruned') {
      throw new OverhearError('E_INPUT', `finished trial ${number} is ${state} with value ${value}`)
    }
  }
  return finished.map(freeze).sort((a, b) => a.number - b.number)
}

/** A copy that cannot be changed. */
function freeze<S extends Space>(trial: FinishedTrial<S>): FinishedTrial<S> {
  const reports = Object.freeze(trial.reports.map((report) => Object.freeze({ ...report })))
  return Object.freeze({ ...trial, params: Object.freeze({ ...trial.params }), reports })
}
