/** [aia] Section 6: under classification a returned model says what the label says; the messages say more. */
import { expect, test } from 'vitest'
import { attackOn, only } from '../../../test/attack-context.js'
import { accuracy, world } from '../../../test/attribute-world.js'
import { lastReturned } from '../local-model/last-returned.js'
import { aiaLinear } from './aia-linear.js'
import { aiaModel } from './aia-model.js'

const mlp = { kind: 'mlp', inputs: 4, outputs: 1, hidden: [16], outputActivation: 'sigmoid' } as const
const models = [{ kind: 'logistic', inputs: 4, outputs: 1 } as const, mlp]

test.each(models)(
  '$kind: the rule by the label alone is all that the model says, and aia-linear is above it',
  async (model) => {
    const shares = { model: 0, linear: 0, agreement: 0 }
    for (const seed of [1, 2, 3]) {
      const options = {
        model,
        loss: 'binary-cross-entropy',
        records: 60,
        rounds: 30,
        batchSize: 16,
        effect: 0.6,
        seed,
      } as const
      const w = world(options)
      const claims = { 'last-returned': await attackOn(lastReturned, w.view) }
      const byModel = await attackOn(aiaModel, w.view, { claims })
      if (byModel.status !== 'claimed') throw new Error(JSON.stringify(byModel))
      const [rule] = byModel.details.labelOnly as unknown as [{ agreement: number }]
      shares.agreement += rule.agreement / 3
      shares.model += accuracy(only(byModel, 'attribute').values, w.true[0]!) / 3
      const byMessages = await attackOn(aiaLinear, w.view)
      shares.linear += accuracy(only(byMessages, 'attribute').values, w.true[0]!) / 3
    }
    expect(shares.agreement).toBeGreaterThan(model.kind === 'logistic' ? 0.999 : 0.75)
    expect(shares.linear).toBeGreaterThan(shares.model + (model.kind === 'logistic' ? 0.1 : 0.3))
  },
)
