import { expect, test } from 'vitest'
import { medianPruner } from './median-pruner.js'
import type { FinishedTrial } from './tuning-trial.js'

/** Trials with the given reports at steps 0, 1, 2, ... */
function past(...rows: (number | null)[][]): FinishedTrial[] {
  return rows.map((row, number) => ({
    number,
    params: {},
    state: 'complete',
    value: row.at(-1) ?? 0,
    reports: row.map((value, step) => ({ step, value })),
  }))
}
const now = (...values: (number | null)[]) => values.map((value, step) => ({ step, value }))
const direction = 'minimise'
const finished = past([5, 4], [6, 1], [7, 2])
const eager = medianPruner({ startupTrials: 1 })

test('worse than the median at the same step is given up, equal is not', () => {
  expect(eager({ reports: now(6.5), finished, direction })).toBe(true)
  expect(eager({ reports: now(6), finished, direction })).toBe(false)
})

test('the best report so far counts, not the latest', () => {
  expect(eager({ reports: now(1.5, 99), finished, direction })).toBe(false)
  expect(eager({ reports: now(3, 99), finished, direction })).toBe(true)
})

test('maximising turns it round', () => {
  expect(eager({ reports: now(6.5), finished, direction: 'maximise' })).toBe(false)
  expect(eager({ reports: now(5.5), finished, direction: 'maximise' })).toBe(true)
})

test('an even number of others has the mean of the middle two', () => {
  const four = past([1], [2], [4], [9])
  expect(eager({ reports: now(3.1), finished: four, direction })).toBe(true)
  expect(eager({ reports: now(2.9), finished: four, direction })).toBe(false)
})

test('nothing is given up without a history, a report, or others at that step', () => {
  const none = medianPruner({ startupTrials: 0 })
  expect(none({ reports: now(1e9), finished: [], direction })).toBe(false)
  expect(none({ reports: [], finished, direction })).toBe(false)
  expect(eager({ reports: now(1e9, 1e9, 1e9), finished, direction })).toBe(false)
})

test('the first trials and steps are let be', () => {
  expect(medianPruner()({ reports: now(99), finished, direction })).toBe(false)
  expect(medianPruner({ startupTrials: 3, warmupSteps: 1 })({ reports: now(99), finished, direction })).toBe(false)
  expect(medianPruner({ startupTrials: 3, warmupSteps: 1 })({ reports: now(99, 99), finished, direction })).toBe(true)
})

test('only complete trials are compared with', () => {
  const mixed = finished.map((trial) => ({ ...trial, state: 'pruned' as const }))
  expect(eager({ reports: now(99), finished: mixed, direction })).toBe(false)
})

test('a report that is no number is given up at once; one of the others only counts as bad', () => {
  expect(eager({ reports: now(1, null), finished: [], direction })).toBe(true)
  expect(eager({ reports: now(6.5), finished: past([null], [6], [null]), direction })).toBe(false)
  expect(eager({ reports: now(6.5), finished: past([null], [6], [5]), direction })).toBe(true)
})

test('what cannot be meant is refused', () => {
  expect(() => medianPruner({ startupTrials: -1 })).toThrow('startupTrials is -1')
  expect(() => medianPruner({ warmupSteps: 0.5 })).toThrow('warmupSteps is 0.5')
})
