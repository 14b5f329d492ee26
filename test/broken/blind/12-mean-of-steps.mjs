// @ts-nocheck: keeps to no types, as plug-ins in plain JavaScript
// protocol. A turn's change is divided by its number of steps, as if the client averaged them where it adds them up.
import { changedView, throughEach, withRun } from './parts.mjs'

export const id = 'protocol'

function stepsIn({ protocol: { localSteps, localEpochs, batchSize }, samples }) {
  if (localSteps) return localSteps
  const batches = batchSize && samples ? Math.ceil(samples / batchSize) : 1
  return Math.max(1, Math.round((localEpochs ?? 1) * batches))
}

export const breakAttack = (attack) =>
  withRun(attack, (view, context) => {
    const steps = stepsIn(view)
    const exchanges = throughEach(view.exchanges, (exchange) => {
      const { update, received } = exchange
      if (update.kind === 'gradient' || (update.kind === 'parameters' && received === undefined)) return exchange
      if (update.kind === 'delta')
        return { ...exchange, update: { ...update, dTheta: update.dTheta.map((v) => v / steps) } }
      const theta = update.theta.map((v, j) => received[j] + (v - received[j]) / steps)
      return { ...exchange, update: { ...update, theta } }
    })
    return attack.run(changedView(attack, view, { exchanges }), context)
  })
