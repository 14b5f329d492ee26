/** How far off the values of a continuous attribute are said to be. */
import { describe, expect, test } from 'vitest'
import { continuous, type WorldOptions, world } from '../../../../test/attribute-world.js'
import { rng } from '../../../numeric/random/rng.js'
import { inferAttributes, type LinearView } from './infer-attributes.js'

const settings = { passes: 1, rehearsals: 0, directions: 2, rate: 'auto', rng: rng('errors'), tick: () => {} } as const
const believed = async (view: LinearView) => {
  const { beliefs, details } = await inferAttributes(view, settings)
  return { ...beliefs[0]!, misfit: details.misfit as number }
}
/** The view of some rounds alone. */
const hearing = (view: LinearView, takes: (place: number) => boolean): LinearView => ({
  ...view,
  exchanges: { ...view.exchanges, rounds: view.exchanges.rounds.filter((_, t) => takes(t)) },
})

/** 5 / sqrt(12): what a value may be off that nothing is known of between -2 and 3. */
const widest = 5 / Math.sqrt(12)
const options: WorldOptions = { records: 5, batchSize: 5, localEpochs: 2, noise: 0.5, sensitive: [continuous] }

describe('halves of the messages that disagree', () => {
  test.each([4])('make errors larger, where there are %d rounds', async (rounds) => {
    const { view } = world({ ...options, rounds, batchSize: 2 })
    const whole = await believed(view)
    const halves = [
      await believed(hearing(view, (t) => t % 2 === 0)),
      await believed(hearing(view, (t) => t % 2 === 1)),
    ]
    const apart = Array.from(whole.values, (_, i) => (halves[0]!.values[i]! - halves[1]!.values[i]!) / 2)
    const mean = apart.reduce((sum, x) => sum + x * x, 0) / apart.length
    let reached = 0
    for (const [i, x] of apart.entries()) {
      const least = Math.min(widest, 2.5 * Math.sqrt((mean + x * x) / 2))
      expect(whole.confidence[i]).toBeGreaterThanOrEqual(least - 1e-12)
      if (Math.abs(whole.confidence[i]! - least) < 1e-12) reached++
    }
    expect(reached).toBeGreaterThan(2)
  })

  test('are not asked of three rounds', async () => {
    const { view } = world({ ...options, rounds: 3, batchSize: 2 })
    const whole = await believed(view)
    const halves = [await believed(hearing(view, (t) => t !== 1)), await believed(hearing(view, (t) => t === 1))]
    const apart = Array.from(whole.values, (_, i) => (halves[0]!.values[i]! - halves[1]!.values[i]!) / 2)
    const mean = apart.reduce((sum, x) => sum + x * x, 0) / apart.length
    expect(apart.some((x, i) => whole.confidence[i]! < Math.min(widest, 2.5 * Math.sqrt((mean + x * x) / 2)))).toBe(
      true,
    )
  })
})

test('one step on all records tells values as they are', async () => {
  const model = { kind: 'mlp', inputs: 4, outputs: 1, hidden: [12], activation: 'tanh' } as const
  const w = world({ ...options, model, rounds: 5, batchSize: null, localEpochs: 1, learningRate: 0.1 })
  const { values, confidence, misfit } = await believed(w.view)
  for (const [i, v] of w.true[0]!.entries()) expect(values[i]).toBeCloseTo(v, 3)
  for (const error of confidence) expect(error >= 0 && error < 0.05).toBe(true)
  expect(misfit).toBeLessThan(1e-3)
})

test('of what messages say nothing of, values stay in their range, and errors are those of the middle', async () => {
  const { view } = world({ ...options, rounds: 1, records: 30, batchSize: 3, noise: 3 })
  const { values, confidence } = await believed(view)
  for (const v of values) expect(v >= -2 && v <= 3).toBe(true)
  expect(Math.max(...confidence)).toBeCloseTo(widest, 12)
})
