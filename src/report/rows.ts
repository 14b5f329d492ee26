/** The results as rows of words and figures, for the terminal and for the report alike. */
import { type AttackResult, worstScore } from '../audit/results.js'
import { aboveChance, leaks } from '../audit/significance.js'
import { isSound } from '../audit/verdict.js'
import type { Score } from '../metrics/score.js'

export interface Row {
  readonly result: AttackResult
  readonly score: Score | null
  readonly attack: string
  readonly what: string
  readonly value: string
  readonly interval: string
  readonly chance: string
  readonly lift: string
  readonly verdict: string
}

/** Four digits at most, without an exponent where one can be avoided. */
export function figure(x: number | null | undefined): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return '-'
  const size = Math.abs(x)
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return x.toExponential(2)
  return size >= 1000 ? x.toFixed(0) : size >= 100 ? x.toFixed(1) : size >= 1 ? x.toFixed(2) : x.toFixed(3)
}

export function verdictWord(result: AttackResult): string {
  if (result.status === 'not-applicable') return 'not applicable'
  if (result.status === 'failed') return result.error?.code === 'E_TIME' ? 'out of time' : 'failed'
  if (!isSound(result)) return 'control failed'
  const score = worstScore(result)
  if (score === null) return 'not graded'
  const oracle = result.oracle ? ' (oracle)' : ''
  return (leaks(score) ? 'leaks' : aboveChance(score) ? 'weak' : 'at chance') + oracle
}

/** What was attacked: "union of client 0". */
function subject(result: AttackResult): string {
  const claims = result.claims ?? (result.claim === undefined ? [] : [result.claim])
  const names = claims.map((claim) => String(claim.name ?? claim.property ?? claim.kind))
  const whom = result.target === null ? '' : ` of client ${result.target}`
  return `${names.join(', ')}${whom}`
}

export function rowOf(result: AttackResult): Row {
  const score = worstScore(result)
  return {
    ...{ result, score, attack: result.attack, what: subject(result) },
    value: score === null ? '-' : `${score.metric} ${figure(score.value)}`,
    interval: score?.interval == null ? '' : `${figure(score.interval[0])}..${figure(score.interval[1])}`,
    chance: figure(score?.chance),
    lift: score?.lift == null ? '-' : score.lift.toFixed(2),
    verdict: verdictWord(result),
  }
}
