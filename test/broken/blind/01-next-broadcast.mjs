// @ts-nocheck: keeps to no types, as plug-ins in plain JavaScript
// lmra-ols. Broadcasts are logged after the sum, so that each reply is paired with the model of the round that follows.
import { changedView, throughEach, withRun } from './parts.mjs'

export const id = 'lmra-ols'

export const breakAttack = (attack) =>
  withRun(attack, (view, context) => {
    const { rounds } = view.exchanges
    const exchanges = throughEach(view.exchanges, async (exchange, round, read) => {
      const next = rounds[rounds.indexOf(round) + 1]
      return next === undefined ? exchange : { ...exchange, received: (await read(next)).received }
    })
    return attack.run(changedView(attack, view, { exchanges }), context)
  })
