/**
 * Client-level privacy inside secure sums: each client clips its change and adds its part of the noise to the whole numbers that
 * are masked, so that nobody, the server included, ever has less than the noise of the sum. [kairouz2021b]
 */
import { OverhearError } from '../errors.js'
import { type ValuesOf, whole } from '../params.js'
import { defineDefence } from './defence-entry.js'
import { clientPrivacyParams } from './noisy-change.js'
import { clientSideOf, secureAggregation, secureAggregationParams } from './secure-aggregation.js'

const params = {
  ...secureAggregationParams,
  ...clientPrivacyParams,
  sharers: whole({
    default: 3,
    min: 3,
    doc: 'clients whose noise together is sigma C: as few as a sum may have, less those in league with the server',
  }),
} as const

/** Deviations of the noise that must fit between a sum and where it would wrap. */
const room = 8

/** Whole numbers beyond the clip would wrap, and the sum mean something else. */
function checkRoom({ clip, maxNorm, noiseMultiplier, sharers }: ValuesOf<typeof params>): void {
  const needed = maxNorm + (room * noiseMultiplier * maxNorm) / sharers
  if (clip >= needed) return
  const found = `defence distributed-dp: clip is ${clip} with noise of ${noiseMultiplier} x ${maxNorm} among ${sharers}`
  throw new OverhearError('E_VALUE', found, `at least ${Number(needed.toPrecision(3))} is needed, or sums may wrap`)
}

function checkSharers({ server, least, sharers }: ValuesOf<typeof params>): void {
  const fewest = server === 'malicious' ? least : 3 // sums of fewer are not made
  if (sharers <= fewest) return
  const found = `defence distributed-dp: ${sharers} sharers, and a sum may have ${fewest} clients`
  throw new OverhearError('E_VALUE', found, 'noise would be missing from such a sum: set least, or fewer sharers')
}

export const distributedDpEntry = defineDefence({
  id: 'distributed-dp',
  title:
    'client-level differential privacy inside secure sums: changes clipped, each client adds its part of the noise',
  paper: 'kairouz2021b',
  params,
  create(values) {
    const { maxNorm, noiseMultiplier, delta, sharers, ...rest } = values
    checkRoom(values)
    checkSharers(values)
    const { protocol, exchange } = secureAggregation({ ...rest, noise: { maxNorm, noiseMultiplier, sharers } })
    return {
      exchange: exchange!,
      protocol: {
        ...protocol,
        differentialPrivacy: {
          mechanism: 'distributed-dp',
          unit: 'client',
          sampling: 'none',
          neighbours: 'add-remove',
          accountant: 'zCDP of sums of discrete Gaussians',
          maxNorm,
          noiseMultiplier,
          delta,
        },
      },
    }
  },
  clientSide: clientSideOf,
})
