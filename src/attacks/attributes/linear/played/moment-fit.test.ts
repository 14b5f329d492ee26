import { describe, expect, test } from 'vitest'
import { problemIn } from '../../../../../test/attribute-problem.js'
import { several, type WorldOptions, world } from '../../../../../test/attribute-world.js'
import { engine } from '../../../../numeric/engine/engine.js'
import { type MomentFit, momentFit } from './moment-fit.js'

const turn = { batchSize: null, localEpochs: 4, noise: 1, records: 20, rounds: 12, precision: 'f32' } as const

/** |A p - y|^2 over the equations, for who has which value. */
function left({ A, y }: MomentFit, guesses: ArrayLike<number>): number {
  const n = guesses.length
  let sum = 0
  for (let e = 0; e < A.rows; e++) {
    let x = -y[e]!
    for (let i = 0; i < n; i++) if (guesses[i]! > 0) x += A.data[e * A.cols + (guesses[i]! - 1) * n + i]!
    sum += x * x
  }
  return sum / A.rows
}

describe.each<[string, WorldOptions, number]>([
  // Four columns, a constant and the label beside the secret column; its square follows from itself.
  ['two values', {}, 6],
  ['no constant behind the weights', { model: { kind: 'linear', inputs: 4, outputs: 1, bias: false } }, 6],
  ['double precision', { precision: 'f64' }, 6],
  ['one step', { localEpochs: 1, rounds: 8 }, 6],
  ['a loss that is halved elsewhere, and another rate', { learningRate: 0.01, rounds: 20 }, 6],
])('%s', (_, options, most) => {
  test('the right values solve the equations, and others do not', async () => {
    const w = world({ ...turn, ...options })
    const problem = await problemIn(w)
    const before = engine().inUse()
    const fit = momentFit(problem)!
    expect(engine().inUse()).toBe(before)
    expect(fit.A.rows).toBeLessThanOrEqual(most)
    expect(fit.coarse).toBe(options.precision !== 'f64')
    expect(fit.excess).toBeLessThan(5)
    const truth = Int32Array.from(w.true[0]!)
    // A sixteenth of the noise's square is what an equation takes; rounding is not quite independent.
    expect(left(fit, truth)).toBeLessThan(0.3)
    for (const i of truth.keys()) {
      const other = truth.slice()
      other[i] = 1 - truth[i]!
      expect(left(fit, other)).toBeGreaterThan(100)
    }
  })
})

test('several attributes of several values: three combinations of a record move more of the moments', async () => {
  const w = world({ ...turn, sensitive: several, model: { kind: 'linear', inputs: 6, outputs: 1 } })
  const fit = momentFit(await problemIn(w))!
  const truth = Int32Array.from(w.true[0]!, (s, i) => 3 * s + w.true[1]![i]!)
  expect(left(fit, truth)).toBeLessThan(0.3)
  expect(fit.A.cols).toBe(5 * 20)
  expect(fit.A.rows).toBeGreaterThan(6)
})

test('records that were not trained on have no moments that explain the messages', async () => {
  const [w, others] = [world(turn), world({ ...turn, seed: 7 })]
  const view = { ...w.view, records: others.view.records, 'records.label': others.view['records.label'] }
  const fit = momentFit(await problemIn({ view }))
  expect(fit === undefined || fit.excess > 100).toBe(true)
})
