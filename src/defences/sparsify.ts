/** Only the largest values of a change are sent: the same as training.compression top-k. It promises fewer values, and no secrecy. */
import { topK } from '../models/compressions/top-k.js'
import { defineDefence } from './defence-entry.js'
import { shortened } from './shortened-change.js'

export const sparsifyEntry = defineDefence({
  id: 'sparsify',
  title: "only the largest values of a client's change are sent; nothing is promised of what they tell",
  params: topK.params,
  create: ({ share }) => shortened('top-k', { share }),
})
