/** Something that was tried: the changes, what their audit weighs, and how it stands beside the others. */
import type { Bounds } from '../../accounting/loss-bounds.js'
import { sureness, useLost, type WeighedRung, type Weight, worstRung } from './weigh.js'
import type { Change } from './what-if.js'

/** What the changed training takes. */
export interface Cost {
  /** Messages that a client sends and receives on the average; null where nobody can say beforehand. */
  readonly messages: number | null
  /** Steps of a client's training, if it takes part in every round; null where nobody can say. */
  readonly localSteps: number | null
}

/** What record-level privacy promises after the change. */
export interface Promised {
  readonly epsilon: Bounds
  readonly delta: number
  readonly means: string
}

/** One variant of the scenario, audited. */
export interface Tried {
  /** `as-it-is`, or the ids of its changes. */
  readonly id: string
  readonly changes: readonly Pick<Change, 'id' | 'words'>[]
  /** Trainings that its audit rests on. */
  readonly repeats: number
  readonly worst: WeighedRung | null
  readonly rungs: readonly WeighedRung[]
  readonly open: readonly string[]
  readonly use: Weight['use']
  /** R2 or accuracy that is gone; null where it is not measured. */
  readonly useLost: number | null
  readonly cost: Cost
  readonly epsilon: Promised | null
  /** About how sure it is that every step is under the target; null where something was not tested. */
  readonly sure: number | null
  readonly seconds: number
}

interface Making extends Pick<Tried, 'id' | 'changes' | 'repeats' | 'cost' | 'epsilon' | 'seconds'> {
  readonly weight: Weight
  readonly before: Weight
  readonly target: number
}

export function tried({ weight, before, target, ...about }: Making): Tried {
  return {
    ...about,
    ...weight,
    worst: worstRung(weight) ?? null,
    useLost: useLost(before, weight),
    sure: sureness(weight, target),
  }
}

/** Whether every step was tested, and none is larger than the target. */
export const keeps = ({ worst, open }: Tried, target: number): boolean =>
  open.length === 0 && worst !== null && worst.size <= target

/** Differences of use below this are noise of one training. */
const sameUse = 0.01

/** The cheaper first: less use lost, then fewer messages, then fewer steps. */
export function cheaper(a: Tried, b: Tried): number {
  const lost = (one: Tried): number => Math.max(0, Math.round((one.useLost ?? 0) / sameUse))
  return (
    lost(a) - lost(b) ||
    (a.cost.messages ?? 0) - (b.cost.messages ?? 0) ||
    (a.cost.localSteps ?? 0) - (b.cost.localSteps ?? 0) ||
    a.changes.length - b.changes.length
  )
}

/** The one that leaks less first; of two that keep to the target, or leak the same, the cheaper. */
export const safer =
  (target: number) =>
  (a: Tried, b: Tried): number => {
    const over = (one: Tried): number => (one.worst === null ? Infinity : Math.max(0, one.worst.size - target))
    return a.open.length - b.open.length || over(a) - over(b) || cheaper(a, b)
  }

/** Those of which no other one both leaks less and loses less use. What was not tested whole is not among them. */
export function front(all: readonly Tried[]): Tried[] {
  const whole = all.filter(({ open, worst }) => open.length === 0 && worst !== null)
  const better = (a: Tried, b: Tried): boolean => {
    const [leak, use] = [a.worst!.size - b.worst!.size, (a.useLost ?? 0) - (b.useLost ?? 0)]
    return leak <= 0 && use <= 0 && (leak < 0 || use < 0)
  }
  return whole
    .filter((one) => !whole.some((other) => better(other, one)))
    .sort((a, b) => (a.useLost ?? 0) - (b.useLost ?? 0))
}
