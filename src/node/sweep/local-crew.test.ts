import { expect, test } from 'vitest'
import type { Trial } from '../../sweep/trial.js'
import { labelOf, localCrew } from './local-crew.js'
import type { TrialProcesses } from './trial-processes.js'

const trial = (shown: object, seed = 3) => ({ seed, point: { shown, set: {} } }) as unknown as Trial

test('a trial is told by the last words of its axes', () => {
  expect(labelOf(trial({}))).toBe('seed 3')
  const shown = { 'training.rounds': 5, rate: 'low', 'models.0.hidden': [3, 4], none: null }
  expect(labelOf(trial(shown, 0))).toBe('rounds=5 rate=low hidden=[3,4] none=null seed 0')
  expect(labelOf(trial({ a: 'x'.repeat(24), b: 'y'.repeat(25) }))).toBe(
    `a=${'x'.repeat(24)} b=${'y'.repeat(23)}… seed 3`,
  )
})

test('a crew has one trial in each process and one at hand, and says what it does by theirs', async () => {
  const asked: unknown[] = []
  let closed = 0
  const processes = {
    run: async (...given: unknown[]) => void asked.push(given),
    doing: () => 'two at work',
    close: async () => void closed++,
  } as unknown as TrialProcesses
  const limits = { seconds: 5, megabytes: 100 }
  const scenarioOf = ({ seed }: Trial) => ({ seed }) as never
  const crew = localCrew({ workers: 3, limits, processes, scenarioOf, dataDir: '/data' })
  expect([crew.size, crew.doing?.()]).toEqual([6, 'two at work'])
  await crew.run(trial({ x: 1 }))
  await localCrew({ workers: 1, limits, processes, scenarioOf }).run(trial({}))
  expect(asked).toEqual([
    [{ scenario: { seed: 3 }, dataDir: '/data' }, limits, 'x=1 seed 3'],
    [{ scenario: { seed: 3 } }, limits, 'seed 3'],
  ])
  await crew.close()
  expect(closed).toBe(1)
})
