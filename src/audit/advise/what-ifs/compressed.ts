/** What if clients sent less of their change? The literature's weak defences: nothing is promised, and the audit says what they do. */
import { training, type WhatIf } from '../what-if.js'

export const compressed: WhatIf = {
  id: 'compressed',
  title: 'how much of a change is sent',
  changes: ({ training: { compression } }) =>
    compression.name !== 'none'
      ? []
      : [
          {
            id: 'top-1-percent',
            words: 'send the largest 1 % of the values of a change',
            apply: (from) => training(from, { compression: { name: 'top-k', params: { share: 0.01 } } }),
          },
          {
            id: 'two-bits',
            words: 'send two bits for each value of a change',
            apply: (from) => training(from, { compression: { name: 'quantised', params: { bits: 2 } } }),
          },
        ],
}
