/** What an audit says of differential privacy beside its attacks: the epsilon that is claimed, and what the noise really gives. */
import { OverhearError } from '../../errors.js'
import type { PrivacyFacts } from '../document.js'
import type { Setup } from './setup.js'
import { clientsSpent } from './spent.js'

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
    return { ...about, delta: worst.delta, accounted: worst.epsilon, client: worst.client, clients }
  } catch (error) {
    if (!(error instanceof OverhearError)) throw error
    return { ...about, accounted: null, client: null, clients, why: error.message }
  }
}
