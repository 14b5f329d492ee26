/** The table of attacks: one file and one line each. */
import { aiaLinear } from './aia-linear.js'
import { aiaModel } from './aia-model.js'
import type { Attack } from './attack.js'
import { lastReturned } from './last-returned.js'

export const attacks: Readonly<Record<string, Attack>> = Object.fromEntries(
  [lastReturned, aiaModel, aiaLinear].map((one) => [one.id, one]),
)
