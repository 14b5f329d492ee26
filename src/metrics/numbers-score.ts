/** Grades one number per record: R2 or mean absolute error, with a bootstrap interval over the records. */
import { meanOf, medianOf, squaresAbout } from '../numeric/special/summaries.js'
import { bootstrapInterval } from './bootstrap.js'
import { finiteNumbers, meanAbsoluteError } from './number-lists.js'
import { type Guess, type Score, scoreOf } from './score.js'

/** A guesser: one number for all records, or one each. */
export interface NumberGuess {
  /** Its name among the secondary figures. */
  readonly key: string
  readonly words: string
  readonly numbers: number | Float64Array
}

export interface QuantityTask {
  /** How errors name the claimed values. */
  readonly name: string
  readonly claimed: ArrayLike<number>
  readonly truth: Float64Array
  /** R2 has no meaning for a constant truth: MAE is then taken. */
  readonly primary: 'R2' | 'MAE'
  /** Standard errors that the claim states. */
  readonly standardErrors?: ArrayLike<number> | undefined
  readonly guesses: readonly NumberGuess[]
}

export function scoreQuantities(task: QuantityTask): Score {
  const { name, truth, guesses } = task
  const claimed = finiteNumbers(task.claimed, name, truth.length)
  const R2 = determination(claimed, truth)
  const metric = task.primary === 'R2' && R2 !== undefined ? 'R2' : 'MAE'
  const figure = (guess: number | Float64Array): number =>
    metric === 'R2' ? (determination(guess, truth) ?? Number.NaN) : meanAbsoluteError(guess, truth)
  const also: Record<string, number> = {}
  if (metric === 'R2') also.MAE = meanAbsoluteError(claimed, truth)
  else if (R2 !== undefined) also.R2 = R2
  const constants = guesses.filter(({ numbers }) => typeof numbers === 'number')
  const others = guesses.filter(({ numbers }) => typeof numbers !== 'number')
  const graded: Guess[] = [...constants, ...others].map(({ key, words, numbers }) => {
    const value = figure(numbers)
    also[key] = value
    return { words, value }
  })
  // It looks at the truth: to be read, and no chance level.
  also.bestConstantInHindsight = figure(metric === 'R2' ? meanOf(truth) : medianOf(truth))
  if (task.standardErrors !== undefined) {
    const errors = finiteNumbers(task.standardErrors, 'confidence', truth.length)
    const inside = errors.filter((se, i) => Math.abs(claimed[i]! - truth[i]!) <= 1.96 * se)
    also.coverage95 = inside.length / truth.length
  }
  const value = figure(claimed)
  return scoreOf({
    metric,
    value,
    better: metric === 'R2' ? 'higher' : 'lower',
    guesses: graded,
    also,
    interval: interval({ claimed, truth, metric, value }),
    intervalKind: 'bootstrap',
    perRecord: claimed.map((x, i) => Math.abs(x - truth[i]!)),
  })
}

/** R2 = 1 - sum (guess - y)^2 / sum (y - mean y)^2; undefined for a constant truth. */
function determination(guess: number | Float64Array, truth: Float64Array): number | undefined {
  if (truth.every((y) => y === truth[0])) return undefined
  let missed = 0
  for (let i = 0; i < truth.length; i++) {
    const miss = (typeof guess === 'number' ? guess : guess[i]!) - truth[i]!
    missed += miss * miss
  }
  return 1 - missed / squaresAbout(truth, meanOf(truth))
}

interface Resampled {
  readonly claimed: Float64Array
  readonly truth: Float64Array
  readonly metric: 'R2' | 'MAE'
  readonly value: number
}

function interval({ claimed, truth, metric, value }: Resampled) {
  // By truth, then claim: the interval must not depend on the order of the records.
  const order = Array.from(truth, (_, i) => i).sort((a, b) => truth[a]! - truth[b]! || claimed[a]! - claimed[b]!)
  const [y, guess] = [Float64Array.from(order, (i) => truth[i]!), Float64Array.from(order, (i) => claimed[i]!)]
  const [drawnY, drawn] = [new Float64Array(y.length), new Float64Array(y.length)]
  const statistic = (rows: Int32Array): number | undefined => {
    for (let i = 0; i < rows.length; i++) {
      drawnY[i] = y[rows[i]!]!
      drawn[i] = guess[rows[i]!]!
    }
    return metric === 'R2' ? determination(drawn, drawnY) : meanAbsoluteError(drawn, drawnY)
  }
  return bootstrapInterval({ size: y.length, value, statistic, address: metric })
}
