/** A fixed number of clients a round, every set of them equally likely; the cost does not depend on how many there are. */
import { clientsIn, defineSampling, fraction } from './sampling.js'

export const fractionOfClients = defineSampling({
  id: 'fraction',
  title: 'a share of the clients, drawn anew each round',
  params: { fraction },
  prepare: ({ fraction: share }, population) => {
    const m = clientsIn(share, population)
    return ({ rng }) => rng.sample(population.count, m)
  },
})
