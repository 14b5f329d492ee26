/** Whether a last layer's gradient is what records of any classes leave under softmax and plain steps, as far as sums tell. */
import { rowOf } from '../../../numeric/linalg/matrix.js'
import { norm } from '../../../numeric/linalg/vector.js'
import { totalOf } from '../../../numeric/special/summaries.js'
import type { ProtocolFit } from '../../attack.js'
import { undoubted } from '../../shared/believed-protocol.js'
import { roundingOf } from '../../shared/update-rounding.js'
import type { ClassHead, HeadView } from './class-head.js'

/** What training adds to the rounding of a message, and how many times as much is still rounding. */
const [added, still] = [100, 16]
/** By how much the classes that gain may seem to gain more than all records, where steps are read as one. */
const slack = 0.05

export interface SumsFit {
  readonly fit: ProtocolFit
  readonly warnings: readonly string[]
}

/**
 * Every record adds p - [i = y] times its embedding, and both p and [i = y] sum to 1: over the classes the gradient sums to
 * nothing, in every step, and the classes that gain share 1 at most. An adaptive rate, decay, sparsified messages and noise
 * break the first, a rate that is not the stated one may break the second. p: 1, 0, or null where what is stated breaks them.
 */
export async function sumsFit(view: HeadView, { update, gradW, gradB }: ClassHead): Promise<SumsFit> {
  const { protocol } = view
  if (bent(protocol)) return { fit: undoubted(view, null), warnings: [] }
  const heard = Float64Array.from([...gradW.data, ...(gradB ?? [])])
  const size = norm(heard)
  if (size === 0) return { fit: undoubted(view, null), warnings: [] }
  const sums = new Float64Array(gradW.cols + 1)
  for (let i = 0; i < gradW.rows; i++) for (const [j, g] of rowOf(gradW, i).entries()) sums[j]! += g
  sums[gradW.cols] = gradB === undefined ? 0 : totalOf(gradB)
  const rounding = roundingOf(await view.exchanges.read(update.round), update) * (norm(update.grad) / size)
  const left = norm(sums) / size
  const warnings: string[] = []
  if (left > still * Math.max(1e-10, added * rounding)) {
    warnings.push(
      `the last layer's gradient sums to ${figure(left)} of its size over the classes, where plain steps leave nothing`,
    )
  }
  const gained = totalOf((gradB ?? new Float64Array(0)).map((g) => Math.max(0, g)))
  const sized = update.unit !== null && protocol.momentum === 0
  if (sized && gained > 1 + slack) {
    warnings.push(
      `classes gain ${figure(gained)} where all records together give 1 at most: the rate is not the stated one`,
    )
  }
  return { fit: undoubted(view, warnings.length === 0 ? 1 : 0), warnings }
}

/** Whether what is stated breaks the sums by itself, or is not known to leave them. */
function bent({ optimizer, weightDecay = 0, compression, differentialPrivacy }: HeadView['protocol']): boolean {
  const adaptive = optimizer !== undefined && optimizer !== null && optimizer.name !== 'sgd'
  return adaptive || weightDecay > 0 || (compression ?? null) !== null || differentialPrivacy !== null
}

const figure = (x: number): string => String(Number(x.toPrecision(2)))
