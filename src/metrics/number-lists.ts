/** Checks, errors and counts of plain lists of numbers. */
import { OverhearError } from '../errors.js'

/** A copy in which every number is finite; of the length that is needed, if one is. */
export function finiteNumbers(values: ArrayLike<number>, name: string, length = values.length): Float64Array {
  if (values.length !== length) {
    throw new OverhearError('E_SHAPE', `${name} holds ${values.length} values`, `${length} are needed`)
  }
  const copy = Float64Array.from(values)
  const bad = copy.findIndex((x) => !Number.isFinite(x))
  if (bad >= 0) throw new OverhearError('E_NON_FINITE', `${name}[${bad}] is ${copy[bad]}`, 'finite numbers are needed')
  return copy
}

/** The same for places in a list of `count`. */
export function places(values: ArrayLike<number>, name: string, count: number): Int32Array {
  const bad = Array.prototype.findIndex.call(values, (x) => !Number.isInteger(x) || x < 0 || x >= count)
  if (bad >= 0) {
    const code = Number.isFinite(values[bad]) ? 'E_VALUE' : 'E_NON_FINITE'
    throw new OverhearError(
      code,
      `${name}[${bad}] is ${values[bad]}`,
      `whole numbers from 0 to ${count - 1} are needed`,
    )
  }
  return Int32Array.from(values)
}

/** The guess may be one number for all. */
export function meanAbsoluteError(guess: ArrayLike<number> | number, truth: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < truth.length; i++) sum += Math.abs((typeof guess === 'number' ? guess : guess[i]!) - truth[i]!)
  return sum / truth.length
}

/** How often each place occurs. */
export function tally(values: ArrayLike<number>, count: number): Float64Array {
  const counts = new Float64Array(count)
  for (let i = 0; i < values.length; i++) counts[values[i]!]! += 1
  return counts
}

/** The first place of the largest. */
export function argmax(values: ArrayLike<number>): number {
  let best = 0
  for (let i = 1; i < values.length; i++) if (values[i]! > values[best]!) best = i
  return best
}
