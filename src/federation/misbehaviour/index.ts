/** The table of misbehaviours. */

import type { Entry } from '../chosen-by-name.js'
import { ascent } from './ascent.js'
import { freeRider } from './free-riding.js'
import { inversion } from './inversion.js'
import { scaled } from './scaled-update.js'

export const misbehaviours = {
  inversion,
  ascent,
  'free-rider': freeRider,
  scaled,
} as const satisfies Record<string, Entry>
