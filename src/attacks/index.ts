/** The table of attacks: one file and one line each. */
import type { Attack } from './attack.js'
import { lastReturned } from './last-returned.js'
import { regressionLabel } from './regression-label.js'

export const attacks: Readonly<Record<string, Attack>> = Object.fromEntries(
  [lastReturned, regressionLabel].map((one) => [one.id, one]),
)
