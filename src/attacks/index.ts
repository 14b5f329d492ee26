/** The table of attacks: one file and one line each. */
import { aiaGradient } from './aia-gradient.js'
import { aiaLinear } from './aia-linear.js'
import { aiaLinearActive } from './aia-linear-active.js'
import { aiaModel } from './aia-model.js'
import type { Attack } from './attack.js'
import { lastReturned } from './last-returned.js'
import { lmraData } from './lmra-data.js'

export const attacks: Readonly<Record<string, Attack>> = Object.fromEntries(
  [lastReturned, aiaModel, aiaGradient, aiaLinear, aiaLinearActive, lmraData].map((one) => [one.id, one]),
)
