/** Client-level privacy on the device: every change is clipped and hidden in noise before anybody sees it. */
import { defineDefence } from './defence-entry.js'
import { clientPrivacyParams, clippedUpdate, noised } from './noisy-change.js'

export const localDpEntry = defineDefence({
  id: 'local-dp',
  title: "client-level differential privacy on the device: a client's whole change clipped, noise on it",
  params: clientPrivacyParams,
  create: ({ maxNorm, noiseMultiplier, delta }) => ({
    turn: (update, at) =>
      clippedUpdate(update, at, { maxNorm, map: (change) => noised(change, at, noiseMultiplier * maxNorm) }),
    protocol: {
      differentialPrivacy: { mechanism: 'local-dp', unit: 'client', sampling: 'none', maxNorm, noiseMultiplier, delta },
    },
  }),
})
