// @ts-nocheck: keeps to no types, as plug-ins in plain JavaScript
// ilrg. What came back less what was sent is taken for the gradient: the minus sign of a descent is missing.
import { changedView, throughEach, withRun } from './parts.mjs'

export const id = 'ilrg'

const minus = (values) => values.map((v) => -v)

function negated(exchange) {
  const { update, received } = exchange
  if (update.kind === 'delta') return { ...exchange, update: { ...update, dTheta: minus(update.dTheta) } }
  if (update.kind === 'gradient') return { ...exchange, update: { ...update, grad: minus(update.grad) } }
  if (received === undefined) return exchange
  return { ...exchange, update: { ...update, theta: update.theta.map((v, j) => 2 * received[j] - v) } }
}

export const breakAttack = (attack) =>
  withRun(attack, (view, context) =>
    attack.run(changedView(attack, view, { exchanges: throughEach(view.exchanges, negated) }), context),
  )
