import { describe, expect, test } from 'vitest'
import { smallPopulation } from '../../../test/small-federation.js'
import { rng } from '../../numeric/random/rng.js'
import { chosen } from '../../registry.js'
import { type Population, population } from '../population.js'
import type { SamplingSpec } from '../spec.js'
import { samplings } from './index.js'
import { chooser, clientsIn, type Sampling } from './sampling.js'

const crowd = (clients: number): Population =>
  population({ kind: 'generated', clients, seed: 1, generator: { name: 'toy-least-squares', recordsPerClient: 2 } })

function rounds(spec: SamplingSpec, people: Population, count: number): number[][] {
  const { entry, values } = chosen<Sampling>(samplings, spec)
  const choose = entry.prepare(values as never, people)
  return Array.from({ length: count }, (_, round) => Array.from(choose({ round, rng: rng(7).fork('round', round) })))
}

const specs: { readonly [K in keyof typeof samplings]: SamplingSpec } = {
  all: { name: 'all' },
  fraction: { name: 'fraction', fraction: 0.3 },
  poisson: { name: 'poisson', fraction: 0.3 },
  schedule: { name: 'schedule', rounds: '0,5;9' },
  weighted: { name: 'weighted', fraction: 0.3 },
}

describe.each(Object.entries(samplings))('sampling contract: %s', (name, sampling) => {
  const spec = specs[name as keyof typeof samplings]
  test('is known by its own name', () => expect(sampling.id).toBe(name))
  test('asks nobody twice and nobody who is not there, the same ones whenever asked', () => {
    const people = crowd(30)
    const drawn = rounds(spec, people, 20)
    for (const clients of drawn) {
      expect(new Set(clients).size).toBe(clients.length)
      for (const k of clients) expect(people.indexOf(String(k))).toBe(k)
    }
    expect(rounds(spec, people, 20)).toEqual(drawn)
  })
})

test('a share of the clients is the nearest number, at least one', () => {
  const sizeOf = (fraction: number, name: 'fraction' | 'weighted' = 'fraction') =>
    rounds({ name, fraction }, crowd(50), 1)[0]!.length
  expect([0, 0.001, 0.2, 0.51, 1].map((share) => sizeOf(share))).toEqual([1, 1, 10, 26, 50])
  expect(sizeOf(0.2, 'weighted')).toBe(10)
})

test('every client has its turn as often as it should', () => {
  const T = 4000
  const counts = (spec: SamplingSpec, people: Population) => {
    const times = new Array<number>(people.count).fill(0)
    for (const clients of rounds(spec, people, T)) for (const k of clients) times[k]!++
    return times
  }
  const within = (times: readonly number[], p: number) => {
    for (const n of times) expect(Math.abs(n - T * p)).toBeLessThan(5 * Math.sqrt(T * p * (1 - p)))
  }
  within(counts({ name: 'fraction', fraction: 0.3 }, crowd(10)), 0.3)
  within(counts({ name: 'poisson', fraction: 0.3 }, crowd(10)), 0.3)
  // One of three in proportion to 7, 12 and 5 records.
  const [a, b, c] = counts({ name: 'weighted', fraction: 0.3 }, smallPopulation) as [number, number, number]
  expect(a + b + c).toBe(T)
  within([a], 7 / 24)
  within([b], 12 / 24)
  within([c], 5 / 24)
})

test('poisson: coins of 0 and 1, and sizes that vary', () => {
  expect(rounds({ name: 'poisson', fraction: 0 }, crowd(9), 2)).toEqual([[], []])
  expect(rounds({ name: 'poisson', fraction: 1 }, crowd(3), 1)).toEqual([[0, 1, 2]])
  expect(new Set(rounds({ name: 'poisson', fraction: 0.5 }, crowd(9), 50).map((r) => r.length)).size).toBeGreaterThan(3)
})

test('a schedule is followed and begins again; a round may be empty', () => {
  const asked = rounds({ name: 'schedule', rounds: '2, 0;;1' }, smallPopulation, 5)
  expect(asked).toEqual([[2, 0], [], [1], [2, 0], []])
  expect(() => rounds({ name: 'schedule', rounds: '0,7' }, smallPopulation, 1)).toThrow('round 0 names client "7"')
  expect(() => rounds({ name: 'schedule', rounds: '0,0' }, smallPopulation, 1)).toThrow('holds "0" twice')
  expect(() => rounds({ name: 'schedule' }, smallPopulation, 1)).toThrow('rounds names nobody')
})

test('a thousand of a million are drawn without looking at the rest; weighing all of them is refused', () => {
  const million = crowd(1_000_000)
  const [one, two] = rounds({ name: 'fraction', fraction: 0.001 }, million, 2)
  expect([one!.length, new Set(one).size]).toEqual([1000, 1000])
  expect(one).not.toEqual(two)
  const coins = rounds({ name: 'poisson', fraction: 0.001 }, million, 1)[0]!
  expect(Math.abs(coins.length - 1000)).toBeLessThan(5 * Math.sqrt(1000))
  expect(() => rounds({ name: 'weighted' }, million, 1)).toThrow('use "fraction" or "poisson"')
})

test('whoever is asked is there, and asked once; given in any order', () => {
  const asked = (...clients: number[]) => {
    const entry = { id: 'by hand', prepare: () => () => clients } as unknown as Sampling
    return chooser({ entry, values: {} }, crowd(5))({ round: 3, rng: rng(1) } as never)
  }
  expect(asked(4, 0, 2)).toEqual([0, 2, 4])
  expect(asked()).toEqual([])
  for (const bad of [-1, 5, 1.5, Number.NaN])
    expect(() => asked(2, bad)).toThrow(
      `sampling by hand asks client ${bad} in round 3; clients are numbered from 0 to 4`,
    )
  expect(() => asked(0, 3, 0)).toThrow('sampling by hand asks client 0 twice in round 3')
  expect([0, 0.1, 0.3, 0.5, 1].map((share) => clientsIn(share, crowd(5)))).toEqual([1, 1, 2, 3, 5])
})
