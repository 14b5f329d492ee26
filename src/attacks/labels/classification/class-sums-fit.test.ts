import { describe, expect, test } from 'vitest'
import { attackOn } from '../../../../test/attack-context.js'
import { mlpSpec, modelView, protocolOf, type UpdateViewForTest } from '../../../../test/label-views.js'
import { initialise } from '../../../models/initialise.js'
import { mlp } from '../../../models/mlp.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { rng } from '../../../numeric/random/rng.js'
import type { Protocol } from '../../../transcript/manifest.js'
import { carrying } from '../../shared/attacked-update.js'
import { ilrg } from './ilrg.js'
import { llg } from './llg.js'
import { llgPlus } from './llg-plus.js'
import { llgStar } from './llg-star.js'

const model = mlpSpec({ inputs: 6, hidden: [9], outputs: 4 })
const theta = initialise(mlp(model), rng(4))
const features = matrix(12, 6, rng(5).normals(72))
const labels = Float64Array.from({ length: 12 }, (_, i) => i % 3)
const auxiliary = { columns: ['a', 'b', 'c', 'd', 'e', 'f'], features }
const plain = (learningRate = 0.1): UpdateViewForTest => ({
  ...modelView({ model, theta, batch: { features, labels }, step: { kind: 'delta', learningRate } }),
  auxiliary,
  'auxiliary.label': labels,
})

/** The same, its gradient changed on the way. */
function changed(by: (grad: Float64Array) => Float64Array): UpdateViewForTest {
  const view = plain()
  const read = async (round: number) => {
    const one = await view.exchanges.read(round)
    return carrying(one, by((one.update as { dTheta: Float64Array }).dTheta.map((v) => -v)))
  }
  return { ...view, exchanges: { ...view.exchanges, read } }
}

const stating = (view: UpdateViewForTest, own: Partial<Protocol>): UpdateViewForTest => ({
  ...view,
  protocol: protocolOf({ ...view.protocol, ...own }),
})

describe.each([
  ['llg', llg],
  ['llg-plus', llgPlus],
  ['llg-star', llgStar],
  ['ilrg', ilrg],
] as const)('%s', (_, attack) => {
  const fitOf = async (view: UpdateViewForTest) => {
    const outcome = await attackOn(attack, view)
    if (outcome.status !== 'claimed') throw new Error('nothing was claimed')
    return { p: outcome.fit?.p, warnings: outcome.warnings.join('; ') }
  }
  test('a plain step fits what is stated', async () => expect((await fitOf(plain())).p).toBe(1))
  test('an adaptive step does not', async () => {
    const { p, warnings } = await fitOf(changed((grad) => grad.map((g) => 0.1 * Math.sign(g))))
    expect(p).toBe(0)
    expect(warnings).toContain('where plain steps leave nothing')
  })
  test('nor does decay, unless it is stated: then nothing is said', async () => {
    const decayed = changed((grad) => grad.map((g, j) => g + 0.03 * theta[j]!))
    expect((await fitOf(decayed)).p).toBe(0)
    expect((await fitOf(stating(decayed, { weightDecay: 0.3 }))).p).toBeNull()
  })
})

test('a rate stated far too low: classes gain more than all records could give', async () => {
  const view = plain()
  const read = async (round: number) => ({ ...(await view.exchanges.read(round)), learningRate: 0.02 })
  const outcome = await attackOn(llg, { ...view, exchanges: { ...view.exchanges, read } })
  expect(outcome).toMatchObject({ fit: { p: 0 } })
  expect('warnings' in outcome && outcome.warnings.join()).toContain('the rate is not the stated one')
})
