/** The crew of a sweep on this machine: worker processes. */
import { availableParallelism } from 'node:os'
import type { ScenarioInput } from '../../scenario/scenario-schema.js'
import type { Crew } from '../../sweep/run-trials.js'
import type { Trial } from '../../sweep/trial.js'
import { type ProcessOptions, type TrialLimits, type TrialProcesses, trialProcesses } from './trial-processes.js'

export interface LocalCrewOptions extends Pick<ProcessOptions, 'script'> {
  /** How many at a time; unless told, as many as there are cores. */
  readonly workers?: number
  /** Those that were begun before, so many as workers says. */
  readonly processes?: TrialProcesses
  readonly limits: TrialLimits
  readonly dataDir?: string
  scenarioOf(trial: Trial): ScenarioInput
}

export function localCrew(options: LocalCrewOptions): Crew {
  const { workers: most = availableParallelism(), limits, dataDir, scenarioOf, script } = options
  const { processes = trialProcesses({ most, ...(script !== undefined && { script }) }) } = options
  return {
    // One for each process, and one that is at hand when it is done.
    size: 2 * most,
    run: (trial) =>
      processes.run({ scenario: scenarioOf(trial), ...(dataDir !== undefined && { dataDir }) }, limits, labelOf(trial)),
    doing: () => processes.doing(),
    close: () => processes.close(),
  }
}

/** A trial in a few words: where it stands on the axes. */
export function labelOf({ point, seed }: Pick<Trial, 'point' | 'seed'>): string {
  const places = Object.entries(point.shown).map(([axis, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return `${axis.slice(axis.lastIndexOf('.') + 1)}=${text.length > 24 ? `${text.slice(0, 23)}…` : text}`
  })
  return [...places, `seed ${seed}`].join(' ')
}
