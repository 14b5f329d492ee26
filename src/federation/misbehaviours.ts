/** The table of misbehaviours. */
import { ascent } from './ascent.js'
import { freeRider } from './free-rider.js'
import { inversion } from './inversion.js'
import type { Entry } from './named.js'
import { scaled } from './scaled.js'

export const misbehaviours = {
  inversion,
  ascent,
  'free-rider': freeRider,
  scaled,
} as const satisfies Record<string, Entry>
