/** A weak defence of the literature: the smallest values of what a client sends are left out. It promises nothing. [zhu2019] Sec. 5.2 */
import { number } from '../params.js'
import { defineDefence } from './defence-entry.js'
import { shortened } from './shortened-change.js'

export const gradientPruningEntry = defineDefence({
  id: 'gradient-pruning',
  title: "the smallest values of a client's change are set to 0; nothing is promised",
  paper: 'zhu2019',
  params: { share: number({ default: 0.3, min: 0, below: 1, doc: 'share of the values that are set to 0' }) },
  create: ({ share }) => shortened('top-k', { share: 1 - share }),
})
