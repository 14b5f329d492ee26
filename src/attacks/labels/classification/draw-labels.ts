/** The two stages that LLG, LLG* and LLG+ share: from one number per class to a multiset of K labels. */
import { type Claimed, claimed } from '../../attack.js'
import type { Evidence } from './class-evidence.js'
import type { ClassHead, HeadView } from './class-head.js'
import { sumsFit } from './class-sums-fit.js'

/** The model g_i = m k_i + s_i: how far one record of a class lowers its number, and where it stands without any. */
export interface Affine {
  readonly slope: number // m < 0
  readonly offsets?: Float64Array // s; zero unless told
}

/**
 * m = (1/K) (1 + 1/n) sum over g_i < 0 of g_i: [labels] 3.2.3, LLG. The negative numbers hold nearly all of the records,
 * each short of -1/K times the mean sum of activations by its own probability, about 1/n.
 */
export function slopeOfNegatives(g: Float64Array, recordCount: number): number {
  const n = g.length
  let sum = 0
  for (const gi of g) if (gi < 0) sum += gi
  return ((1 + 1 / n) * sum) / recordCount
}

/**
 * First every class below zero, once, in order (only a record of its own can put it there); then again and again the
 * lowest class, until there are K labels. Each label that is drawn takes m off its class, and the offsets are taken off
 * between the stages.
 * departs: if noise put more than K classes below zero, the lowest K of them are drawn.
 */
export function drawLabels(numbers: Float64Array, { slope, offsets }: Affine, recordCount: number): number[] {
  const g = numbers.slice()
  const below = Array.from(g.keys()).filter((i) => g[i]! < 0)
  const labels = below.length <= recordCount ? below : below.sort((i, j) => g[i]! - g[j]!).slice(0, recordCount)
  for (const i of labels) g[i]! -= slope
  if (offsets !== undefined) for (const [i, s] of offsets.entries()) g[i]! -= s
  while (labels.length < recordCount) {
    let lowest = 0
    for (let i = 1; i < g.length; i++) if (g[i]! < g[lowest]!) lowest = i
    g[lowest]! -= slope
    labels.push(lowest)
  }
  return labels
}

/** The claim of such a multiset. */
export async function claimDrawn(
  view: HeadView,
  head: ClassHead,
  found: { readonly labels: readonly number[]; readonly affine: Affine; readonly evidence: Evidence },
): Promise<Claimed> {
  const { labels, affine, evidence } = found
  const { update, place } = head
  const { recordCount, round, warnings } = update
  const { fit, warnings: doubt } = await sumsFit(view, head)
  return claimed(
    { kind: 'labels', client: view.target, round, labels },
    {
      fit,
      warnings: [...warnings, ...evidence.warnings, ...doubt],
      details: { recordCount, classes: place.classes, evidence: evidence.from, slope: affine.slope },
    },
  )
}
