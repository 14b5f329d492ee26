import { expect, test } from 'vitest'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import { bestByCosine, type GradientCandidate, gradientCandidates, type MatchView } from './match-gradients.js'
import type { CosineFunction, Message } from './matched-message.js'

const features = matrix(2, 2, Float64Array.of(1, Number.NaN, 2, Number.NaN))
const view = {
  records: { columns: ['x', 's'], features },
  'records.label': Float64Array.of(0, 1),
  sensitive: [{ name: 's', columns: ['s'], kind: 'binary', values: [[-1], [1]] }],
} as unknown as MatchView

const messages = [0, 1, 2].map((round) => ({ round }) as unknown as Message)

test('every set at every rate, in their order, climbs as often as asked and tells of it', () => {
  const ticks: number[][] = []
  const asked: unknown[] = []
  // The first record is drawn up and the second down, by messages of rounds 0, 1, 2 once, twice and thrice as much.
  const cosine: CosineFunction = ({ data }, message) => {
    const by = (message as unknown as { round: number }).round + 1
    asked.push(by)
    return { value: by * (data[1]! - data[3]!), slope: Float64Array.of(10 * by, -10 * by) }
  }
  const { candidates, unknowns } = gradientCandidates(view, messages, {
    ...{ variant: 'straight-through', draws: 0, temperature: 1, start: 'zero', iterations: 4, rates: [0.5, 2] },
    sets: [
      { name: 'all', places: [0, 1, 2] },
      { name: 'last', places: [2] },
    ],
    rng: rng(1),
    tick: (...at) => void ticks.push(at),
    cosine,
  })
  const total = 4 * 4 * 2
  const done = [3, 6, 9, 12, 15, 18, 21, 24, 25, 26, 27, 28, 29, 30, 31, 32]
  expect(ticks).toEqual(done.map((one) => [one, total]))
  const found = { guesses: [Float64Array.of(1, 0)] }
  expect(candidates).toEqual([
    { set: 'all', rounds: 3, rate: 0.5, cosine: 4, ...found },
    { set: 'all', rounds: 3, rate: 2, cosine: 4, ...found },
    { set: 'last', rounds: 1, rate: 0.5, cosine: 6, ...found },
    { set: 'last', rounds: 1, rate: 2, cosine: 6, ...found },
  ])
  expect(asked).toHaveLength(2 * (4 * 3 + 3) + 2 * (4 + 1))
  expect(unknowns.attributes).toHaveLength(1)
  expect(Number.isNaN(features.data[1]!)).toBe(true) // the records that were given are left alone
})

test('the best cosine, the first of equals, and never one that is no number', () => {
  const of = (...cosines: number[]) =>
    bestByCosine(cosines.map((cosine, rate) => ({ cosine, rate }) as unknown as GradientCandidate)).rate
  expect([of(0.1, 0.3, 0.2), of(0.3, 0.3), of(Number.NaN, -1), of(-1, Number.NaN), of(Number.NaN)]).toEqual([
    1, 0, 1, 0, 0,
  ])
})
