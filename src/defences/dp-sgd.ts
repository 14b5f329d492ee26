/** DP-SGD as a defence: each record's gradient clipped, noise on their sum; the step is models/private-step.ts. [abadi2016] Alg. 1 */
import { OverhearError } from '../errors.js'
import type { Defence } from '../federation/hooks.js'
import { number } from '../params.js'
import { defineDefence } from './defence-entry.js'

export const dpSgdEntry = defineDefence({
  id: 'dp-sgd',
  title: 'record-level differential privacy: clipped gradients and noise in every local step',
  paper: 'abadi2016',
  params: {
    maxNorm: number({ default: 1, min: 1e-12, doc: 'C: the longest gradient that a record may have' }),
    noiseMultiplier: number({
      default: 1,
      min: 0,
      orNull: 'the least with which every client keeps to epsilon',
      doc: 'sigma: the noise has deviation sigma C',
    }),
    epsilon: number({
      default: null,
      above: 0,
      orNull: 'no figure is claimed',
      doc: 'epsilon that is claimed of every record, and written into the recording; without a noiseMultiplier the noise follows from it',
    }),
    sampleRate: number({
      default: 0,
      min: 0,
      max: 1,
      doc: 'q: batches hold each record with this probability; 0: batches of fixed size, for which no epsilon is claimed',
    }),
    delta: number({ default: 1e-5, min: 0, max: 1, doc: 'delta that is written into the recording' }),
  },
  create({ maxNorm, noiseMultiplier, epsilon, sampleRate, delta }): Defence {
    if (noiseMultiplier === null) {
      const hint = 'audit, simulate and account compute it; elsewhere give a noiseMultiplier'
      throw new OverhearError('E_INPUT', 'dp-sgd: the noise that epsilon asks for is not computed yet', hint)
    }
    const sampling = sampleRate > 0 ? { sampleRate } : {}
    const claimed = epsilon === null ? {} : { epsilon, accountant: 'privacy-losses' }
    const drawn = sampleRate > 0 ? ({ sampling: 'poisson', neighbours: 'add-remove' } as const) : {}
    return {
      name: 'dp-sgd',
      step: { maxNorm, noiseMultiplier, ...sampling },
      protocol: {
        differentialPrivacy: {
          mechanism: 'dp-sgd',
          unit: 'record',
          maxNorm,
          noiseMultiplier,
          delta,
          ...sampling,
          ...drawn,
          ...claimed,
        },
      },
    }
  },
})
