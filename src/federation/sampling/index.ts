/** The table of samplings. */
import { table } from '../../registry.js'
import { all } from './sample-all.js'
import { fractionOfClients } from './sample-fraction.js'
import { poisson } from './sample-poisson.js'
import { schedule } from './sample-schedule.js'
import { weightedBySamples } from './sample-weighted.js'

export const samplings = table('sampling', [all, fractionOfClients, poisson, schedule, weightedBySamples])
