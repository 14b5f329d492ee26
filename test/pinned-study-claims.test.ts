/**
 * What every study says of its claims for drawn figures, and where each claim begins to hold: between figures that bear it
 * out and figures that do not, one figure after another is changed until the answer turns, and how far is found by halving.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { studies } from '../src/studies/index.js'
import type { Figure, Figures, Study, StudyClaim } from '../src/studies/study.js'

const path = fileURLToPath(new URL('pinned/study-claims.json', import.meta.url))
const kept: Record<string, string[]> = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
const now: typeof kept = {}

/** A number in 0..1 that follows from what is given. */
function drawnOf(...values: readonly unknown[]): number {
  let state = 7
  for (const char of values.join(' | ')) state = (state * 48_271 + char.charCodeAt(0)) % 2_147_483_647
  return ((state * 48_271) % 2_147_483_647) / 2_147_483_647
}

type Known = Map<string, Figure>
const keyOf = ([panel, series, x]: Parameters<Figures>): string => `${panel} | ${series} | ${x}`
const from =
  (known: Known): Figures =>
  (...place) =>
    known.get(keyOf(place))
const steps = [4, 8, 20, 100, 200]
const units = [1, 0.25, 5, 0.5, 1 / 64]
const counts = [1, 2, 3, 4, 10]

type Place = Parameters<Figures>

/** Every place that a claim asks for, those included that it asks for only where another is missing. */
function placesOf({ holds }: StudyClaim): Place[] {
  const places = new Map<string, Place>()
  const askWithout = (missing?: string): void => {
    holds((...place) => {
      places.set(keyOf(place), place)
      return keyOf(place) === missing ? undefined : { mean: 1, std: 0, median: 1, n: 10 }
    })
  }
  askWithout()
  for (const key of [...places.keys()]) askWithout(key)
  return [...places.values()]
}

/** Steps are coarse in some draws, so that figures are alike; in some a curve is flat, in some it rises or falls. */
function drawFigures(places: readonly Place[], draw: number): Known {
  const [count, unit] = [steps[draw % 5]!, units[Math.floor(draw / 5) % 5]!]
  const shape = Math.floor(draw / 25) % 4
  const [noise, slope] = shape < 2 ? [0, 0] : [0.6, shape === 2 ? 1 : -1]
  const runs = counts[Math.floor(draw / 100) % 5]!
  const figures = places.map((place): readonly [string, Figure] => {
    const [panel, series, x = 0] = place
    const base = drawnOf(draw, shape === 0 ? place : [panel, series]) + (slope * x) / (1 + Math.abs(x))
    const value = (of: string) => Math.round(base * count + noise * drawnOf(draw, place, of)) * unit
    const n = draw % 7 === 0 ? Math.ceil(4 * drawnOf(draw, place, 'n')) : runs
    return [keyOf(place), { mean: value('mean'), std: 0, median: value('median'), n }]
  })
  return new Map(figures)
}

const rounded = (x: number): number => Math.round(x * 1e9) / 1e9

/** Where the answer turns on the way from some figures to others. */
function turnOf({ holds }: StudyClaim, good: Known, bad: Known) {
  const between: Known = new Map(good)
  for (const [key, figure] of bad) {
    for (const of of ['n', 'mean', 'median'] as const) {
      const [old, other] = [between.get(key) ?? figure, figure[of]]
      const at = (value: number) => {
        between.set(key, { ...old, [of]: value })
        return holds(from(between))
      }
      if (at(other) === true) continue
      let [low, high] = [old[of], other]
      for (let i = 0; i < 45; i++) {
        const middle = (low + high) / 2
        if (at(middle) === true) low = middle
        else high = middle
      }
      const limit = rounded(low)
      return [key, of, limit, at(limit), at(limit + 1e-6), at(limit - 1e-6)]
    }
  }
  return null
}

/** What is said where figures are missing: one, all but one, and more and more of them. */
function withoutSome({ holds }: StudyClaim, known: Known) {
  const all = [...known]
  const one = all.map(([key, figure]) => {
    const others = new Map(all.filter(([other]) => other !== key))
    return [key, holds(from(others)), holds(from(new Map([[key, figure]])))]
  })
  const more = all.map((_, left) => {
    const drawn = all.toSorted(([a], [b]) => drawnOf(left, a) - drawnOf(left, b))
    return holds(from(new Map(drawn.slice(0, left))))
  })
  return [one, more]
}

/** So many draws, and so many pairs of figures for and against. */
const [draws, pairs] = [800, 30]

function saidOf(claim: StudyClaim): string {
  const found = { good: [] as Known[], bad: [] as Known[], open: 0 }
  const said: unknown[] = []
  const places = placesOf(claim)
  for (let draw = 0; draw < draws; draw++) {
    const known = drawFigures(places, draw)
    const holds = claim.holds(from(known))
    said.push(holds)
    if (holds === null) found.open++
    else found[holds ? 'good' : 'bad'].push(known)
  }
  const { good, bad, open } = found
  const some = (list: readonly Known[], i: number) => list[(i * 37) % list.length]!
  const turns =
    good.length * bad.length === 0
      ? []
      : Array.from({ length: pairs }, (_, i) => turnOf(claim, some(good, i), some(bad, i)))
  const missing = [...good.slice(0, 3), ...bad.slice(0, 3)].map((known) => withoutSome(claim, known))
  const digest = createHash('sha256')
    .update(JSON.stringify([said, turns, missing]))
    .digest('hex')
    .slice(0, 12)
  return `${good.length} yes, ${bad.length} no, ${open} open: ${digest}`
}

describe.each(Object.values<Study>(studies).map((study) => [study.id, study] as const))('%s', (id, { claims }) => {
  test('says of drawn figures what is kept', () => {
    const found = claims.map(saidOf)
    now[id] = found
    if (process.env.UPDATE_NUMBERS === '1') writeFileSync(path, `${JSON.stringify(now, null, 1)}\n`)
    else expect(found).toEqual(kept[id])
  })
})
