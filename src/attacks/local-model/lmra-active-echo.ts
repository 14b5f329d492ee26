/** A malicious server that sends a client its own model back, so that it trains alone: the baseline of active attacks. */

import { claimed, defineAttack } from '../attack.js'
import { detectability, latestModel, recorded } from './active/active-line.js'
import { permutedChannel, plantedChannel } from './active/channel-controls.js'
import { emulateEcho } from './active/emulated-server.js'
import { activeRounds, roundsParam } from './active/sending-rounds.js'

export const lmraActiveEcho = defineAttack({
  id: 'lmra-active-echo',
  title: 'The client is sent its own model back, round after round',
  paper: 'aia',
  where: 'Section 4.2',
  target: 'model',
  needs: ['exchanges', 'target', 'tampered'],
  uses: ['channel', 'globals'],
  params: { rounds: roundsParam },
  async run(view, { params, tick }) {
    const { channel, target: client } = view
    if (channel === undefined) return recorded(view)
    const rounds = activeRounds(params.rounds)
    const { theta, sent, norms } = await emulateEcho({ channel, client, start: await latestModel(view), rounds, tick })
    return claimed(
      { kind: 'model', client, theta },
      {
        details: {
          messages: sent.length,
          rounds: rounds.length,
          firstUpdate: norms[0]!,
          lastUpdate: norms.at(-1)!,
          ...(await detectability(view, sent)),
        },
      },
    )
  },
  plant: (input) => plantedChannel(input),
  shuffle: (input) => permutedChannel(input),
})
