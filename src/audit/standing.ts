/** How a result stands: the one rule for verdicts, advice, controls and reports. What they say of it is made from its level. */
import type { Score } from '../metrics/score.js'
import { type AttackResult, worstFinding } from './attack-result.js'

/** What a score says beside chance. */
export type ScoreLevel = 'leaks' | 'weak' | 'at-chance'

/** What a result says, or why it says nothing. */
export type Level = ScoreLevel | 'control-failed' | 'not-graded' | 'not-applicable' | 'out-of-time' | 'failed'

export interface Standing {
  readonly level: Level
  /** The attack was told the truth: what it reaches bounds others, and is no leak. */
  readonly oracle: boolean
}

/** A lift from here on is a leak, when chance is outside the interval too. */
export const leakLift = 0.1
/** A single number has no interval: luck may lift it, so it takes more to be a leak. */
export const leakLiftAlone = 0.5

export function standingOf(result: AttackResult): Standing {
  return { level: levelOf(result), oracle: result.oracle }
}

function levelOf(result: AttackResult): Level {
  const { status, error, controls } = result
  if (status === 'not-applicable') return status
  if (status === 'failed') return error?.code === 'E_TIME' ? 'out-of-time' : status
  // An attack that failed its controls proves nothing, neither by what it found nor by its silence.
  if (controls?.planted.status === 'broken' || controls?.shuffled.status === 'broken') return 'control-failed'
  const worst = worstFinding(result)
  return worst === undefined ? 'not-graded' : scoreLevel(worst.score)
}

export function scoreLevel(score: Score): ScoreLevel {
  const { lift, interval } = score
  if (lift === null || !outsideChance(score)) return 'at-chance'
  return lift >= (interval === null ? leakLiftAlone : leakLift) ? 'leaks' : 'weak'
}

/** Chance lies outside the interval, on the worse side; without an interval the lift alone decides. */
function outsideChance({ chance, interval, better, lift }: Score): boolean {
  if (chance === null || lift === null) return false
  if (interval === null) return lift >= leakLift
  return better === 'higher' ? interval[0] > chance : interval[1] < chance
}

export type AboveChance = Score & { readonly chance: number; readonly lift: number }

export const aboveChance = (score: Score): score is AboveChance => scoreLevel(score) !== 'at-chance'

/** A sound attack's claim, graded. */
export const isJudged = (level: Level): level is ScoreLevel =>
  level === 'leaks' || level === 'weak' || level === 'at-chance'

/** Whether a verdict may rest on it. */
export const counts = ({ level, oracle }: Standing): boolean => !oracle && isJudged(level)
