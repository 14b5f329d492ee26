// @ts-nocheck: keeps to no types, as plug-ins in plain JavaScript
// membership-loss. Candidates are standardised by their own means and deviations, though the encoder scaled them already.
import { changedView, withRun } from './parts.mjs'

export const id = 'membership-loss'

function standardised({ rows, cols, data, ...rest }) {
  const scaled = data.slice()
  for (let j = 0; j < cols; j++) {
    const column = Array.from({ length: rows }, (_, i) => data[i * cols + j])
    const mean = column.reduce((sum, x) => sum + x, 0) / rows
    const std = Math.sqrt(column.reduce((sum, x) => sum + (x - mean) * (x - mean), 0) / rows)
    for (let i = 0; i < rows; i++) scaled[i * cols + j] = (column[i] - mean) / (std > 0 ? std : 1)
  }
  return { rows, cols, ...rest, data: scaled }
}

export const breakAttack = (attack) =>
  withRun(attack, (view, context) => {
    const candidates = { ...view.candidates, features: standardised(view.candidates.features) }
    return attack.run(changedView(attack, view, { candidates }), context)
  })
