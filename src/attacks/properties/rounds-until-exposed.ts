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

/** Curves by client, and the first round after which each was exposed; undefined without a point. */
export function exposureOf(
  { seen, probabilities }: Judged,
  { ids, rounds, positive }: { ids: readonly string[]; rounds: readonly number[]; positive: readonly boolean[] },
): Exposure | undefined {
  if (seen.length === 0) return undefined
  const exposedAt: Record<string, number> = {}
  const curves: Record<string, number[]> = {}
  for (const [i, id] of ids.entries()) {
    const curve = probabilities.map((one) => Math.round(one[i]! * 1e4) / 1e4)
    const passed = probabilities.findIndex((one) => one[i]! > exposedAbove)
    if (passed >= 0) exposedAt[id] = rounds[seen[passed]! - 1]!
    if (ids.length <= mostShown || positive[i] || passed >= 0) curves[id] = curve
  }
  return { rounds: seen.map((k) => rounds[k - 1]!), probability: curves, above: exposedAbove, exposedAt }
}
