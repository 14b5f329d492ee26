// @ts-nocheck: keeps to no types, as plug-ins in plain JavaScript
// dlg. Gradients of made-up records are taken at the last model that was kept, not at the one of the attacked round.
import { changedView, throughEach, withRun } from './parts.mjs'

export const id = 'dlg'

export const breakAttack = (attack) =>
  withRun(attack, (view, context) => {
    const last = view.exchanges.rounds.at(-1)
    const exchanges = throughEach(view.exchanges, async (exchange, _, read) => {
      const { received: kept } = await read(last)
      const { received, update } = exchange
      if (received === undefined || kept === undefined || update.kind !== 'parameters')
        return { ...exchange, received: kept }
      // The difference itself is right: it was made while the model was still there.
      return {
        ...exchange,
        received: kept,
        update: { kind: 'delta', dTheta: update.theta.map((v, j) => v - received[j]) },
      }
    })
    return attack.run(changedView(attack, view, { exchanges }), context)
  })
