import { expect, test } from 'vitest'
import { rng } from '../../../numeric/random/rng.js'
import { drawTails } from './gibbs-nuisances.js'
import type { Walk } from './gibbs-walk.js'

/** One round whose residual is e, and what is drawn of how far it is out of the ordinary. */
function tailAt(e: number, spread: number, seed: number): number {
  const model = { measured: Float64Array.of(1), spread: Float64Array.of(spread), rounds: 1 }
  const tail = Float64Array.of(-1)
  const walk = { model, tail, e: Float64Array.of(e), V: Float64Array.of(0), rho: 0, extra: 0, rng: rng(seed) }
  drawTails(walk as unknown as Walk)
  return tail[0]!
}

test('a round that is far out is one of the widest, however far, and one in the middle is not', () => {
  for (const spread of [0.1, 1, 50]) {
    for (const e of [200, 3e3, 1e5]) expect(tailAt(e * Math.sqrt(spread), spread, 1)).toBe(30)
  }
  const middle = Array.from({ length: 50 }, (_, seed) => tailAt(0.1, 1, seed))
  expect(middle.filter((value) => value === 0).length).toBeGreaterThan(40)
})
