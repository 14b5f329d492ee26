/** A fixed number of clients a round, those with more records more often; none twice. */
import { OverhearError } from '../../errors.js'
import { clientsIn, defineSampling, fraction } from './sampling.js'

/** Every client draws in every round: beyond this a round would cost more than its training. */
const mostClients = 100_000

export const weightedBySamples = defineSampling({
  id: 'weighted',
  title: 'a share of the clients, in proportion to their records',
  params: { fraction },
  prepare: ({ fraction: share }, population) => {
    const K = population.count
    if (K > mostClients) {
      const found = `sampling weighted: there are ${K} clients`
      throw new OverhearError('E_VALUE', found, `up to ${mostClients} can be weighed; use "fraction" or "poisson"`)
    }
    const m = clientsIn(share, population)
    const n = Float64Array.from({ length: K }, (_, k) => population.samples(k))
    return ({ rng }) => {
      // The first m arrivals of clocks that tick at rate n_k: sampling in proportion, without replacement.
      const arrivals = n.map((rate) => rng.exponential() / rate)
      const order = Array.from(arrivals.keys()).sort((a, b) => arrivals[a]! - arrivals[b]!)
      return order.slice(0, m)
    }
  },
})
