import { expect, test } from 'vitest'
import { attackOn, only } from '../../../../test/attack-context.js'
import { madeUpdate } from '../../../../test/regression-view.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import { regressionLabel } from './regression-label.js'

const model = { kind: 'mlp', inputs: 3, hidden: [6], outputs: 1, activation: 'tanh', outputActivation: 'identity', bias: true } // biome-ignore format: one line
const made = (localSteps: number, change: object = {}) => {
  const features = matrix(1, 3, rng(1).normals(3))
  const protocol = { localSteps, learningRate: 0.02 }
  return madeUpdate({ model, features, labels: Float64Array.of(1.75), share: 'parameters', protocol, ...change }).view
}

test('a label is traced through the steps of a turn, but not through more than can be done again', async () => {
  const { value } = only(await attackOn(regressionLabel, made(4)), 'label')
  expect(value).toBeCloseTo(1.75, 9)
  const view = made(4)
  const stated = (localSteps: number) => ({ ...view, protocol: { ...view.protocol, localSteps } })
  expect(await attackOn(regressionLabel, stated(20_001))).toMatchObject({
    status: 'not-applicable',
    missing: ['a single local step'],
    why: expect.stringContaining('20001 local steps are more than can be traced'),
  })
  // Another number of steps does not explain the message.
  expect(await attackOn(regressionLabel, stated(5))).toMatchObject({
    missing: ['a protocol that explains the update'],
  })
})
