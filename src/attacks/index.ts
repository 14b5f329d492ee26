/** The table of attacks: one file and one line each. */
import type { Attack } from './attack.js'
import { labelMean } from './label-mean.js'
import { lastReturned } from './last-returned.js'
import { metaclassCounts } from './metaclass-counts.js'
import { metaclassMeans } from './metaclass-means.js'
import { regressionLabel } from './regression-label.js'

export const attacks: Readonly<Record<string, Attack>> = Object.fromEntries(
  [lastReturned, regressionLabel, labelMean, metaclassMeans, metaclassCounts].map((one) => [one.id, one]),
)
