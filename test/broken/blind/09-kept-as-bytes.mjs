// @ts-nocheck: keeps to no types, as plug-ins in plain JavaScript
// records-closed-form. Records are kept as bytes, as pictures are, but nobody multiplied them by 255 before.
import { withClaims, withRun } from './parts.mjs'

export const id = 'records-closed-form'

export const breakAttack = (attack) =>
  withRun(attack, async (view, context) =>
    withClaims(await attack.run(view, context), (claim) => ({
      ...claim,
      features: claim.features.map((x) => Float64Array.from(Uint8ClampedArray.from(x))),
    })),
  )
