/** Every client gets an equal share of the shuffled rows. */
import { clientCount, definePartition, shuffled, slices } from './partition-entry.js'

export const iid = definePartition({
  id: 'iid',
  title: 'shuffled rows in equal parts',
  params: { clients: clientCount(2) },
  deal: ({ rows, rng }, { clients }) => ({ clients: slices(shuffled(rows, rng), clients) }),
})
