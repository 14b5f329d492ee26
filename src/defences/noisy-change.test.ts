import { describe, expect, test } from 'vitest'
import type { TurnContext } from '../federation/hooks.js'
import { rng } from '../numeric/random/rng.js'
import type { Update } from '../transcript/round-messages.js'
import { clippedUpdate, noised } from './noisy-change.js'

const of = (...values: number[]) => Float64Array.from(values)
const at = { received: of(10, 20), learningRate: 0.5 } as TurnContext
// The same change of (3, -4), as each kind of message has it.
const messages: readonly Update[] = [
  { kind: 'parameters', theta: of(13, 16) },
  { kind: 'delta', dTheta: of(3, -4) },
  { kind: 'gradient', grad: of(-6, 8) },
]
const halved: readonly Update[] = [
  { kind: 'parameters', theta: of(11.5, 18) },
  { kind: 'delta', dTheta: of(1.5, -2) },
  { kind: 'gradient', grad: of(-3, 4) },
]

describe('a change', () => {
  test('longer than the norm is shortened to it, in every kind of message', () => {
    for (const [k, update] of messages.entries()) expect(clippedUpdate(update, at, { maxNorm: 2.5 })).toEqual(halved[k])
  })

  test('of the norm, or shorter, is sent as it is', () => {
    for (const maxNorm of [5, 9])
      for (const update of messages) expect(clippedUpdate(update, at, { maxNorm })).toEqual(update)
    const still = { kind: 'delta', dTheta: of(0, 0) } as const
    expect(clippedUpdate(still, at, { maxNorm: 1 })).toEqual(still)
  })

  test('is worked on after it was shortened', () => {
    const map = (change: Float64Array) => change.map((x) => x + 1)
    expect(clippedUpdate(messages[1]!, at, { maxNorm: 2.5, map })).toEqual({ kind: 'delta', dTheta: of(2.5, -1) })
    expect(clippedUpdate(messages[1]!, at, { maxNorm: 9, map })).toEqual({ kind: 'delta', dTheta: of(4, -3) })
  })
})

test('noise is of its own for each coordinate, and of the deviation asked for', () => {
  const values = of(1, 2, 3)
  const noise = rng('noise').normals(3, { std: 1 })
  const found = noised(values, { rng: rng('noise') }, 4)
  for (const [j, x] of values.entries()) expect(found[j]!).toBeCloseTo(x + 4 * noise[j]!, 12)
  expect([...noised(values, { rng: rng('noise') }, 0)]).toEqual([1, 2, 3])
  expect([...values]).toEqual([1, 2, 3])
})
