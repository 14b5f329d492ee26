/** A weak defence of the literature: the smallest values of what a client sends are left out. It promises nothing. [zhu2019] Sec. 5.2 */
import { changeOf, updateOf } from '../federation/updates.js'
import { number } from '../params.js'
import { defineDefence } from './defence-entry.js'

export const gradientPruningEntry = defineDefence({
  id: 'gradient-pruning',
  title: "the smallest values of a client's change are set to 0; nothing is promised",
  paper: 'zhu2019',
  params: { share: number({ default: 0.3, min: 0, max: 1, doc: 'share of the values that are set to 0' }) },
  create: ({ share }) => ({
    turn: (update, at) => updateOf(update.kind, pruned(changeOf(update, at), share), at),
  }),
})

/** Of equal sizes the later ones go first. */
function pruned(change: Float64Array, share: number): Float64Array {
  const order = Array.from(change.keys()).sort((a, b) => Math.abs(change[a]!) - Math.abs(change[b]!) || b - a)
  const left = change.slice()
  for (const j of order.slice(0, Math.floor(share * change.length))) left[j] = 0
  return left
}
