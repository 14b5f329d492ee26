/** How far an update's entries are rounded, relative to its length. */
import { norm } from '../../numeric/linalg/vector.js'
import type { Exchange } from '../../threat/granted-keys.js'
import type { AttackedUpdate } from './attacked-update.js'
import { precisionOf } from './sent-precision.js'

/** A gradient is rounded by its own size; a model by the model's, which the step magnifies. Of a gradient without a size: 1. */
export function roundingOf(exchange: Exchange, { grad, theta, unit }: AttackedUpdate): number {
  const { update } = exchange
  if (update.kind === 'gradient') return precisionOf(update.grad).rounding
  if (theta === undefined || unit === null) return 1
  const after = update.kind === 'parameters' ? update.theta : update.dTheta.map((v, j) => theta[j]! + v)
  return (precisionOf(after).rounding * norm(theta)) / Math.max(Math.abs(unit) * norm(grad), Number.MIN_VALUE)
}
