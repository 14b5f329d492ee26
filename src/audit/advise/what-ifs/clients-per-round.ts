/** What if more clients, or fewer, took part in a round? */
import type { Scenario } from '../../../scenario/scenario-schema.js'
import { training, type WhatIf } from '../what-if.js'

/** The share of the clients that a round asks; null where that is no plain number. */
function shareIn({ training: { sampling } }: Scenario): number | null {
  if (sampling.name === 'all') return 1
  const { fraction, rate } = sampling.params as { readonly fraction?: unknown; readonly rate?: unknown }
  const share = fraction ?? rate
  return typeof share === 'number' ? share : null
}

export const participation: WhatIf = {
  id: 'participation',
  title: 'who takes part in a round',
  changes(scenario) {
    const share = shareIn(scenario)
    return [
      ...(scenario.training.sampling.name === 'all'
        ? []
        : [
            {
              id: 'everybody',
              words: 'let every client take part in every round',
              apply: (from: Scenario) => training(from, { sampling: { name: 'all', params: {} } }),
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
