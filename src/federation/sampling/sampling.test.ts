import { describe, expect, test } from 'vitest'
import type { Rng } from '../../numeric/random/rng.js'
import { chosen } from '../../registry.js'
import type { Population } from '../population.js'
import { samplings } from './index.js'
import { idsOfRounds } from './sample-schedule.js'
import { type Choose, chooser, clientsIn, type Sampling } from './sampling.js'

const people = (count: number): Population =>
  ({ count, samples: (k: number) => k + 1, indexOf: (id: string) => (Number(id) < count ? Number(id) : undefined) }) as unknown as Population // biome-ignore format: one line
const draw = (rng: object = {}, round = 0) => ({ round, rng: rng as Rng })
const asked = (name: string, given: object, count: number): Choose => {
  const { entry, values } = chosen<Sampling>(samplings, { name, ...given })
  return entry.prepare(values as never, people(count))
}

describe('whoever is asked', () => {
  const asking = (...clients: number[]) => {
    const entry = { id: 'mine', prepare: () => () => clients } as unknown as Sampling
    return () => chooser({ entry, values: {} }, people(4))(draw({}, 6))
  }

  test('is in rising order', () => {
    expect(asking(3, 0, 2)()).toEqual([0, 2, 3])
    expect(asking()()).toEqual([])
  })

  test('is there, and is asked once', () => {
    const allowed = 'clients are numbered from 0 to 3, each may be asked once'
    for (const bad of [4, -1, 0.5, Number.NaN]) {
      expect(asking(1, bad)).toThrow(`sampling mine asks client ${bad} in round 6; ${allowed}`)
    }
    expect(asking(2, 0, 2)).toThrow(`sampling mine asks client 2 twice in round 6; ${allowed}`)
  })
})

test('a share of the clients is rounded, at least one', () => {
  expect([0, 0.04, 0.05, 0.149, 0.15, 1].map((share) => clientsIn(share, { count: 10 }))).toEqual([1, 1, 1, 1, 2, 10])
})

describe('poisson', () => {
  /** Uniform draws whose gaps, at a probability of 1/2, are as long as this. */
  const gaps = (...lengths: number[]) => ({ uniform: () => 0.75 * 0.5 ** lengths.shift()! })

  test('takes those between gaps of those that are left out', () => {
    const choose = asked('poisson', { fraction: 0.5 }, 8)
    expect(choose(draw(gaps(0, 0, 2, 1, 9)))).toEqual([0, 1, 4, 6])
    expect(choose(draw(gaps(7, 0)))).toEqual([7])
    expect(choose(draw(gaps(8)))).toEqual([])
  })

  test('takes nobody of probability 0, everybody of 1', () => {
    expect(asked('poisson', { fraction: 0 }, 3)(draw())).toEqual([])
    expect(asked('poisson', { fraction: 1 }, 3)(draw({ uniform: () => 0.5 }))).toEqual([0, 1, 2])
  })
})

describe('a schedule', () => {
  test('names ids with commas between them, rounds with semicolons', () => {
    expect(idsOfRounds(' a , b;c;; ,d')).toEqual([['a', 'b'], ['c'], [], ['d']])
  })

  test('begins again after its last round', () => {
    const choose = asked('schedule', { rounds: '0,2;1;' }, 3)
    expect([0, 1, 2, 3, 4].map((round) => choose(draw({}, round)))).toEqual([[0, 2], [1], [], [0, 2], [1]])
  })

  test('names somebody, nobody twice in a round, and only clients that are there', () => {
    expect(() => asked('schedule', { rounds: ' ; , ' }, 3)).toThrow('sampling schedule: rounds names nobody')
    expect(() => asked('schedule', { rounds: '0;1,5' }, 3)).toThrow('sampling schedule: round 1 names client "5"')
    expect(() => asked('schedule', { rounds: '0;1,1' }, 3)).toThrow('round 1')
    expect(() => asked('schedule', { rounds: '1;1' }, 3)).not.toThrow()
  })
})

describe('weighted', () => {
  test('takes those whose clocks tick first: draws over the numbers of records', () => {
    // Records 1, 2, 3, 4: arrivals 4, 1, 2, 3.
    const ticks = (times = [4, 2, 6, 12]) => ({ exponential: () => times.shift()! })
    expect(asked('weighted', { fraction: 0.5 }, 4)(draw(ticks()))).toEqual([1, 2])
    expect(asked('weighted', { fraction: 1 }, 4)(draw(ticks()))).toEqual([1, 2, 3, 0])
  })

  test('is for up to a hundred thousand clients', () => {
    expect(() => asked('weighted', {}, 100_000)).not.toThrow()
    expect(() => asked('weighted', {}, 100_001)).toThrow('sampling weighted: there are 100001 clients; up to 100000')
  })
})

test('a share is a tenth unless told, from 0 to 1', () => {
  for (const name of ['fraction', 'poisson', 'weighted']) {
    const values = (given: object) => chosen<Sampling>(samplings, { name, ...given }).values
    expect(values({})).toEqual({ fraction: 0.1 })
    for (const fraction of [0, 1]) expect(values({ fraction })).toEqual({ fraction })
    for (const fraction of [-0.1, 1.1]) expect(() => values({ fraction })).toThrow('fraction')
  }
})
