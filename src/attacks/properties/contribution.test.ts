import { expect, test } from 'vitest'
import { doubtsOf } from './contribution.js'

test('clients who are never apart and sums that are all noise are told', () => {
  const [apart, noisy] = ['2 clients cannot be told apart by these rounds', 'the sums hardly show that clients differ']
  expect(doubtsOf(0, 100)).toEqual([])
  expect(doubtsOf(2, 100)).toEqual([apart])
  expect(doubtsOf(1, 300)).toEqual(['1 clients cannot be told apart by these rounds', noisy])
  expect(doubtsOf(0, Number.POSITIVE_INFINITY)).toEqual([noisy])
})
