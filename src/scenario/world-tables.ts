/** The tables that a world is made of, loaded: settings name them by kind, and whoever reads one needs its entries. */
import { datasets } from '../data/index.js'
import { defences } from '../defences/index.js'
import { localRules } from '../federation/local-rules/index.js'
import { misbehaviours } from '../federation/misbehaviour/index.js'
import { samplings } from '../federation/sampling/index.js'
import { compressions } from '../models/compressions/index.js'
import { models } from '../models/index.js'
import { initialisers } from '../models/initialise.js'
import { optimizers } from '../models/optimizers/index.js'
import { schedules } from '../models/schedules/index.js'
import { partitions } from '../partition/index.js'

const tables = {
  ...{ datasets, partitions, models, initialisers, localRules, samplings, misbehaviours, defences },
  ...{ optimizers, schedules, compressions },
}

/** The tables, by what they are called. */
export const openTables = (): typeof tables => tables
