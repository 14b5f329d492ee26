/** Every client tosses its own coin, as the analysis of private training wants it; a round may be empty. */
import { log, log1p } from '../../numeric/special/elementary-functions.js'
import { defineSampling, fraction } from './sampling.js'

export const poisson = defineSampling({
  id: 'poisson',
  title: 'each client with the same probability, on its own',
  params: { fraction: { ...fraction, doc: 'probability that a client takes part' } },
  prepare: ({ fraction: q }, { count }) => {
    const logMiss = log1p(-q) // -infinity for q = 1: every gap is 0
    return ({ rng }) => {
      const taken: number[] = []
      if (q === 0) return taken
      // Gaps between those taken are geometric: one draw each, not one a client.
      for (let k = gap(); k < count; k += 1 + gap()) taken.push(k)
      return taken

      function gap(): number {
        return Math.floor(log(rng.uniform()) / logMiss)
      }
    }
  },
})
