/** What a study may vary: ranges of numbers, plain or in logarithms, whole numbers, and choices. */
import { OverhearError } from '../../errors.js'
import { exp, log } from '../special/elementary-functions.js'

export interface NumberRange {
  readonly kind: 'real' | 'integer'
  readonly low: number
  readonly high: number
  /** Equal ratios are equally likely, instead of equal differences. */
  readonly log: boolean
}

export type Option = string | number | boolean | null

export interface Choice<T extends Option = Option> {
  readonly kind: 'choice'
  readonly options: readonly T[]
}

export type Dimension = NumberRange | Choice
export type Space = Readonly<Record<string, Dimension>>
/** One setting of every dimension. */
export type Setting<S extends Space = Space> = {
  readonly [K in keyof S]: S[K] extends Choice<infer T> ? T : S[K] extends NumberRange ? number : Option
}

export function range(low: number, high: number): NumberRange {
  return numberRange({ kind: 'real', low, high, log: false })
}

export function logRange(low: number, high: number): NumberRange {
  return numberRange({ kind: 'real', low, high, log: true })
}

/** Both ends included. */
export function integerRange(low: number, high: number, options: { readonly log?: boolean } = {}): NumberRange {
  return numberRange({ kind: 'integer', low, high, log: options.log ?? false })
}

export function choice<const T extends Option>(options: readonly T[]): Choice<T> {
  const finite = options.every((option) => typeof option !== 'number' || Number.isFinite(option))
  if (options.length === 0 || new Set(options).size !== options.length || !finite) {
    const found = `a choice between [${options.join(', ')}]`
    throw new OverhearError('E_INPUT', found, 'options are at least one, none twice, numbers finite')
  }
  return Object.freeze({ kind: 'choice', options: Object.freeze([...options]) })
}

function numberRange(made: NumberRange): NumberRange {
  const { kind, low, high, log: inLogs } = made
  const whole = kind === 'real' || (Number.isSafeInteger(low) && Number.isSafeInteger(high))
  if (Number.isFinite(low) && Number.isFinite(high) && low <= high && whole && (!inLogs || low > 0)) {
    return Object.freeze(made)
  }
  const allowed = [kind === 'integer' ? 'whole' : 'finite', ...(inLogs ? ['above 0'] : [])].join(' and ')
  throw new OverhearError('E_VALUE', `a range from ${low} to ${high}`, `both ends are ${allowed}, the lower one first`)
}

/**
 * Where a range lies on the line that samplers work on: in logarithms if it is so, and for whole numbers half a unit
 * wider at both ends, so that each has a cell of its own.
 */
export function interval({ kind, low, high, log: inLogs }: NumberRange): {
  readonly low: number
  readonly high: number
} {
  const half = kind === 'integer' ? 0.5 : 0
  return inLogs ? { low: log(low - half), high: log(high + half) } : { low: low - half, high: high + half }
}

/** The place of a value on that line. */
export function toLine(dimension: NumberRange, value: number): number {
  return dimension.log ? log(value) : value
}

/** The value at a place on that line: rounded if whole, and never outside the range. */
export function fromLine({ kind, low, high, log: inLogs }: NumberRange, place: number): number {
  const value = inLogs ? exp(place) : place
  return Math.min(Math.max(kind === 'integer' ? Math.round(value) : value, low), high)
}

/** The cell of a whole number on that line. */
export function cell(dimension: NumberRange, value: number): { readonly low: number; readonly high: number } {
  return interval({ ...dimension, low: value, high: value })
}

/** Whether a value may stand in a dimension. */
export function fits(dimension: Dimension, value: unknown): boolean {
  if (dimension.kind === 'choice') return dimension.options.some((option) => option === value)
  if (typeof value !== 'number' || !(value >= dimension.low && value <= dimension.high)) return false
  return dimension.kind === 'real' || Number.isInteger(value)
}
