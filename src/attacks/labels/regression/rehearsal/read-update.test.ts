import { expect, test } from 'vitest'
import { protocolOf } from '../../../../../test/label-views.js'
import { matrix } from '../../../../numeric/linalg/matrix.js'
import { rng } from '../../../../numeric/random/rng.js'
import type { RegressionUpdate } from '../mean-gradient.js'
import type { RegressionHead } from '../regression-head.js'
import { readPlainly, readRehearsed } from './read-update.js'

const updateOf = (steps: number, ...grad: number[]) =>
  ({ round: 4, steps, grad: Float64Array.from(grad) }) as unknown as RegressionUpdate
const several = ['round 4 is 3 local steps: their mean gradient stands for the one at the model sent']

test('plainly: one step is exact, of several nobody knows how far they are off', () => {
  const [one, three] = [updateOf(1, 2), updateOf(3, 2)]
  expect(readPlainly(one)).toEqual({ update: one, error: 0, strays: [], explained: true, warnings: [] })
  expect(readPlainly(three)).toEqual({ update: three, error: null, strays: [], explained: true, warnings: several })
})

const rehearsed = (update: RegressionUpdate, dropout: number) =>
  readRehearsed(
    { model: { kind: 'opaque' }, loss: 'mse', protocol: protocolOf({ dropout }) },
    { head: {} as RegressionHead, update, features: matrix(2, 2), rng: rng(1) },
  )

test('nothing is rehearsed of an update of zeros', () => {
  const still = updateOf(1, 0, 0, -0)
  expect(rehearsed(still, 0)).toEqual(readPlainly(still))
  // Of this one it would be: the model must be known.
  for (const grad of [[0, 1], [1, 0], [1, 1]]) expect(() => rehearsed(updateOf(1, ...grad), 0)).toThrow('opaque') // biome-ignore format: one line
})

test('nothing is rehearsed where dropout was another in every step, and no error stated', () => {
  for (const steps of [1, 3]) {
    const update = updateOf(steps, 0, 1)
    expect(rehearsed(update, 0.5)).toEqual({ ...readPlainly(update), error: null })
  }
})
