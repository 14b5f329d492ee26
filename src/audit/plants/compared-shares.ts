/** One attack beside another on the same plants and in the audit's own training: whether it certainly gets less than half as much. */
import type { Score } from '../../metrics/score.js'
import { studentQuantile } from '../../numeric/special/student-t.js'
import { meanOf, varianceOf } from '../../numeric/special/summaries.js'
import type { AttackResult, GradedFinding } from '../attack-result.js'
import { nameOf } from '../ladder/asked-results.js'

/**
 * What an attack got of what there was, by training (plants by number, or the audit's own) and by question: 1 is all of it, 0 what a guess
 * has, and -1 is as far below as counts: how much farther says how large its numbers are, and would drown all other trainings.
 */
export type Shares = ReadonlyMap<number | 'own', ReadonlyMap<string, number>>

export function sharesOf(results: readonly AttackResult[]): Shares {
  const lists = new Map<number | 'own', Map<string, number[]>>()
  for (const { plant = 'own', findings } of results) {
    for (const finding of findings) {
      if (finding.score === null) continue
      const score = rankedScore(finding as GradedFinding)
      if (score.lift === null) continue
      const question = JSON.stringify([finding.claim.kind, nameOf(finding.claim), score.metric.toLowerCase()])
      const here = lists.get(plant) ?? new Map<string, number[]>()
      lists.set(plant, here)
      here.set(question, [...(here.get(question) ?? []), Math.min(1, Math.max(-1, score.lift))])
    }
  }
  return new Map([...lists].map(([at, here]) => [at, new Map([...here].map(([key, all]) => [key, meanOf(all)]))]))
}

/** Who ranks is graded by the ranking, whatever threshold it would accuse by: a bad one is not missing information. */
export function rankedScore({ score }: GradedFinding): Score {
  const { AUC: value, lowAUC, highAUC } = score.also
  if (score.metric !== 'F1' || value === undefined) return score
  const interval = lowAUC === undefined || highAUC === undefined ? null : ([lowAUC, highAUC] as const)
  return { ...score, metric: 'AUC', value, chance: 0.5, lift: 2 * value - 1, interval }
}

/** Of what another gets, an attack that is not broken gets at least this. */
const halfAsMuch = 0.5
/** Below this share of what another gets it is looked at on more plants, unless it is certain by then. */
const inDoubt = 2 / 3
/** Who gets less of what there is has found nothing by which others could be judged. */
const least = 0.2
/** Plants are drawn anew at most so often; each look has its part of one in twenty. */
export const looks = 3
const level = 0.05 / looks

export interface Compared {
  /** The mean over the trainings that both were asked about; what is below a guess is nothing. */
  readonly own: number
  readonly other: number
  readonly word: 'less' | 'doubt' | 'enough'
}

/** Undefined where they have too few trainings in common, or the other found next to nothing. */
export function comparedShares(own: Shares, other: Shares): Compared | undefined {
  const pairs = [...own].flatMap(([at, mine]) => {
    const common = [...mine].flatMap(([key, share]) => {
      const theirs = other.get(at)?.get(key)
      return theirs === undefined ? [] : [[share, theirs] as const]
    })
    return common.length === 0 ? [] : [[meanOf(common.map(([a]) => a)), meanOf(common.map(([, b]) => b))] as const]
  })
  const n = pairs.length
  if (n < 2) return undefined
  const less = pairs.map(([a, b]) => b - a)
  const got = (x: number): number => Math.max(0, x)
  const means = { own: meanOf(pairs.map(([a]) => got(a))), other: meanOf(pairs.map(([, b]) => got(b))) }
  if (means.other < least) return undefined
  if (means.own >= inDoubt * means.other) return { ...means, word: 'enough' }
  const deviation = Math.sqrt(varianceOf(less, n - 1) / n)
  const certain = n > 2 && meanOf(less) > studentQuantile(1 - level, n - 1) * deviation
  return { ...means, word: certain && means.own < halfAsMuch * means.other ? 'less' : certain ? 'enough' : 'doubt' }
}
