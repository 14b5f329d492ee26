/** The record of one trial of a study, and how trials compare. Plain data: it survives JSON. */
import type { Setting, Space } from './search-space.js'

export type Direction = 'minimise' | 'maximise'

export interface Report {
  readonly step: number
  readonly value: number | null // null: not finite
}

/** `pruned`: given up early; `failed`: no value, or none that is finite. */
export type TrialState = 'complete' | 'pruned' | 'failed'

export interface FinishedTrial<S extends Space = Space> {
  readonly number: number
  readonly params: Setting<S>
  readonly state: TrialState
  readonly value: number | null // of a pruned trial, the last report; of a failed one, null
  readonly reports: readonly Report[]
  readonly message?: string // why it failed
}

/** The value to make small, whatever the direction: what is not there is worst. */
export function loss(value: number | null | undefined, direction: Direction): number {
  if (value === null || value === undefined) return Number.POSITIVE_INFINITY
  return direction === 'minimise' ? value : -value
}

const order: { readonly [State in TrialState]: number } = { complete: 0, pruned: 1, failed: 2 }

/**
 * Best first: complete trials by value, then pruned ones, those that got further first, then failed ones; ties by number.
 */
export function ranked<S extends Space>(
  trials: readonly FinishedTrial<S>[],
  direction: Direction,
): readonly FinishedTrial<S>[] {
  const lastStep = ({ state, reports }: FinishedTrial<S>) => (state === 'pruned' ? (reports.at(-1)?.step ?? -1) : 0)
  return [...trials].sort((a, b) => {
    const byState = order[a.state] - order[b.state]
    if (byState !== 0) return byState
    const byStep = lastStep(b) - lastStep(a)
    if (byStep !== 0) return byStep
    const [lossA, lossB] = [loss(a.value, direction), loss(b.value, direction)]
    return lossA === lossB ? a.number - b.number : lossA < lossB ? -1 : 1
  })
}
