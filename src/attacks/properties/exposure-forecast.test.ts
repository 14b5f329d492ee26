import { expect, test } from 'vitest'
import { sparseFromTriplets, type Triplet } from '../../numeric/linalg/sparse.js'
import { rng } from '../../numeric/random/rng.js'
import { forecastAtRandom, forecastOf, informationNeeded } from './exposure-forecast.js'

const options = { signal: 3, share: 0.1, measured: 1e9 }

function atRandom(N: number, m: number, rounds: number, seed = 1) {
  const triplets = Array.from({ length: rounds }, (_, r) =>
    Array.from(rng(seed).fork(r).sample(N, m), (i): Triplet => [r, i, 1]),
  ).flat()
  return sparseFromTriplets({ rows: rounds, cols: N }, triplets)
}

test('a client that is always alone needs I / d^2 rounds', () => {
  const alone = sparseFromTriplets(
    { rows: 20, cols: 30 },
    Array.from({ length: 20 }, (_, r): Triplet => [r, 0, 1]),
  )
  const { usual } = informationNeeded(30, options)
  expect(forecastOf(alone, options)[0]!.usual).toBe(Math.ceil(usual! / 9))
  const each = forecastAtRandom({ clients: 30, perRound: 1, rounds: 1000 }, options)
  expect(each.usual).toBe(Math.ceil((30 * usual!) / 9))
  expect(forecastAtRandom({ clients: 30, perRound: 1, rounds: 1 }, options).usual).toBeNull()
})

test('what is needed: more where clients may be as unlike as the signal is large, and hardly any suffices without others', () => {
  const needed = [1.5, 2, 3, 5].map((signal) => informationNeeded(20, { signal }).usual!)
  expect(needed).toEqual(needed.toSorted((a, b) => b - a))
  expect(informationNeeded(1, { signal: 3 }).soonest!).toBeGreaterThan(1e6)
  // Were clients known to be alike, I / 2 would have to make up for the odds before: log(19) + 3.54 for ten clients.
  const { usual } = informationNeeded(10, { signal: 8 })
  expect(usual!).toBeGreaterThan(2 * (Math.log(19) + 3.53))
  // The least that passes: a little less does not.
  const [fine, coarse] = [0.95, 0.9499].map((above) => informationNeeded(10, { signal: 2, above }).usual!)
  expect(fine! / coarse!).toBeGreaterThan(1)
  expect(fine! / coarse!).toBeLessThan(1.01)
})

test('matrices at random have the closed form on the mean, clients who are in more rounds are sooner given away', () => {
  const A = atRandom(40, 8, 400)
  const each = forecastOf(A, options)
  const closed = forecastAtRandom({ clients: 40, perRound: 8, rounds: 400 }, options)
  const mean = each.reduce((sum, { usual }) => sum + usual!, 0) / 40
  expect(mean / closed.usual!).toBeGreaterThan(0.85)
  expect(mean / closed.usual!).toBeLessThan(1.15)
  for (const { soonest, usual, latest } of each) {
    expect(soonest!).toBeLessThanOrEqual(usual!)
    expect(usual!).toBeLessThanOrEqual(latest!)
  }
  const often = (i: number) => A.column.subarray(0, 8 * closed.usual!).filter((j) => j === i).length
  const order = Array.from({ length: 40 }, (_, i) => i).sort((i, j) => often(j) - often(i))
  expect(each[order[0]!]!.usual!).toBeLessThan(each[order[39]!]!.usual!)
})

test('who is never there is never given away', () => {
  const A = sparseFromTriplets(
    { rows: 30, cols: 2 },
    Array.from({ length: 30 }, (_, r): Triplet => [r, 0, 1]),
  )
  expect(forecastOf(A, options)[1]).toEqual({ soonest: null, usual: null, latest: null })
})

test('a million clients and ten thousand rounds', () => {
  const { usual } = forecastAtRandom({ clients: 1e6, perRound: 1000, rounds: 1e4 }, { signal: 30 })
  expect(usual).toBeNull()
  expect(forecastAtRandom({ clients: 1e6, perRound: 1000, rounds: 1e9 }, { signal: 30 }).usual).toBeGreaterThan(1e4)
})
