/** Which Adam to emulate: trials on one line or on lines that can be started again, judged by what the caller can see. */
import { OverhearError } from '../../../errors.js'
import { norm } from '../../../numeric/linalg/vector.js'
import { logRange, range, type Setting } from '../../../numeric/optimise/search-space.js'
import { study } from '../../../numeric/optimise/tuning-study.js'
import type { Rng } from '../../../numeric/random/rng.js'
import type { Channel } from '../../../threat/granted-keys.js'
import { Inapplicable } from '../../attack.js'
import { answer, type Emulated, emulateAdam, type Line, passTo, pseudoGradient } from './emulated-server.js'

export interface AdamRanges {
  /** Least and largest learning rate, searched evenly in its logarithm. */
  readonly rates: readonly number[]
  /** Least and largest of both betas. */
  readonly betas: readonly number[]
}

/** How good a trial's end is, the smaller the better. An oracle may look at the client's loss here. */
export type Objective = (reached: Emulated, channel: Channel) => number | Promise<number>

export interface TuneOptions extends AdamRanges {
  readonly line: Line
  readonly trials: number
  readonly rng: Rng
  readonly objective: Objective
}

export interface Tuned {
  readonly setting: { readonly learningRate: number; readonly beta1: number; readonly beta2: number }
  readonly value: number
  readonly failed: number
}

const spaceOf = ({ rates, betas }: AdamRanges) => {
  const [low, high] = pair(rates, 'rates')
  const [least, most] = pair(betas, 'betas')
  return { learningRate: logRange(low, high), beta1: range(least, most), beta2: range(least, most) }
}

/** By a tree-structured Parzen estimator; a trial whose client diverges has failed. undefined: all of them have. */
export async function tuneAdam({ line, trials, rng, objective, ...ranges }: TuneOptions): Promise<Tuned | undefined> {
  const { restart } = line.channel
  if (restart === undefined) {
    throw new OverhearError('E_INPUT', 'this channel cannot be started again', 'tuning needs one line a trial')
  }
  const tuning = study({ space: spaceOf(ranges), rng })
  for (let t = 0; t < trials; t++) {
    const trial = tuning.ask()
    const channel = restart()
    try {
      const { tick: _, ...quiet } = line
      const reached = await emulateAdam({ ...quiet, channel }, settingOf(trial.params))
      tuning.tell(trial, await objective(reached, channel))
    } catch (error) {
      // Only a diverged client is a failed trial; an interruption must not be taken for one.
      if (!(error instanceof OverhearError) || error.code !== 'E_NON_FINITE') throw error
      tuning.tell(trial, 'failed', error.message)
    }
    line.tick?.(t + 1, trials)
  }
  const best = tuning.best()
  if (best === undefined) return undefined
  const failed = tuning.finished().filter(({ state }) => state === 'failed').length
  return { setting: settingOf(best.params), value: best.value!, failed }
}

export interface BudgetOptions extends AdamRanges {
  /** The line on which everything is sent, trials too, in its rounds and in no others. */
  readonly line: Line
  readonly trials: number
  readonly rng: Rng
}

export interface TunedLine {
  readonly tuned: Tuned | undefined
  /** What is left of the line for the attack itself. */
  readonly rest: Line
  /** Messages that the trials took. */
  readonly spent: number
}

/**
 * As a server can: each trial begins with the same model again, on the one line that there is, and ends with a message that
 * asks how much the client still wants to move. Trials and the attack itself are of one length, and all fit the line.
 */
export async function tuneOnLine({ line, trials, rng, ...ranges }: BudgetOptions): Promise<TunedLine> {
  const { rounds, client } = line
  const length = Math.floor((rounds.length - trials) / (trials + 1))
  if (length < 1) {
    const why = `${rounds.length} messages are too few for ${trials} trials of one message and a question each, and one more`
    throw new Inapplicable([`${2 * trials + 1} messages`], `${why}; tuning=adaptive needs no trials`)
  }
  const tuning = study({ space: spaceOf(ranges), rng })
  const objective = observableObjective(client)
  for (let t = 0; t < trials; t++) {
    const trial = tuning.ask()
    const first = t * (length + 1)
    const part = { ...line, rounds: rounds.slice(first, first + length), after: rounds[first - 1] ?? -1 }
    try {
      const reached = await emulateAdam(part, settingOf(trial.params))
      passTo(line, rounds[first + length - 1]!, rounds[first + length]!)
      tuning.tell(trial, await objective(reached, line.channel))
    } catch (error) {
      // The client diverged: the messages that are left of the trial are not sent, and not used otherwise.
      if (!(error instanceof OverhearError) || error.code !== 'E_NON_FINITE') throw error
      tuning.tell(trial, 'failed', error.message)
    }
  }
  const spent = trials * (length + 1)
  const rest = { ...line, rounds: rounds.slice(spent, spent + length), after: rounds[spent - 1]! }
  const best = tuning.best()
  const failed = tuning.finished().filter(({ state }) => state === 'failed').length
  const tuned = best === undefined ? undefined : { setting: settingOf(best.params), value: best.value!, failed }
  return { tuned, rest, spent }
}

const settingOf = ({ learningRate, beta1, beta2 }: Setting<ReturnType<typeof spaceOf>>): Tuned['setting'] => ({
  learningRate,
  beta1,
  beta2,
})

/**
 * The honest objective: how much the client still wants to move where the trial ended, which costs one more message.
 * departs: [aia] App. B.4 takes the client's training loss, which no server sees.
 */
export const observableObjective =
  (client: string): Objective =>
  async ({ theta }, channel) =>
    norm(pseudoGradient(theta, await answer(channel, client, theta)))

function pair(values: readonly number[], name: string): [number, number] {
  const [low, high, ...more] = values
  if (low !== undefined && high !== undefined && more.length === 0) return [low, high]
  throw new OverhearError('E_VALUE', `${name} holds ${values.length} numbers`, 'the least and the largest are needed')
}
