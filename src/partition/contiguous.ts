/** Every client gets an equal run of neighbouring rows, in the order of the file. */
import { clientCount, definePartition, slices } from './partition-entry.js'

export const contiguous = definePartition({
  id: 'contiguous',
  title: 'neighbouring rows in equal parts, without shuffling',
  params: { clients: clientCount(2) },
  deal: ({ rows }, { clients }) => ({ clients: slices(rows, clients) }),
})
