import { expect, test } from 'vitest'
import { protocolOf } from '../../../../../test/label-views.js'
import { travelled } from './plain-steps.js'

/** Steps along a gradient of 1, one after the other. */
function walked(eta: number, K: number, m: number): number {
  let [velocity, way] = [0, 0]
  for (let k = 0; k < K; k++) {
    velocity = m * velocity + 1
    way += eta * velocity
  }
  return way
}

test.each([0, 0.25, 0.9, 1, 1.5])('a turn goes as far as its steps with a momentum of %d', (momentum) => {
  for (const K of [1, 2, 7])
    for (const eta of [0.5, 2])
      expect(travelled(eta, K, protocolOf({ momentum })) / walked(eta, K, momentum)).toBeCloseTo(1, 12)
})

test('a proximal pull shortens it by the half of what it would take over the whole way', () => {
  expect(travelled(0.5, 4, protocolOf({ proxMu: 0.25 }))).toBe(2 / 1.25)
  expect(travelled(0.5, 1, protocolOf({ proxMu: 2, momentum: 1 }))).toBe(0.5 / 1.5)
})
