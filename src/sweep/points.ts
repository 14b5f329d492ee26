/** Points of a sweep: every combination of a grid, some at random, or where earlier ones scored well. */
import { OverhearError } from '../errors.js'
import { randomSampler } from '../numeric/optimise/samplers.js'
import type { Option, Space } from '../numeric/optimise/search-space.js'
import { type Trial as Asked, study } from '../numeric/optimise/tuning-study.js'
import { rng } from '../numeric/random/rng.js'
import type { Axis, Place } from './axes.js'
import type { SearchInput } from './sweep-schema.js'

/** One place on every axis. */
export interface Point {
  /** What tables show, by the axis. */
  readonly shown: Readonly<Record<string, unknown>>
  /** What is set in the scenario, by paths; of two axes that set the same, the later one. */
  readonly set: Readonly<Record<string, unknown>>
}

/** More would not fit the memory that a coordinator may take. */
const mostPoints = 100_000

const together = (places: readonly (readonly [string, Place])[]): Point => ({
  shown: Object.fromEntries(places.map(([name, { shown }]) => [name, shown])),
  set: Object.assign({}, ...places.map(([, { set }]) => set)) as Point['set'],
})

/** All combinations, the last axis the quickest. */
export function gridPoints(axes: readonly Axis[]): Point[] {
  const count = axes.reduce((n, { places }) => n * places!.length, 1)
  if (count > mostPoints) {
    const hint = `at most ${mostPoints}; take fewer values, or a search:`
    throw new OverhearError('E_VALUE', `the axes have ${count} combinations`, hint)
  }
  let all: (readonly [string, Place])[][] = [[]]
  for (const { name, places } of axes) {
    all = all.flatMap((before) => places!.map((place) => [...before, [name, place] as const]))
  }
  return all.map(together)
}

/** Where points come from, a batch at a time: the next depends on the scores of those before. */
export interface PointSource {
  /** How many there will be. */
  readonly total: number
  /** undefined: there are no more. */
  next(): readonly Point[] | undefined
  /** The scores of the batch, in its order; null of a point that failed. */
  tell(scores: readonly (number | null)[]): void
}

export interface SourceOptions {
  readonly search: SearchInput | undefined
  readonly seed: number
}

export function pointSource(axes: readonly Axis[], { search, seed }: SourceOptions): PointSource {
  if (search === undefined) return allAtOnce(gridPoints(axes))
  if (axes.length === 0) throw new OverhearError('E_INPUT', 'a search without axes', 'give axes: to search in')
  const space: Space = Object.fromEntries(axes.map(({ name, dimension }) => [name, dimension]))
  const pointOf = (chosen: Readonly<Record<string, Option>>): Point =>
    together(axes.map((axis) => [axis.name, axis.at(chosen[axis.name])] as const))
  const draws = rng(seed).fork('sweep')
  if (search.method === 'tpe') return parzenPoints(search, { space, draws, pointOf })
  const { sample } = randomSampler()
  const drawn = Array.from({ length: search.points }, (_, i) =>
    pointOf(sample({ space, finished: [], direction: 'minimise', rng: draws.fork('trial', i) })),
  )
  return allAtOnce(drawn)
}

function allAtOnce(points: readonly Point[]): PointSource {
  let given = false
  return {
    total: points.length,
    next() {
      if (given) return undefined
      given = true
      return points
    },
    tell() {},
  }
}

interface Searched {
  readonly space: Space
  readonly draws: ReturnType<typeof rng>
  pointOf(chosen: Readonly<Record<string, Option>>): Point
}

/** A batch is asked for before any of it is scored: so it is the same whoever is done first. */
function parzenPoints(search: SearchInput, { space, draws, pointOf }: Searched): PointSource {
  const own = study({ space, rng: draws, direction: search.better === 'higher' ? 'maximise' : 'minimise' })
  let asked: Asked[] = []
  return {
    total: search.points,
    next() {
      const left = search.points - own.finished().length
      if (left <= 0) return undefined
      asked = Array.from({ length: Math.min(search.together, left) }, () => own.ask())
      return asked.map(({ params }) => pointOf(params))
    },
    tell(scores) {
      for (const [i, trial] of asked.entries()) own.tell(trial, scores[i] ?? 'failed')
      asked = []
    },
  }
}
