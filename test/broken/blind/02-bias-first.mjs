// @ts-nocheck: keeps to no types, as plug-ins in plain JavaScript
// lmra-exact. The optimum is written down with the intercept first, as a design matrix with a leading column of ones has it.
import { withClaims, withRun } from './parts.mjs'

export const id = 'lmra-exact'

export const breakAttack = (attack) =>
  withRun(attack, async (view, context) =>
    withClaims(await attack.run(view, context), (claim) => ({
      ...claim,
      theta: Float64Array.from([claim.theta.at(-1), ...claim.theta.slice(0, -1)]),
    })),
  )
