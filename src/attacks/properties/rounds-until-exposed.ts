/** After how many rounds is a client exposed? The same estimate from the first few rounds, again and again. */
import type { Exposure } from '../claim.js'

/** Probability above which a client counts as exposed. */
const exposedAbove = 0.95

/** The estimates that curves are made from. */
export interface Judged {
  /** How many rounds each point of the curves has seen. */
  readonly seen: readonly number[]
  /** One curve a point: the probabilities of all clients. */
  readonly probabilities: readonly Float64Array[]
}

/** Up to `points` numbers of rounds, evenly spread, the last one all of them. */
export function checkpoints(rounds: number, points: number): number[] {
  const count = Math.min(points, rounds)
  return Array.from({ length: count }, (_, k) => Math.round(((k + 1) * rounds) / count))
}

/** Curves of more clients than this would fill pages: only those that are accused or exposed are shown. */
const mostShown = 200

/** Curves by client, and the round from which on each stays exposed; undefined without a point. */
export function exposureOf(
  { seen, probabilities }: Judged,
  { ids, rounds, positive }: { ids: readonly string[]; rounds: readonly number[]; positive: readonly boolean[] },
): Exposure | undefined {
  if (seen.length === 0) return undefined
  const exposedAt: Record<string, number> = {}
  const lastBelow: Record<string, number | null> = {}
  const curves: Record<string, number[]> = {}
  for (const [i, id] of ids.entries()) {
    const curve = probabilities.map((one) => Math.round(one[i]! * 1e4) / 1e4)
    const below = probabilities.findLastIndex((one) => !(one[i]! > exposedAbove))
    const stays = below < probabilities.length - 1
    if (stays) {
      exposedAt[id] = rounds[seen[below + 1]! - 1]!
      lastBelow[id] = below < 0 ? null : rounds[seen[below]! - 1]!
    }
    if (ids.length <= mostShown || positive[i] || stays) curves[id] = curve
  }
  return { rounds: seen.map((k) => rounds[k - 1]!), probability: curves, above: exposedAbove, exposedAt, lastBelow }
}
