import { expect, test } from 'vitest'
import { type FinishedTrial, loss, ranked, type TrialState } from './tuning-trial.js'

const trial = (number: number, state: TrialState, value: number | null, ...steps: number[]): FinishedTrial => ({
  ...{ number, params: {}, state, value, reports: steps.map((step) => ({ step, value: 0 })) },
})
const order = (trials: readonly FinishedTrial[], direction: 'minimise' | 'maximise' = 'minimise') =>
  ranked(trials, direction).map(({ number }) => number)

test('what is made small', () => {
  expect([loss(3, 'minimise'), loss(3, 'maximise'), loss(0, 'minimise')]).toEqual([3, -3, 0])
  for (const direction of ['minimise', 'maximise'] as const) {
    expect([loss(null, direction), loss(undefined, direction)]).toEqual([
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    ])
  }
})

test('complete trials by value, the earlier of two that are equal', () => {
  const trials = [trial(0, 'complete', 2), trial(3, 'complete', 1), trial(1, 'complete', 1), trial(2, 'complete', 5)]
  expect(order(trials)).toEqual([1, 3, 0, 2])
  expect(order(trials, 'maximise')).toEqual([2, 0, 1, 3])
  expect(trials.map(({ number }) => number)).toEqual([0, 3, 1, 2])
})

test('then pruned ones by how far they got, then by value; failed ones last, by number', () => {
  const trials = [
    trial(0, 'failed', null, 99),
    trial(1, 'pruned', -1),
    trial(2, 'pruned', 4, 0),
    trial(3, 'pruned', 9, 0, 7),
    trial(4, 'complete', 100, 0),
    trial(5, 'failed', null),
    trial(6, 'pruned', 3, 5, 7),
    trial(7, 'complete', 101, 0, 50),
    trial(8, 'pruned', -2),
  ]
  expect(order(trials)).toEqual([4, 7, 6, 3, 2, 8, 1, 0, 5])
  expect(order(trials, 'maximise')).toEqual([7, 4, 3, 6, 2, 1, 8, 0, 5])
})
