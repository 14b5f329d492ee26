// @ts-nocheck: keeps to no types, as plug-ins in plain JavaScript
// regression-label. The slope of a squared error is twice the error; the last line takes it for the error itself.
import { withClaims, withRun } from './parts.mjs'

export const id = 'regression-label'

export const breakAttack = (attack) =>
  withRun(attack, async (view, context) => {
    const outcome = await attack.run(view, context)
    return withClaims(outcome, ({ values, ...claim }) => {
      const off = claim.value - outcome.details.prediction
      return { ...claim, value: claim.value + off, ...(values && { values: Array.from(values, (y) => y + off) }) }
    })
  })
