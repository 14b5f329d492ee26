/** Labels, graded on any rows: one per record (AUC or MAE), or those of a batch as a multiset (iAcc, cAcc). */
import type { LabelsClaim } from '../../attacks/claim.js'
import { type Asked, needed } from '../grading.js'
import { finiteNumbers, places, tally } from '../number-lists.js'
import { categoryCell, claimedScore } from './category-cell.js'
import { finite, type Gradable, type Rows } from './gradable.js'
import { numberCell } from './number-cell.js'

export function labelsCell(claim: LabelsClaim, asked: Asked): Gradable {
  if (claim.round !== undefined) return batchCell(claim, asked)
  const labels = trueLabels(asked)
  const levels = asked.known.classes
  const claimed = finiteNumbers(claim.labels, 'labels', labels.length)
  if (levels === undefined) return numberCell(claimed, labels)
  const named = places(claimed, 'labels', levels)
  const sure = new Float64Array(named.length).fill(1)
  const truth = places(labels, 'label of the records', levels)
  return categoryCell({ claimed: named, truth, levels, sure, score: claimedScore(named, sure, levels) })
}

/** The true labels, as many as the table has: one a record, or all of a record's one after the other. */
export function trueLabels({ table }: Asked): Float64Array {
  const [labels] = needed(['records.label', table.labels])
  return finiteNumbers(labels, 'label of the records')
}

/** The true labels as classes, and how many classes there are. */
export function trueClasses(asked: Asked, claimed: ArrayLike<number> = []): { truth: Int32Array; classes: number } {
  const labels = trueLabels(asked)
  const { classes = 1 + largest(labels, claimed, asked.known.auxiliary?.labels ?? []) } = asked.known
  return { truth: places(labels, 'label of the records', classes), classes }
}

function largest(...lists: readonly ArrayLike<number>[]): number {
  let most = 0
  for (const list of lists) for (let i = 0; i < list.length; i++) most = Math.max(most, list[i]!)
  return most
}

function batchCell(claim: LabelsClaim, asked: Asked): Gradable {
  const labels = finiteNumbers(claim.labels, 'labels')
  const { truth, classes } = trueClasses(asked, labels)
  const named = tally(places(labels, 'labels', classes), classes)
  const distinct = named.filter((count) => count > 0).length
  return multisetCell({
    truth,
    classes,
    once: claim.once === true,
    matched: (k) => {
      const matched = { labels: 0, classes: 0, ofLabels: labels.length, ofClasses: distinct }
      for (let c = 0; c < classes; c++) {
        matched.labels += Math.min(named[c]!, k[c]!)
        if (named[c]! > 0 && k[c]! > 0) matched.classes++
      }
      return matched
    },
  })
}

interface Matched {
  /** Labels in common, each as often as both have it, and classes in common. */
  readonly labels: number
  readonly classes: number
  /** Of so many labels that were named. */
  readonly ofLabels: number
  readonly ofClasses?: number
}

export interface MultisetCell {
  readonly truth: Int32Array
  readonly classes: number
  /** Whether the claim names classes and does not count them. */
  readonly once: boolean
  matched(k: Float64Array): Matched
}

/** The share of the labels of these rows that were found, each as often as it occurs; of the classes, if named once. */
export function multisetCell({ truth, classes, once, matched }: MultisetCell): Gradable {
  const figures = (rows: Rows) => {
    const k = new Float64Array(classes)
    for (let i = 0; i < rows.length; i++) k[truth[rows[i]!]!]! += 1
    const found = matched(k)
    const present = k.filter((count) => count > 0).length
    return {
      // departs: divided by the claimed number if that is larger, so that claiming more than K does not pay.
      iAcc: found.labels / Math.max(rows.length, found.ofLabels),
      cAcc: found.classes / present,
      classPrecision: found.ofClasses === undefined ? undefined : found.classes / found.ofClasses,
    }
  }
  const metric = once ? 'cAcc' : 'iAcc'
  return {
    metric,
    better: 'higher',
    best: 1,
    of: 'batch',
    on: (rows) => (rows.length === 0 ? Number.NaN : figures(rows)[metric]),
    also: (rows) => {
      const { [metric]: _, ...others } = figures(rows)
      return finite(others)
    },
  }
}
