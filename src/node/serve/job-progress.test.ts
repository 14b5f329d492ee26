import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Told } from '../tell-parent.js'
import { afterTold, freshJob } from './job-progress.js'

const found = (attack: string, trained: number, held: number) => ({ attack, about: 'x', metric: 'AUC', trained, held })

test('messages become the state that the page shows', () => {
  const told: Told[] = [
    { kind: 'training', number: 1, total: 2 },
    { kind: 'round', model: 'linear', round: 5, rounds: 10 },
    { kind: 'attacked', done: 1, total: 4, attack: 'a', found: found('a', 0.6, 0.5) },
    { kind: 'attacked', done: 2, total: 4, attack: 'b', found: found('b', 0.9, 0.5) },
    { kind: 'attacked', done: 2, total: 4, attack: 'c', found: null },
    { kind: 'remark', text: 'odd' },
  ]
  const job = told.reduce((state, one) => afterTold(state, one, 10), freshJob('run'))
  expect(job).toMatchObject({ lastAttack: 'c', attacks: { done: 2, total: 4 }, remarks: ['odd'] })
  expect(job.found.map(({ attack }) => attack)).toEqual(['b', 'a'])
  // A quarter of the training, and two of the eight attacks that two trainings make.
  expect(job.share).toBe(0.25)
  expect(job.secondsLeft).toBe(30)
})

test('the share of the work never falls, and stays between 0 and 1', () => {
  const message = fc.oneof(
    fc.record({
      kind: fc.constant('training' as const),
      number: fc.integer({ min: 1, max: 9 }),
      total: fc.constant(9),
    }),
    fc.record({
      kind: fc.constant('round' as const),
      model: fc.constant('m'),
      round: fc.integer({ min: 1, max: 20 }),
      rounds: fc.constant(20),
    }),
    fc.integer({ min: 1, max: 50 }).chain((total) =>
      fc.record({
        kind: fc.constant('attacked' as const),
        done: fc.integer({ min: 1, max: total }),
        total: fc.constant(total),
        attack: fc.constant('a'),
        found: fc.constant(null),
      }),
    ),
  )
  fc.assert(
    fc.property(fc.array(message, { maxLength: 40 }), (messages) => {
      let state = freshJob('run')
      for (const [k, one] of messages.entries()) {
        const next = afterTold(state, one, k)
        expect(next.share).toBeGreaterThanOrEqual(state.share)
        expect(next.share).toBeLessThanOrEqual(1)
        state = next
      }
    }),
  )
})
