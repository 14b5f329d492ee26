/** What a sweep varies: each axis a list of settings to choose from, or a range to draw from. */
import { OverhearError } from '../errors.js'
import {
  choice,
  type Dimension,
  fromLine,
  integerRange,
  interval,
  logRange,
  range,
} from '../numeric/optimise/search-space.js'
import type { AxisInput, RangeInput, SweepFile } from './sweep-schema.js'
import { reserved } from './table-columns.js'

/** One place on an axis: how it is called in tables, and what it sets in the scenario, by paths. */
export interface Place {
  readonly shown: unknown
  readonly set: Readonly<Record<string, unknown>>
}

export interface Axis {
  readonly name: string
  /** What there is to choose from; undefined of a range that is drawn from. */
  readonly places: readonly Place[] | undefined
  /** As a search sees it: the number of a place, or a number of the range. */
  readonly dimension: Dimension
  /** The place of what a search chose. */
  at(chosen: unknown): Place
}

/** The axes in the order of the file. */
export function axesOf({ axes, search }: SweepFile, where: string): Axis[] {
  return Object.entries(axes).map(([name, input]) => {
    if (reserved.includes(name)) {
      const hint = name === 'seed' ? 'seeds: says how many' : 'take another name'
      throw new OverhearError('E_INPUT', `${where}: an axis is called "${name}", as a column of the results is`, hint)
    }
    return axisOf(name, input, { where: `${where}: axes.${name}`, searched: search !== undefined })
  })
}

interface About {
  readonly where: string
  readonly searched: boolean
}

function axisOf(name: string, input: AxisInput, { where, searched }: About): Axis {
  if (Array.isArray(input))
    return listed(
      name,
      input.map((value) => ({ shown: value, set: { [name]: value } })),
      where,
    )
  if ('variants' in input) {
    const places = Object.entries(input.variants).map(([shown, set]) => ({ shown, set }))
    if (places.length > 0) return listed(name, places, where)
    throw new OverhearError('E_INPUT', `${where} has no variants`, 'give at least one, with the keys that it sets')
  }
  if (input.steps !== undefined) {
    const values = [...new Set(gridOf(input, input.steps))]
    return listed(
      name,
      values.map((value) => ({ shown: value, set: { [name]: value } })),
      where,
    )
  }
  if (!searched) {
    throw new OverhearError(
      'E_INPUT',
      `${where} is a range without steps`,
      'give steps: N, or a search: that draws from it',
    )
  }
  return {
    name,
    places: undefined,
    dimension: dimensionOf(input),
    at: (value) => ({ shown: value, set: { [name]: value } }),
  }
}

function listed(name: string, places: readonly Place[], where: string): Axis {
  const seen = new Set(places.map(({ shown }) => JSON.stringify(shown)))
  if (seen.size < places.length) throw new OverhearError('E_INPUT', `${where} has a value twice`, 'each one once')
  return { name, places, dimension: choice(places.map((_, i) => i)), at: (chosen) => places[Number(chosen)]! }
}

function dimensionOf({ from, to, scale, whole }: RangeInput) {
  if (whole) return integerRange(from, to, { log: scale === 'log' })
  return scale === 'log' ? logRange(from, to) : range(from, to)
}

/** Both ends, and the rest between them in equal steps of the line that a search works on. */
function gridOf(input: RangeInput, steps: number): number[] {
  const dimension = dimensionOf(input)
  const { low, high } = interval({ ...dimension, kind: 'real' })
  return Array.from({ length: steps }, (_, i) => {
    if (i === 0) return input.from
    if (i === steps - 1) return input.to
    return fromLine(dimension, low + ((high - low) * i) / (steps - 1))
  })
}

/** A scenario's JSON with a value at a path such as "training.rounds" or "models.0.hidden". */
export function withValue(json: unknown, path: string, value: unknown): unknown {
  return placed(json, path.split('.'), value, path)
}

function placed(json: unknown, [key = '', ...rest]: readonly string[], value: unknown, path: string): unknown {
  if (Array.isArray(json)) {
    const at = Number(key)
    if (!/^\d+$/.test(key) || at >= json.length) {
      const found = `the axis ${path} names "${key}" of a list of ${json.length}`
      throw new OverhearError('E_INPUT', found, `a number from 0 to ${json.length - 1} is needed there`)
    }
    return json.map((one, i) => (i !== at ? one : rest.length === 0 ? value : placed(one, rest, value, path)))
  }
  const own = typeof json === 'object' && json !== null ? (json as Readonly<Record<string, unknown>>) : {}
  const inner = Object.hasOwn(own, key) ? own[key] : undefined
  return { ...own, [key]: rest.length === 0 ? value : placed(inner, rest, value, path) }
}
