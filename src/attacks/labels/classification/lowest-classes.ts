/** Which classes are in the batch, each claimed once: those that the evidence puts lowest. */
import { choice } from '../../../params.js'
import { type Claimed, claimed } from '../../attack.js'
import { explains, unexplained } from '../../shared/replayed-descent.js'
import type { ClassHead, HeadView } from './class-head.js'
import { singleClassFit } from './single-class-fit.js'

export const takeParam = choice({
  default: 'auto',
  choices: ['auto', 'smallest', 'negative'],
  doc: 'smallest: as many classes as records; negative: those below zero; auto: negative once all classes would be taken',
})

export interface TakeOptions {
  readonly recordCount: number
  readonly take: 'auto' | 'smallest' | 'negative'
}

/**
 * The classes in rising order of evidence, at most one label per record.
 * departs: with as many records as classes, "the K smallest" is every class whatever was heard; `auto` then claims those
 * below zero.
 */
export function lowestClasses(evidence: Float64Array, { recordCount: K, take }: TakeOptions): number[] {
  const order = Array.from(evidence.keys()).sort((i, j) => evidence[i]! - evidence[j]!)
  const negative = take === 'negative' || (take === 'auto' && K >= evidence.length)
  return order.filter((i) => !negative || evidence[i]! < 0).slice(0, K)
}

/** The claim of such a set, with what may make it less than the batch. */
export async function claimClasses(
  view: Pick<HeadView, 'target' | 'exchanges' | 'protocol'>,
  head: ClassHead,
  found: { readonly labels: readonly number[]; readonly from: string; readonly warnings: readonly string[] },
): Promise<Claimed> {
  const { update, place } = head
  const { labels, from, warnings } = found
  const { recordCount: K, round } = update
  const once = `${labels.length} classes are claimed for ${K} records, each once: how often one occurs is not known`
  const fit = K === 1 && labels.length === 1 ? await singleClassFit(view, head, labels[0]!) : undefined
  if (fit !== undefined && !explains(fit)) throw unexplained('a single record', fit)
  return claimed(
    { kind: 'labels', client: view.target, round, labels, ...(K > 1 && { once: true }), ...(fit && { fit }) },
    {
      warnings: [...update.warnings, ...warnings, ...(K > 1 ? [once] : [])],
      details: { recordCount: K, classes: place.classes, evidence: from },
    },
  )
}
