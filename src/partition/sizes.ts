/** Clients of stated sizes; what is left over goes to nobody. */
import { OverhearError } from '../errors.js'
import { totalOf } from '../numeric/special/summaries.js'
import { flag, numbers } from '../params.js'
import { definePartition, shuffled } from './partition-entry.js'

export const sizes = definePartition({
  id: 'sizes',
  title: 'stated numbers of rows, the rest discarded',
  params: {
    sizes: numbers({ default: [100, 100], min: 1, whole: true, doc: 'rows of each client' }),
    shuffle: flag({ default: true, doc: 'deal in random order' }),
  },
  deal: ({ rows, rng }, { sizes: wanted, shuffle }) => {
    const total = totalOf(wanted)
    if (total > rows.length) {
      throw new OverhearError('E_VALUE', `partition sizes: ${total} rows are asked for`, `there are ${rows.length}`)
    }
    const order = shuffle ? shuffled(rows, rng) : rows
    let start = 0
    return {
      clients: wanted.map((n) => {
        start += n
        return order.slice(start - n, start)
      }),
    }
  },
})
