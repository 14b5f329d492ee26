/** The active attack as its paper tunes it: by the client's own training loss, which no server sees. */

import { claimed, Inapplicable } from '../../attacks/attack.js'
import { detectability, latestModel } from '../../attacks/local-model/active/active-line.js'
import { emulateAdam } from '../../attacks/local-model/active/emulated-server.js'
import { activeRounds, roundsParam } from '../../attacks/local-model/active/sending-rounds.js'
import { tuneAdam } from '../../attacks/local-model/active/tune-adam.js'
import { evaluable } from '../../attacks/shared/evaluable-model.js'
import { OverhearError } from '../../errors.js'
import { numbers, whole } from '../../params.js'
import { recordsOf } from './model-oracle.js'
import { defineOracle } from './oracle.js'

export const activeAdamOracle = defineOracle({
  id: 'lmra-active-adam-oracle',
  effort: 10,
  title: 'The active attack, its Adam tuned on the client’s own loss',
  paper: 'aia',
  where: 'Section 5.3, App. B.4',
  target: 'model',
  needs: ['exchanges', 'target', 'tampered', 'channel', 'model', 'loss', 'protocol'],
  uses: ['globals'],
  params: {
    rounds: roundsParam,
    trials: whole({ default: 50, min: 1, max: 1e5, doc: 'settings of Adam that are tried' }),
    rates: numbers({ default: [0.1, 50], min: 1e-12, doc: 'least and largest learning rate that is tried' }),
    betas: numbers({ default: [0.6, 0.999], min: 0, max: 0.999999, doc: 'least and largest beta1 and beta2' }),
  },
  async run(view, { params, rng, tick, truth }) {
    const { channel, target: client } = view
    const { trials, rates, betas } = params
    const rounds = activeRounds(params.rounds)
    const data = await recordsOf(truth, client)
    const functions = evaluable(view)
    const line = { channel, client, start: await latestModel(view), rounds, tick }
    if (channel.restart === undefined) throw new Inapplicable(['channel'], 'the channel cannot be started again')
    const objective = ({ theta }: { readonly theta: Float64Array }): number => {
      const loss = functions.loss(theta, data)
      if (Number.isFinite(loss)) return loss
      throw new OverhearError('E_NON_FINITE', `the client's loss is ${loss}`)
    }
    const tuned = await tuneAdam({ line, trials, rng: rng.fork('tuning'), objective, rates, betas })
    if (tuned === undefined) throw new OverhearError('E_NON_FINITE', `the client diverged in all ${trials} trials`)
    const { theta, sent } = await emulateAdam({ ...line, channel: channel.restart() }, tuned.setting)
    const told = { rounds: rounds.length, messagesInTrials: trials * rounds.length }
    const details = { ...told, ...tuned.setting, trials, failedTrials: tuned.failed, loss: tuned.value }
    return claimed({ kind: 'model', client, theta }, { details: { ...details, ...(await detectability(view, sent)) } })
  },
})
