/** What a grade is: a figure, what a guesser without the messages reaches, and how far the claim lies above it. */
import { OverhearError } from '../errors.js'

export type Better = 'higher' | 'lower'
export type Interval = readonly [low: number, high: number]

/** A graded claim: the figure, what chance has, and how sure that is. */
export interface Score {
  /** "auc", "accuracy", "R2", "MAE", "relative error", "iAcc", "F1", ... */
  readonly metric: string
  readonly value: number
  /** Of an attribute of discrete values, beside its AUC, and of a model of classes: the share that is right. */
  readonly accuracy?: number
  /** What the guesser reaches on the same truth; null when nobody could guess. */
  readonly chance: number | null
  /** Which guess the chance level is, in words; or why there is none. */
  readonly guesser: string
  /**
   * (value - chance) / (best - chance): best is 1, for errors 0, for a loss what the client's own optimum has. null when
   * chance leaves no room.
   */
  readonly lift: number | null
  /** Of the value, at 95 %. */
  readonly interval: Interval | null
  readonly intervalKind: 'exact' | 'bootstrap' | 'DeLong' | null
  readonly better: Better
  /** Secondary figures, other guessers' among them; what cannot be computed is left out. */
  readonly also: Readonly<Record<string, number>>
  /** What a reader must know to read the figures. */
  readonly notes: readonly string[]
  /** In the order of the records: 1 for right, 0 for wrong; or the error. */
  readonly perRecord?: ArrayLike<number>
  /** For records: the claimed record that each true one was paired with, -1 for none. */
  readonly pairedWith?: ArrayLike<number>
  readonly perClient?: readonly { readonly id: string; readonly right: boolean }[]
  /** Of values of which there are few: how many records are truly one and claimed to be another. */
  readonly confusion?: Confusion
}

/** Counts by true value, then by claimed value. */
export interface Confusion {
  readonly values: readonly string[]
  readonly counts: readonly (readonly number[])[]
}

/** The keys of the truth, or of what is known, that a score would have needed. */
export interface Missing {
  readonly missing: readonly string[]
}

/** A guess that needs no messages, graded by the metric of the claim. */
export interface Guess {
  readonly words: string
  readonly value: number
}

export interface ScoreParts
  extends Pick<Score, 'metric' | 'value' | 'better'>,
    Partial<Omit<Score, 'metric' | 'value' | 'better' | 'lift' | 'chance' | 'guesser'>> {
  /** The best of these is the chance level; of equals, the first. */
  readonly guesses: readonly Guess[]
  /** Why there is no guess. */
  readonly noGuess?: string
  /** What whoever knows everything has; 1, or no error, unless told. */
  readonly best?: number
}

/** Completes a score. A value that is not finite is an error: numbers overflowed that were finite in the claim. */
export function scoreOf(parts: ScoreParts): Score {
  const { guesses, noGuess = 'nothing to guess from is known', metric, value, better, also = {}, notes = [] } = parts
  const { interval = null, intervalKind = null, accuracy, perRecord, perClient, pairedWith, confusion, best } = parts
  if (!Number.isFinite(value)) {
    throw new OverhearError('E_NON_FINITE', `the ${metric} of the claim is ${value}`, 'its numbers are too large')
  }
  const guess = bestGuess(guesses, better)
  const chance = guess?.value ?? null
  return {
    metric,
    value,
    ...(accuracy !== undefined && { accuracy }),
    chance,
    guesser: guess?.words ?? `none: ${noGuess}`,
    lift: chance === null ? null : liftOf({ value, chance, better, ...(best !== undefined && { best }) }),
    interval,
    intervalKind: interval === null ? null : intervalKind,
    better,
    notes,
    also: Object.fromEntries(Object.entries(also).filter(([, figure]) => Number.isFinite(figure))),
    ...(perRecord !== undefined && { perRecord }),
    ...(perClient !== undefined && { perClient }),
    ...(confusion !== undefined && { confusion }),
    ...(pairedWith !== undefined && { pairedWith }),
  }
}

export function bestGuess(guesses: readonly Guess[], better: Better): Guess | undefined {
  let best: Guess | undefined
  for (const guess of guesses) {
    if (!Number.isFinite(guess.value)) continue
    if (best === undefined || (better === 'higher' ? guess.value > best.value : guess.value < best.value)) best = guess
  }
  return best
}

export interface Way {
  readonly value: number
  readonly chance: number
  readonly better: Better
  readonly best?: number
}

/** How much of the way from chance to the best (1, or no error, unless told) the claim went; negative below chance. */
export function liftOf({ value, chance, better, best = better === 'higher' ? 1 : 0 }: Way): number | null {
  const room = better === 'higher' ? best - chance : chance - best
  if (!(room > 0)) return null
  const lift = (better === 'higher' ? value - chance : chance - value) / room
  return Number.isFinite(lift) ? lift : null
}
