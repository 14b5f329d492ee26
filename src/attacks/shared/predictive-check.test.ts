import { describe, expect, test } from 'vitest'
import { rng } from '../../numeric/random/rng.js'
import { checkedFit } from './predictive-check.js'
import { type Heard, judged } from './recipe-fit.js'
import type { Recipe } from './replayed-turn.js'

const [d, rounds, plays] = [30, 16, 40]
const draws = rng(7)
const way = draws.fork('way').normals(d, { mean: 3, std: 1 })

/** A turn: the same way, what this play has wrong in all turns alike, and draws of its own. */
const turn = (who: number, t: number, { wrong = 0.5, drawn = 0.3 } = {}): Float64Array => {
  const alike = draws.fork('wrong', who).normals(d)
  const own = draws.fork('drawn', who, t).normals(d)
  return way.map((v, j) => v + wrong * alike[j]! + drawn * own[j]!)
}

/** Messages beside plays as above. */
function checked(message: (t: number) => Float64Array, options: { readonly fitted?: boolean } = {}) {
  const theta = draws.fork('theta').normals(d)
  const turns = Array.from({ length: rounds }, (_, t) => ({ round: t, theta, change: message(t), learningRate: null }))
  const stage: Heard = { turns, parts: [[0, d]], rng: rng(1) }
  const played = turns.map((_, t) => Array.from({ length: plays }, (_, k) => turn(k, t)))
  return checkedFit(stage, judged(stage, {} as Recipe, { plays: played, noiseVar: 0 }), options)
}

describe('messages are like plays', () => {
  test('where they are one more of them', () => expect(checked((t) => turn(100, t)).p).toBeGreaterThan(0.05))
  test('and are not where draws are wider, or narrower: turns differ by it, whatever the records are', () => {
    for (const drawn of [0.5, 0.2]) {
      const { p, by } = checked((t) => turn(101, t, { drawn }))
      expect(p).toBeLessThan(1e-4)
      expect(by).toBe('how changes differ from turn to turn')
    }
  })
})

test('one odd turn is a reason to doubt a statement, and none to doubt what was inferred from all', () => {
  const odd = (t: number) => (t === 5 ? turn(102, t, { drawn: 8 }) : turn(102, t))
  expect(checked(odd).p).toBeLessThan(0.005)
  expect(checked(odd, { fitted: true }).p).toBeGreaterThan(checked(odd).p)
  expect(checked((t) => turn(102, t, { drawn: 2 }), { fitted: true }).p).toBeLessThan(0.002)
})
