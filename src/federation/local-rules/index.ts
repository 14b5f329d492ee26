/** The table of local rules. */

import type { Entry } from '../chosen-by-name.js'
import { fedavg } from './fedavg.js'
import { fedprox } from './fedprox.js'
import { fedsgd } from './fedsgd.js'

export const localRules = { fedsgd, fedavg, fedprox } as const satisfies Record<string, Entry>
