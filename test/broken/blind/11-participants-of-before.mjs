// @ts-nocheck: keeps to no types, as plug-ins in plain JavaScript
// property-reg. Lists of participants are counted from 1, sums from 0: each sum is laid to those of the round before.
import { changedView, withRun } from './parts.mjs'

export const id = 'property-reg'

export const breakAttack = (attack) =>
  withRun(attack, (view, context) => {
    const { participation: heard } = view
    const participation = heard.map((entry, r) => {
      const { participants, dropped } = heard[Math.max(r - 1, 0)]
      return { ...entry, participants, dropped }
    })
    return attack.run(changedView(attack, view, { participation }), context)
  })
