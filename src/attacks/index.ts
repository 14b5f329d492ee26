/** The table of attacks: one file and one line each. */
import type { Attack } from './attack.js'
import { lastReturned } from './last-returned.js'
import { lmraActiveAdam } from './lmra-active-adam.js'
import { lmraActiveEcho } from './lmra-active-echo.js'
import { lmraExact } from './lmra-exact.js'
import { lmraLabel } from './lmra-label.js'
import { lmraMapping } from './lmra-mapping.js'
import { lmraOls } from './lmra-ols.js'
import { membershipLoss } from './membership-loss.js'

export const attacks: Readonly<Record<string, Attack>> = Object.fromEntries(
  [lastReturned, lmraExact, lmraOls, lmraMapping, lmraActiveAdam, lmraActiveEcho, lmraLabel, membershipLoss].map(
    (one) => [one.id, one],
  ),
)
