/** The table of misbehaviours. */

import { table } from '../../registry.js'
import { ascent } from './ascent.js'
import { freeRider } from './free-riding.js'
import { inversion } from './inversion.js'
import { mislabelled } from './mislabelling.js'
import { scaled } from './scaled-update.js'

export const misbehaviours = table('misbehaviour', [inversion, ascent, freeRider, scaled, mislabelled])
