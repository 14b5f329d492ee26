/** Parameters declared once, beside what they steer: default, bounds and words; flags, help and checks follow. */
import { lookup, OverhearError } from './errors.js'

/** The numbers that are allowed. */
interface Range {
  readonly min?: number
  readonly max?: number
  /** Greater than this, not equal. */
  readonly above?: number
  /** Less than this, not equal. */
  readonly below?: number
  readonly whole?: boolean
}

export interface NumberParam<D extends number | null = number | null> extends Range {
  readonly kind: 'number'
  readonly default: D
  readonly doc: string
  /** What one is: "records", "seconds". */
  readonly unit?: string
  /** That null is allowed, and what it means: "all of them". It is the one way to say so. */
  readonly orNull?: string
}

export interface NumbersParam extends Range {
  readonly kind: 'numbers'
  readonly default: readonly number[]
  readonly doc: string
}

export interface ChoiceParam<C extends string = string> {
  readonly kind: 'choice'
  readonly default: C
  readonly choices: readonly C[]
  readonly doc: string
}

export interface TextParam<D extends string | null = string | null> {
  readonly kind: 'text'
  readonly default: D
  readonly doc: string
  readonly pattern?: RegExp
  /** That null is allowed, and what it means. */
  readonly orNull?: string
}

export interface FlagParam {
  readonly kind: 'flag'
  readonly default: boolean
  readonly doc: string
}

export type Param = NumberParam | NumbersParam | ChoiceParam | TextParam | FlagParam
export type Params = Readonly<Record<string, Param>>

/** What a declaration gives once it is read. */
export type ValueOf<P extends Param> =
  P extends ChoiceParam<infer C>
    ? C
    : P extends NumberParam
      ? P extends { readonly orNull: string }
        ? number | null
        : number
      : P extends NumbersParam
        ? readonly number[]
        : P extends FlagParam
          ? boolean
          : P extends { readonly orNull: string }
            ? string | null
            : string

export type ValuesOf<P extends Params> = { readonly [K in keyof P]: ValueOf<P[K]> }

type NumberOptions = Omit<NumberParam<number>, 'kind' | 'orNull'>
type NullableOptions = Omit<NumberParam, 'kind'> & { readonly orNull: string }
type Nullable = NumberParam & { readonly orNull: string }

export function number(options: NullableOptions): Nullable
export function number(options: NumberOptions): NumberParam<number>
export function number(options: NumberOptions | NullableOptions): NumberParam {
  return { kind: 'number', ...options }
}
export function whole(options: Omit<NullableOptions, 'whole'>): Nullable
export function whole(options: Omit<NumberOptions, 'whole'>): NumberParam<number>
export function whole(options: Omit<NumberOptions | NullableOptions, 'whole'>): NumberParam {
  return { kind: 'number', whole: true, ...options }
}
export const numbers = (options: Omit<NumbersParam, 'kind'>): NumbersParam => ({ kind: 'numbers', ...options })
export function text(
  options: Omit<TextParam, 'kind'> & { readonly orNull: string },
): TextParam & { readonly orNull: string }
export function text(options: Omit<TextParam<string>, 'kind' | 'orNull'>): TextParam<string>
export function text(options: Omit<TextParam, 'kind'>): TextParam {
  return { kind: 'text', ...options }
}
export const flag = (options: Omit<FlagParam, 'kind'>): FlagParam => ({ kind: 'flag', ...options })
export const choice = <const C extends string>(options: Omit<ChoiceParam<C>, 'kind'>): ChoiceParam<C> => ({
  kind: 'choice',
  ...options,
})

/** Fills in defaults and checks what was given; text is read as a number or a list where one is declared. */
export function readParams<P extends Params>(
  params: P,
  given: Readonly<Record<string, unknown>>,
  owner: string,
): ValuesOf<P> {
  for (const name of Object.keys(given)) lookup(params, name, `parameter of ${owner}`)
  const values = Object.entries(params).map(([name, param]) => {
    const value = given[name]
    return [name, value === undefined ? param.default : readParam(param, value, `${owner}: ${name}`)]
  })
  return Object.fromEntries(values) as ValuesOf<P>
}

/** One value against its declaration. */
export function readParam(param: Param, value: unknown, where: string): unknown {
  switch (param.kind) {
    case 'number':
      if (param.orNull !== undefined && (value === null || value === 'null')) return null
      return readNumber(param, value, where)
    case 'numbers': {
      const list = typeof value === 'string' ? value.split(',') : typeof value === 'number' ? [value] : value
      if (!Array.isArray(list)) throw wrong(where, value, 'a list of numbers is needed')
      return list.map((x, i) => readNumber(param, x, `${where}[${i}]`))
    }
    case 'choice':
      if (typeof value === 'string' && param.choices.includes(value)) return value
      throw wrong(where, value, `one of ${param.choices.join(', ')} is needed`)
    case 'text':
      if (param.orNull !== undefined && value === null) return null
      if (typeof value === 'string' && (param.pattern?.test(value) ?? true)) return value
      throw wrong(where, value, param.pattern === undefined ? 'text is needed' : `${param.pattern} must match`)
    case 'flag':
      if (value === true || value === 'true') return true
      if (value === false || value === 'false') return false
      throw wrong(where, value, 'true or false is needed')
  }
}

function readNumber(param: NumberParam | NumbersParam, value: unknown, where: string): number {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = param
  const { above = Number.NEGATIVE_INFINITY, below = Number.POSITIVE_INFINITY } = param
  const x = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  const fits = typeof x === 'number' && Number.isFinite(x) && x >= min && x <= max && x > above && x < below
  if (fits && (param.whole !== true || Number.isInteger(x))) return x
  throw wrong(where, value, `${rangeText(param)} is needed`)
}

/** What it is, with what null means. */
export function wordsOf(declared: { readonly doc: string; readonly orNull?: string }): string {
  return declared.orNull === undefined ? declared.doc : `${declared.doc}; null: ${declared.orNull}`
}

/** "a whole number from 1, or null (all of them)" */
function rangeText(param: Range & { readonly orNull?: string }): string {
  const { min, max, above, below, orNull } = param
  return [
    param.whole ? 'a whole number' : 'a number',
    ...(min !== undefined ? [` from ${min}`] : []),
    ...(above !== undefined ? [` above ${above}`] : []),
    ...(max !== undefined ? [` up to ${max}`] : []),
    ...(below !== undefined ? [` below ${below}`] : []),
    ...(orNull !== undefined ? [` or null (${orNull})`] : []),
  ].join('')
}

function wrong(where: string, value: unknown, needed: string): OverhearError {
  return new OverhearError('E_VALUE', `${where} is ${JSON.stringify(value) ?? String(value)}`, needed)
}
