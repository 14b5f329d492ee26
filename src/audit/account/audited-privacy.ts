/** What an audit says of differential privacy beside its attacks: the epsilon that is claimed, what the noise really gives, what canaries show. */
import { OverhearError } from '../../errors.js'
import type { Scenario } from '../../scenario/scenario-schema.js'
import type { PrivacyFacts } from '../document.js'
import type { AuditFiles } from '../ports.js'
import { measuredEpsilon } from './measured.js'
import { scenarioSetup } from './scenario-setup.js'
import type { Setup } from './setup.js'
import { clientsSpent } from './spent.js'
import { meaning } from './spent-words.js'

/** Compositions that are computed at most: a client of the same size and as many turns spends the same. */
const most = 12

/** undefined where nobody states differential privacy. */
export function privacyFacts(setup: Setup): PrivacyFacts | undefined {
  const { privacy } = setup
  if (privacy === null) return undefined
  const unlike = new Map(setup.clients.map((one) => [`${one.records} ${one.turns}`, one]))
  const chosen = [...unlike.values()].sort((a, b) => b.turns - a.turns).slice(0, most)
  const about = {
    mechanism: privacy.mechanism,
    unit: privacy.unit ?? 'record',
    claimed: privacy.epsilon ?? null,
    delta: privacy.delta,
  } as const
  const counted = unlike.size <= most ? setup.clients.length : chosen.length
  const clients = [counted, setup.clients.length] as const
  try {
    const [worst] = clientsSpent({ ...setup, clients: chosen })
    if (worst === undefined) return { ...about, accounted: null, client: null, clients, why: 'there are no clients' }
    const means = meaning(worst, about.unit)
    return {
      ...about,
      delta: worst.delta,
      accounted: worst.epsilon,
      client: worst.client,
      clients,
      means,
      advantage: worst.advantage,
    }
  } catch (error) {
    if (!(error instanceof OverhearError)) throw error
    return { ...about, accounted: null, client: null, clients, why: error.message }
  }
}

/** Canaries of an audit, and how sure the bound is that they give. */
const canaries = 300
const confidence = 0.95

/** The same of a scenario; with controls, one more training says what its noise lets through at least. */
export async function scenarioPrivacy(scenario: Scenario, files: AuditFiles): Promise<PrivacyFacts | undefined> {
  if (scenario.defences.length === 0) return undefined
  const setup = await scenarioSetup(scenario, { files, raw: {} })
  const facts = privacyFacts(setup)
  if (facts === undefined) return undefined
  if (!scenario.controls) return { ...facts, notMeasured: 'the scenario asks for no controls' }
  try {
    const options = { files, canaries, confidence, seed: scenario.seed }
    const { epsilon, accounted } = await measuredEpsilon(scenario, setup, options)
    return { ...facts, empirical: { epsilon, confidence, canaries, accounted: accounted.epsilon } }
  } catch (error) {
    if (!(error instanceof OverhearError)) throw error
    return { ...facts, notMeasured: error.message }
  }
}

/** Canaries are trained with: a recording has none. */
export function recordedPrivacy(setup: Setup): PrivacyFacts | undefined {
  const facts = privacyFacts(setup)
  return facts && { ...facts, notMeasured: 'canaries are put into a training, and this is a recording' }
}
