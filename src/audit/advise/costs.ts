/** What a scenario takes and promises, before it runs: messages, steps, epsilon. */
import { clientsIn } from '../../federation/sampling/sampling.js'
import type { Scenario } from '../../scenario/scenario-schema.js'
import { type Setup, stepsOfTurn } from '../account/setup.js'
import { clientsSpent } from '../account/spent.js'
import { meaning } from '../account/spent-words.js'
import type { Cost, Promised } from './tried.js'

export function costOf({ training: { rounds, sampling } }: Scenario, setup: Setup): Cost {
  const steps = setup.clients.map(({ records }) => stepsOfTurn(setup, records))
  const known = steps.every((one) => one !== null)
  const share = shareOf(sampling, setup.clients.length)
  return {
    messages: share === null ? null : 2 * rounds * share,
    localSteps: known && steps.length > 0 ? rounds * Math.max(...(steps as number[])) : null,
  }
}

/** The share of the rounds that a client takes part in, on the average. */
function shareOf({ name, params }: Scenario['training']['sampling'], count: number): number | null {
  if (name === 'all') return 1
  const { fraction } = params as { readonly fraction?: unknown }
  if (typeof fraction !== 'number') return null
  return name === 'fraction' && count > 0 ? clientsIn(fraction, { count }) / count : fraction
}

/** Of the client that spends most; null where no noise is stated. */
export function promisedBy(setup: Setup): Promised | null {
  if (setup.privacy === null || !((setup.privacy.noiseMultiplier ?? 0) > 0)) return null
  const [worst] = clientsSpent(setup)
  if (worst === undefined) return null
  return { epsilon: worst.epsilon, delta: worst.delta, means: meaning(worst, setup.privacy.unit ?? 'record') }
}
