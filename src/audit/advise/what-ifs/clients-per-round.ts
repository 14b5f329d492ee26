/** What if more clients, or fewer, took part in a round? */
import type { Scenario } from '../../../scenario/scenario-schema.js'
import { type Around, has, training, type WhatIf } from '../what-if.js'

/** The share of the clients that a round asks; null where that is no plain number. */
function shareIn({ training: { sampling } }: Scenario): number | null {
  if (sampling.name === 'all') return 1
  const { fraction, rate } = sampling.params as { readonly fraction?: unknown; readonly rate?: unknown }
  const share = fraction ?? rate
  return typeof share === 'number' ? share : null
}

const sums = 'secure-aggregation'

const vanish = ({ training: { dropouts } }: Scenario): boolean => dropouts > 0

/** All in every round. A secure sum without one of them would give that one away beside a sum with it: clients refuse it. */
async function everybody(from: Scenario, { setupOf }: Around): Promise<Scenario> {
  const all = training(from, { sampling: { name: 'all', params: {} } })
  if (!has(all, sums) || !vanish(from)) return all
  const { clients } = await setupOf(all)
  return {
    ...all,
    defences: all.defences.map(({ name, params }) =>
      // Clients of the other protocol do not count.
      name === sums && params.server !== 'honest-but-curious'
        ? { name, params: { ...params, least: clients.length } }
        : { name, params },
    ),
  }
}

export const participation: WhatIf = {
  id: 'participation',
  title: 'who takes part in a round',
  changes(scenario, around) {
    const share = shareIn(scenario)
    return [
      ...(scenario.training.sampling.name === 'all'
        ? []
        : [
            {
              id: 'everybody',
              words: `let every client take part in every round${has(scenario, sums) && vanish(scenario) ? ', and sum nothing where one is missing' : ''}`,
              apply: (from: Scenario) => everybody(from, around),
            },
          ]),
      ...(share === null
        ? []
        : [
            {
              id: 'half-as-many',
              words: `ask ${Number((50 * share).toPrecision(3))} % of the clients in a round, not ${Number((100 * share).toPrecision(3))} %`,
              apply: (from: Scenario) =>
                training(from, { sampling: { name: 'fraction', params: { fraction: share / 2 } } }),
            },
          ]),
    ]
  },
}
