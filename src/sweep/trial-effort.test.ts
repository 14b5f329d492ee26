import { expect, test } from 'vitest'
import { effortOf } from './trial-effort.js'

const effort = (scenario: object): number => effortOf(scenario as never)
const usual = 10 * (11 * 500 + 40 * 10 * 200) + 1000

test.each([
  [{}, usual],
  [{ models: [{ kind: 'linear' }] }, usual],
  [{ models: [] }, 10 * (40 * 10 * 200) + 1000],
  [{ models: [{ hidden: [8, 16] }, { hidden: 'x' }] }, 10 * (11 * 500 * 5 + 80_000) + 1000],
  [{ models: [{ hidden: [-8, 7] }] }, 10 * (11 * 500 * 2 + 80_000) + 1000],
  [{ partition: { params: { clients: 2 } } }, 10 * (3 * 100 + 40 * 2 * 200) + 1000],
  [{ partition: { params: { clients: 0 } } }, usual],
  [{ partition: { params: { clients: Number.POSITIVE_INFINITY } } }, usual],
  [{ partition: { params: { clients: '2' } } }, usual],
  [{ knowledge: { targets: ['a'] } }, 10 * (2 * 500 + 40 * 200) + 1000],
  [{ knowledge: { targets: 'all' } }, usual],
  [{ training: { localSteps: 3 } }, 10 * (11 * 300 + 80_000) + 1000],
  [{ training: { localEpochs: 2, rounds: 4 } }, 10 * (11 * 400 + 80_000) + 1000],
  [{ repeats: 3, attacks: ['x', 'y'] }, 3 * (11 * 500 + 4000) + 1000],
  [{ attacks: 'all', knowledge: {} }, usual],
])('%j', (scenario, turns) => {
  expect(effort(scenario)).toBe(turns)
})
