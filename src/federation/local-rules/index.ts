/** The table of local rules. */

import { table } from '../../registry.js'
import { fedavg } from './fedavg.js'
import { fedprox } from './fedprox.js'
import { fedsgd } from './fedsgd.js'

export const localRules = table('local rule', [fedsgd, fedavg, fedprox])
