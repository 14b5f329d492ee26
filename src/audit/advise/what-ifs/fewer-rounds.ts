/** What if less was sent? */
import { training, type WhatIf } from '../what-if.js'

export const fewerRounds: WhatIf = {
  id: 'fewer-rounds',
  title: 'rounds of the training',
  changes({ training: { rounds } }) {
    const fewer = [Math.floor(rounds / 2), Math.floor(rounds / 8)].filter((one) => one >= 1 && one < rounds)
    return [...new Set(fewer)].map((less) => ({
      id: `rounds-${less}`,
      words: `stop after ${less} of ${rounds} rounds`,
      apply: (from) => training(from, { rounds: less }),
    }))
  },
}
