/** What if nobody saw a single update? */
import { defended, has, type WhatIf } from '../what-if.js'

const name = 'secure-aggregation'

export const secureSums: WhatIf = {
  id: 'secure-sums',
  title: 'updates summed before anybody sees them',
  changes: (scenario) =>
    has(scenario, name)
      ? []
      : [
          {
            id: 'secure-sums',
            words: 'aggregate securely, against a server that may do what it likes',
            apply: (from) => defended(from, name, {}),
          },
        ],
}
