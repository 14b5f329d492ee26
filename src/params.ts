/** Parameters declared once, beside what they steer: default, bounds and words; flags, help and checks follow. */
import { lookup, OverhearError } from './errors.js'

export interface NumberParam {
  readonly kind: 'number'
  readonly default: number
  readonly doc: string
  readonly min?: number
  readonly max?: number
  readonly whole?: boolean
}

export interface NumbersParam {
  readonly kind: 'numbers'
  readonly default: readonly number[]
  readonly doc: string
  readonly min?: number
  readonly max?: number
  readonly whole?: boolean
}

export interface ChoiceParam<C extends string = string> {
  readonly kind: 'choice'
  readonly default: C
  readonly choices: readonly C[]
  readonly doc: string
}

export interface TextParam {
  readonly kind: 'text'
  readonly default: string
  readonly doc: string
}

export interface FlagParam {
  readonly kind: 'flag'
  readonly default: boolean
  readonly doc: string
}

export type Param = NumberParam | NumbersParam | ChoiceParam | TextParam | FlagParam
export type Params = Readonly<Record<string, Param>>

/** What a declaration gives once it is read. */
export type ValuesOf<P extends Params> = {
  readonly [K in keyof P]: P[K] extends ChoiceParam<infer C>
    ? C
    : P[K] extends NumberParam
      ? number
      : P[K] extends NumbersParam
        ? readonly number[]
        : P[K] extends FlagParam
          ? boolean
          : string
}

export const number = (options: Omit<NumberParam, 'kind'>): NumberParam => ({ kind: 'number', ...options })
export const whole = (options: Omit<NumberParam, 'kind' | 'whole'>): NumberParam => number({ ...options, whole: true })
export const numbers = (options: Omit<NumbersParam, 'kind'>): NumbersParam => ({ kind: 'numbers', ...options })
export const text = (options: Omit<TextParam, 'kind'>): TextParam => ({ kind: 'text', ...options })
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
    return [name, value === undefined ? param.default : read(param, value, `${owner}: ${name}`)]
  })
  return Object.fromEntries(values) as ValuesOf<P>
}

function read(param: Param, value: unknown, where: string): unknown {
  switch (param.kind) {
    case 'number':
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
      if (typeof value === 'string') return value
      throw wrong(where, value, 'text is needed')
    case 'flag':
      if (value === true || value === 'true') return true
      if (value === false || value === 'false') return false
      throw wrong(where, value, 'true or false is needed')
  }
}

function readNumber(param: NumberParam | NumbersParam, value: unknown, where: string): number {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = param
  const x = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  const fits = typeof x === 'number' && Number.isFinite(x) && x >= min && x <= max
  if (fits && (param.whole !== true || Number.isInteger(x))) return x
  const kind = param.whole ? 'a whole number' : 'a number'
  const from = Number.isFinite(min) ? ` from ${min}` : ''
  const to = Number.isFinite(max) ? ` up to ${max}` : ''
  throw wrong(where, value, `${kind}${from}${to} is needed`)
}

function wrong(where: string, value: unknown, needed: string): OverhearError {
  return new OverhearError('E_VALUE', `${where} is ${JSON.stringify(value) ?? String(value)}`, needed)
}
