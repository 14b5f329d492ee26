import { describe, expect, test } from 'vitest'
import { protocolOf } from '../../../test/label-views.js'
import { rng } from '../../numeric/random/rng.js'
import { heardIn, unknownIn } from './heard-protocol.js'
import type { Recipe } from './replayed-turn.js'

const stated = (change: object = {}): Recipe => ({ ...protocolOf({ share: 'delta', learningRate: 0.1, localSteps: 1 }), ...change }) // biome-ignore format: one line
const noise = (seed: number, n = 40) => rng(seed).normals(n)

/** What values betray to somebody who cannot play a turn over. */
function betrayed(changes: readonly Float64Array[], protocol = stated(), theta?: Float64Array) {
  const turns = changes.map((change, round) => ({ round, theta: theta ?? new Float64Array(change.length), change, learningRate: 0.1 })) // biome-ignore format: one line
  return heardIn({ protocol } as never, turns, { rng: rng(1) })
}
const nothing = 'nothing is known to play turns over with: only what values betray by themselves is told'

test('of values that lie anywhere nothing is told, and nothing is sure', () => {
  const found = betrayed([noise(1), noise(2)])
  expect(found).toMatchObject({ p: null, heardP: null, excess: null, pace: { by: 'statement', first: 1, now: 1 } })
  expect(found.evidence).toEqual([nothing])
  expect(found.stated).toEqual(stated())
  expect(found.heard).toEqual({
    ...stated(),
    ...{ optimizer: { name: 'sgd' }, weightDecay: 0, clipNorm: null, dropLast: false, compression: null },
  })
  expect(betrayed([]).evidence).toEqual([nothing])
})

test('what is stated stays as it is stated', () => {
  const more = { optimizer: { name: 'rmsprop' }, weightDecay: 0.1, clipNorm: 2, dropLast: true }
  expect(betrayed([noise(1), noise(2)], stated(more)).heard).toMatchObject(more)
})

describe('values that were cut or rounded', () => {
  const topK = (seed: number) => noise(seed).map((v, _, all) => (Math.abs(v) >= [...all].map(Math.abs).sort((a, b) => b - a)[3]! ? v : 0)) // biome-ignore format: one line
  const sparse = [1, 2, 3].map(topK)
  const step = 1 / 64
  const lattice = [1, 2].map((seed) => noise(seed).map((v, j) => (j === 0 ? 127 : Math.round((v / 4) * 127)) * step))

  test('are heard as such', () => {
    const found = betrayed(sparse)
    expect(found.heard.compression).toEqual({ kind: 'top-k', share: 0.1 })
    expect(found.evidence[0]).toBe('every message holds 10 % of the values and no small ones: top-k')
    const rounded = betrayed(lattice).heard.compression as { kind: string; bits: number }
    expect(rounded.kind).toBe('quantised')
    expect(betrayed(lattice).evidence[0]).toBe(`all values lie on a lattice of ${rounded.bits} bits`)
  })

  test('are as they are stated, where that is the kind that is heard', () => {
    const compression = { kind: 'top-k', share: 0.25 }
    expect(betrayed(sparse, stated({ compression })).heard.compression).toEqual(compression)
    expect(betrayed(lattice, stated({ compression })).heard.compression?.kind).toBe('quantised')
    expect(betrayed([noise(1), noise(2)], stated({ compression })).heard.compression).toBeNull()
  })

  test('are looked at beside the model where that is what is sent', () => {
    const far = new Float64Array(40).fill(1e6)
    expect(betrayed(lattice, stated({ share: 'parameters' }), far).heard.compression).toBeNull()
    expect(betrayed(lattice, stated(), far).heard.compression?.kind).toBe('quantised')
  })
})

describe('changes of about one size in all coordinates', () => {
  /** The largest is 1, the others are this. */
  const even = (size: number, n = 41) => Float64Array.from({ length: n }, (_, j) => (j === 0 ? 1 : (j % 2 ? -1 : 1) * size * (1 + 0.1 * noise(3, n)[j]!))) // biome-ignore format: one line

  test('are those of an adaptive optimizer', () => {
    const found = betrayed([even(0.6)])
    expect(found.heard.optimizer).toEqual({ name: 'adam' })
    expect(found.evidence[1]).toMatch(/^changes have about one size in all coordinates \(0\.\d+ of the largest\): adam/)
    expect(betrayed([even(0.45)]).heard.optimizer).toEqual({ name: 'sgd' })
    // Most messages say it.
    expect(betrayed([even(0.6), even(0.6), even(0.2)]).heard.optimizer).toEqual({ name: 'adam' })
    expect(betrayed([even(0.6), even(0.2), even(0.2)]).heard.optimizer).toEqual({ name: 'sgd' })
  })

  test('are not looked for where gradients are shared, or nothing has changed', () => {
    expect(betrayed([even(0.6)], stated({ share: 'gradient' })).heard.optimizer).toEqual({ name: 'sgd' })
    expect(betrayed([new Float64Array(5)]).heard.optimizer).toEqual({ name: 'sgd' })
  })
})

test('what a recording leaves out is told by name', () => {
  const whole = { optimizer: null, weightDecay: 0, clipNorm: null, dropLast: false, compression: null, schedule: null }
  expect(unknownIn(stated(whole))).toEqual([])
  expect(unknownIn(stated())).toEqual(['optimizer', 'weightDecay', 'clipNorm', 'dropLast', 'compression', 'schedule'])
  expect(unknownIn(stated({ ...whole, learningRate: null }))).toEqual(['learningRate'])
  expect(unknownIn(stated({ ...whole, learningRate: null, share: 'gradient' }))).toEqual([])
})
