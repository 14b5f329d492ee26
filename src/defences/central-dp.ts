/** Client-level privacy at the server: changes are clipped, and noise is on their sum: it protects from whoever sees the model alone. */
import { defineDefence } from './defence-entry.js'
import { clientPrivacyParams, clippedUpdate, noised } from './noisy-change.js'

export const centralDpEntry = defineDefence({
  id: 'central-dp',
  title: "client-level differential privacy at the server: clients' changes clipped, noise on their sum",
  params: clientPrivacyParams,
  create: ({ maxNorm, noiseMultiplier, delta }) => ({
    turn: (update, at) => clippedUpdate(update, at, { maxNorm }),
    aggregate(sum) {
      // A client moves the weighted sum by its weight times C at most: noise is scaled to the largest weight of the round.
      const most = Math.max(0, ...sum.weights.values())
      return { dThetaSum: noised(sum.dThetaSum(), sum, noiseMultiplier * maxNorm * most) }
    },
    protocol: {
      differentialPrivacy: {
        mechanism: 'central-dp',
        unit: 'client',
        sampling: 'none',
        maxNorm,
        noiseMultiplier,
        delta,
      },
    },
  }),
})
