/** The table of samplings. */
import type { Entry } from '../chosen-by-name.js'
import { all } from './sample-all.js'
import { fractionOfClients } from './sample-fraction.js'
import { poisson } from './sample-poisson.js'
import { schedule } from './sample-schedule.js'
import { weightedBySamples } from './sample-weighted.js'

export const samplings = {
  all,
  fraction: fractionOfClients,
  poisson,
  schedule,
  weighted: weightedBySamples,
} as const satisfies Record<string, Entry>
