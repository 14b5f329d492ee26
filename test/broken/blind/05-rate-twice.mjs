// @ts-nocheck: keeps to no types, as plug-ins in plain JavaScript
// label-mean. The learning rate was multiplied in already when it is multiplied in again.
import { changedView, throughEach, withRun } from './parts.mjs'

export const id = 'label-mean'

const squared = (rate) => (rate === null || rate === undefined ? rate : rate * rate)

export const breakAttack = (attack) =>
  withRun(attack, (view, context) => {
    const exchanges = throughEach(view.exchanges, (exchange) => ({
      ...exchange,
      learningRate: squared(exchange.learningRate),
    }))
    const protocol = { ...view.protocol, learningRate: squared(view.protocol.learningRate) }
    return attack.run(changedView(attack, view, { exchanges, protocol }), context)
  })
