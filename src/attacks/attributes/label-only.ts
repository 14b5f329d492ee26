/** The rule that a classifier's attack comes down to when a record's label alone decides. */
import type { Unknowns } from './unknown-columns.js'

export interface LabelOnly {
  readonly labels: readonly number[]
  /** For each label the combination of values that costs least on the mean over its records. */
  readonly picks: readonly number[]
}

const mostClasses = 100

/** [aia] Section 6. Undefined when the labels are no classes. */
export function labelOnlyRule(labels: Float64Array, costs: readonly Float64Array[]): LabelOnly | undefined {
  const classes = [...new Set(labels)].sort((a, b) => a - b)
  if (labels.length !== costs[0]!.length || classes.length > mostClasses || !classes.every(Number.isInteger))
    return undefined
  const picks = classes.map((label) => {
    const sums = costs.map((cost) => cost.reduce((sum, x, i) => sum + (labels[i] === label ? x : 0), 0))
    return sums.reduce((best, sum, v) => (sum < sums[best]! ? v : best), 0)
  })
  return { labels: classes, picks }
}

/** The share of records for which the rule says the same as the attack; `values` of one attribute. */
export function agreement(
  { labels: classes, picks }: LabelOnly,
  { labels }: Pick<Unknowns, 'labels'>,
  { values, valueAt }: { readonly values: ArrayLike<number>; readonly valueAt: (combination: number) => number },
): number {
  let same = 0
  for (let i = 0; i < labels.length; i++) if (valueAt(picks[classes.indexOf(labels[i]!)]!) === values[i]) same++
  return same / labels.length
}
