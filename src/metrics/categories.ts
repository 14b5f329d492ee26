/** Grades one category a record: accuracy with its exact interval, beside every guess that needs no messages. */
import { OverhearError } from '../errors.js'
import { binomialInterval } from '../numeric/special/binomial-interval.js'
import { totalOf } from '../numeric/special/summaries.js'
import { calibrationError } from './confidence/calibration.js'
import { argmax, finiteNumbers, places, tally } from './number-lists.js'
import { type Guess, type Score, scoreOf } from './score.js'
import { bestThreshold, type NamedColumn } from './threshold.js'

/** A guesser: one level for all records, or one each. */
export interface LevelGuess {
  /** Its name among the secondary figures. */
  readonly key: string
  readonly words: string
  readonly levels: number | ArrayLike<number>
}

export interface CategoryTask {
  /** How errors name the claimed values. */
  readonly name: string
  readonly claimed: ArrayLike<number>
  readonly truth: Int32Array
  readonly levels: number
  /** Of each claimed value, that it is right. */
  readonly confidence?: ArrayLike<number> | undefined
  readonly guesses: readonly LevelGuess[]
  /** What the threshold in hindsight may look at, and what levels are called. */
  readonly columns?: readonly NamedColumn[]
  readonly words?: readonly string[] | undefined
}

export function scoreCategories(task: CategoryTask): Score {
  const { name, truth, levels, guesses, columns = [] } = task
  const n = truth.length
  finiteNumbers(task.claimed, name, n)
  const claimed = places(task.claimed, name, levels)
  const right = Uint8Array.from(claimed, (level, i) => (level === truth[i] ? 1 : 0))
  const successes = totalOf(right)
  const { low, high } = binomialInterval({ successes, trials: n, confidence: 0.95 })
  const also: Record<string, number> = { balancedAccuracy: balancedAccuracy(claimed, truth, levels) }
  const notes: string[] = []

  // Constants first: of guesses that do equally well, the simplest names the chance level.
  const each = (one: LevelGuess): boolean => typeof one.levels !== 'number'
  const ordered = [...guesses.filter((one) => !each(one)), ...guesses.filter(each)]
  const graded: Guess[] = ordered.map(({ key, words, levels: guess }) => {
    const value = agreement(guess, truth)
    also[key] = value
    return { words, value }
  })
  if (graded.length === 0) {
    graded.push({ words: `one of the ${levels} values by lot, as nothing to guess from is known`, value: 1 / levels })
  }
  // It looks at the truth: to be read, and no chance level.
  also.bestConstantInHindsight = agreement(argmax(tally(truth, levels)), truth)

  if (task.confidence !== undefined) {
    const confidence = probabilities(task.confidence, n)
    also.calibrationError = calibrationError(confidence, right)
  }
  const trivial = bestThreshold(columns, truth, { levels })
  if (trivial !== undefined) {
    also.thresholdAccuracy = trivial.accuracy
    also.threshold = trivial.threshold
    const { column, threshold, above, below } = trivial
    const word = (level: number): string => task.words?.[level] ?? String(level)
    const rule = `"${column} > ${Number(threshold.toPrecision(6))}: ${word(above)}, else ${word(below)}"`
    notes.push(`${rule}, chosen in hindsight, has an accuracy of ${trivial.accuracy.toFixed(3)}`)
  }
  return scoreOf({
    metric: 'accuracy',
    value: successes / n,
    better: 'higher',
    guesses: graded,
    also,
    notes,
    interval: [low, high],
    intervalKind: 'exact',
    perRecord: right,
  })
}

function agreement(guess: number | ArrayLike<number>, truth: Int32Array): number {
  let hits = 0
  for (let i = 0; i < truth.length; i++) if ((typeof guess === 'number' ? guess : guess[i]!) === truth[i]) hits++
  return hits / truth.length
}

/** Mean over the levels that occur of the share of theirs that is right. */
function balancedAccuracy(claimed: Int32Array, truth: Int32Array, levels: number): number {
  const counts = tally(truth, levels)
  const hits = new Float64Array(levels)
  for (let i = 0; i < truth.length; i++) if (claimed[i] === truth[i]) hits[truth[i]!]! += 1
  let [sum, present] = [0, 0]
  for (let level = 0; level < levels; level++) {
    if (counts[level] === 0) continue
    sum += hits[level]! / counts[level]!
    present++
  }
  return sum / present
}

/** Numbers from 0 to 1, so many. */
export function probabilities(values: ArrayLike<number>, length: number): Float64Array {
  const confidence = finiteNumbers(values, 'confidence', length)
  const bad = confidence.findIndex((p) => p < 0 || p > 1)
  if (bad >= 0) {
    throw new OverhearError('E_VALUE', `confidence[${bad}] is ${confidence[bad]}`, 'probabilities lie in 0..1')
  }
  return confidence
}
