import { expect, test } from 'vitest'
import { forecastOf } from '../../attacks/properties/exposure-forecast.js'
import { sparseFromTriplets, type Triplet } from '../../numeric/linalg/sparse.js'
import { rng } from '../../numeric/random/rng.js'
import { clientAtRandom } from './planned-exposure.js'

const asked = { clients: 12, perRound: 3, rounds: 300, signal: 3, share: 0.25, seed: 5 }

test('one client of a matrix that is drawn round by round from the seed', () => {
  const draws = rng(5).fork('forecast')
  const rounds = Array.from({ length: 300 }, (_, r) => [...draws.fork(r).sample(12, 3)])
  const ones = rounds.flatMap((ids, r) => ids.map((id): Triplet => [r, id, 1]))
  const forecasts = forecastOf(sparseFromTriplets({ rows: 300, cols: 12 }, ones), { signal: 3, share: 0.25 })
  for (const id of [0, 1, 11]) {
    const found = clientAtRandom(String(id), asked)
    expect(found).toEqual({ id: String(id), takesPart: rounds.filter((ids) => ids.includes(id)).length, forecast: forecasts[id] }) // biome-ignore format: a line
    expect(found.forecast.usual).toBeGreaterThan(0)
  }
  expect(clientAtRandom('1', { ...asked, rounds: 0 })).toMatchObject({ takesPart: 0, forecast: { usual: null } })
  expect(clientAtRandom('1', { ...asked, clients: 3 }).takesPart).toBe(300)
})

test('a client is a whole number below their number', () => {
  for (const text of ['', ' ', '12', '-1', '1.5', 'a', '1e400'])
    expect(() => clientAtRandom(text, asked)).toThrow(`--client is "${text}"`)
  expect(clientAtRandom(' 7 ', asked).id).toBe('7')
  expect(() => clientAtRandom('x', asked)).toThrow(expect.objectContaining({ code: 'E_VALUE' }))
})

test('fifty million entries are the most that are drawn', () => {
  const many = (rounds: number) => () => clientAtRandom('0', { ...asked, perRound: 5, rounds })
  expect(many(1e7 + 1)).toThrow('5 clients in 10000001 rounds are 50000005 entries')
})
