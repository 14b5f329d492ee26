// @ts-nocheck: keeps to no types, as plug-ins in plain JavaScript
// aia-linear. A header is counted as the first record: every guess is written one row too low.
import { withClaims, withRun } from './parts.mjs'

export const id = 'aia-linear'

const lowered = (values) => Float64Array.from(values, (_, i) => values[(i + values.length - 1) % values.length])

export const breakAttack = (attack) =>
  withRun(attack, async (view, context) =>
    withClaims(await attack.run(view, context), (claim) => ({
      ...claim,
      values: lowered(claim.values),
      ...(claim.confidence && { confidence: lowered(claim.confidence) }),
    })),
  )
