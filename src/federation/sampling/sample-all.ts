/** Everybody takes part in every round. */
import { count } from '../../partition/partition-entry.js'
import { defineSampling } from './sampling.js'

export const all = defineSampling({
  id: 'all',
  title: 'every client in every round',
  params: {},
  prepare: (_, population) => {
    const everybody = count(population.count)
    return () => everybody
  },
})
