/** The last global model as a claim: what everybody who hears broadcasts has. It fills rungs, and is no attack. */
import { claimed, defineAttack } from '../../attacks/attack.js'

export const globalModel = defineAttack({
  id: 'global-model',
  title: 'The last global model, as it was sent',
  target: 'model',
  needs: ['globals', 'target'],
  params: {},
  async run({ globals, target }) {
    const last = globals.rounds.at(-1)!
    return claimed({ kind: 'model', client: target, theta: await globals.read(last) })
  },
  plant: { none: 'it is no attack' },
  shuffle: { none: 'it is no attack' },
})
