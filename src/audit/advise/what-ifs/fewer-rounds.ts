/** What if less was sent? */
import { training, type WhatIf } from '../what-if.js'

export const fewerRounds: WhatIf = {
  id: 'fewer-rounds',
  title: 'rounds of the training',
  changes({ training: { rounds } }) {
    const less = Math.floor(rounds / 8)
    if (less < 1) return []
    return [
      {
        id: `rounds-${less}`,
        words: `stop after ${less} of ${rounds} rounds`,
        apply: (from) => training(from, { rounds: less }),
      },
    ]
  },
}
