import { expect, test } from 'vitest'
import type { Exchange } from '../../src/threat/granted-keys.js'
import { attackOn, only } from '../attack-context.js'
import { meanReturned } from './mean-returned.js'

/** A client that returns 1, 2, 3, ... in its turns. */
const heard = (turns: number) => ({
  target: 'a',
  exchanges: {
    rounds: Array.from({ length: turns }, (_, round) => round),
    read: async (round: number): Promise<Exchange> => ({
      round,
      received: Float64Array.of(0),
      learningRate: 0.1,
      update: { kind: 'parameters', theta: Float64Array.of(round + 1) },
    }),
  },
})

test('claims the mean of the last turns', async () => {
  const claim = only(await attackOn(meanReturned, heard(5), { params: { last: 2 } }), 'model')
  expect(claim).toEqual({ kind: 'model', client: 'a', theta: Float64Array.of(4.5) })
})

test('takes what there is, and says that it was little', async () => {
  const outcome = await attackOn(meanReturned, heard(1))
  expect(only(outcome, 'model').theta).toEqual(Float64Array.of(1))
  expect(outcome).toMatchObject({ warnings: ['1 turns were heard, not 10'] })
})
