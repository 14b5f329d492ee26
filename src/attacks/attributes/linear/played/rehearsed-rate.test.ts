import { expect, test } from 'vitest'
import { world } from '../../../../../test/attribute-world.js'
import { rng } from '../../../../numeric/random/rng.js'
import { evaluable } from '../../../shared/evaluable-model.js'
import { combinationsOf } from '../../search-values.js'
import { unknownsOf } from '../../unknown-columns.js'
import { linearRounds } from '../gradient-sums.js'
import { candidatesOf, type Problem, problemOf } from '../linear-problem.js'
import { fitRates } from './rehearsed-rate.js'

const learningRate = 0.02
const w = world({ records: 6, rounds: 4, batchSize: null, localEpochs: 5, learningRate, noise: 0.5 })
const guesses = Int32Array.from(w.true[0]!)

/** The turns of a client, believed to have gone at so many times their rate. */
async function believed(times: (round: number) => number, rate: 'one' | 'each'): Promise<Problem> {
  const { view } = w
  const { attributes, ...known } = unknownsOf(view)
  const turns = await linearRounds(view, { samples: view.samples })
  const candidates = candidatesOf(known, attributes, combinationsOf(attributes))
  const places = attributes.flatMap((one) => one.places)
  const problem = problemOf({
    view,
    functions: evaluable(view),
    candidates,
    places,
    turns,
    samples: view.samples,
    rate,
  })
  const rounds = problem.rounds.map((one, t) => {
    const by = times(t)
    return { ...one, rate: by * one.rate, mean: one.mean.map((x) => x / by) }
  })
  return { ...problem, rounds }
}
const fitted = (problem: Problem, rates: number[]) => fitRates(problem, { guesses, rates, rng: rng('rate') })

test('a rate is divided by what it was multiplied by', async () => {
  for (const times of [0.75, 1, 1.5, 3]) {
    const rates = fitted(await believed(() => times, 'one'), [1, 1, 1, 1])
    expect(rates).toHaveLength(4)
    for (const rate of rates) expect(rate / times).toBeCloseTo(1, 2)
  }
})

test('and so is each, where every round has its own', async () => {
  const times = [0.9, 1.1, 1, 1.15]
  const rates = fitted(await believed((t) => times[t]!, 'each'), [1, 1, 1, 1])
  for (const [t, rate] of rates.entries()) expect(Math.abs(rate / times[t]! - 1)).toBeLessThan(0.04)
})

test.each([
  [[3, -1, 0, 5, 4], 4],
  [[3, 5, 0, 0], 5],
  [[0, 0, 0, 0], 1],
])('rates at which turns run away are halved four times, from the middle of %j on', async (rates, middle) => {
  const wild = await believed(() => 1e90, 'one')
  expect(fitted(wild, rates)).toEqual([0, 1, 2, 3].map(() => 16 * middle))
  expect(fitted({ ...wild, rate: 'each' }, rates)).toEqual([0, 1, 2, 3].map(() => 32 * middle))
})
