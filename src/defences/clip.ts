/** No client moves the sum by more than a norm, times its weight. What a change tells below that norm it tells still: nothing is hidden. */
import { clipped } from '../models/compressions/clipped.js'
import { defineDefence } from './defence-entry.js'
import { shortened } from './shortened-change.js'

export const clipEntry = defineDefence({
  id: 'clip',
  title: "a client's change is no longer than a norm: bounds what one client can do, and hides nothing",
  params: clipped.params,
  create: ({ maxNorm }) => shortened('clipped', { maxNorm }),
})
