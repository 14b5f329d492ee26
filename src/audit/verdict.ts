/** From results to words: does it leak, why do we say so, and what may not be concluded. */

import type { ClaimKind } from '../attacks/claim.js'
import type { Score } from '../metrics/score.js'
import type { Scenario } from '../scenario/scenario-schema.js'
import { adviceFor } from './advice.js'
import { type AttackResult, worstFinding } from './attack-result.js'
import { figure } from './figures.js'
import { type AboveChance, aboveChance, counts, standingOf } from './standing.js'

/** What the results of an audit mean. */
export interface Verdict {
  readonly level: 'leaks' | 'weak' | 'none-found'
  readonly reasons: readonly string[]
  readonly advice: readonly string[]
  /** Clients by id, with what was learned of each. */
  readonly clients: readonly ClientVerdict[]
}

/** What was learned of one client. */
export interface ClientVerdict {
  readonly id: string
  readonly level: Verdict['level']
  /** The attack with the greatest lift on this client, where one is above chance. */
  readonly worst: { readonly attack: string; readonly lift: number } | null
  /** Records whose claimed value the attack is sure of (0.95 and more) and right about. */
  readonly exposedRecords: number | null
}

/** Results that the verdict rests on; the same view under another name says nothing more. */
const counted = (results: readonly AttackResult[]): AttackResult[] =>
  results.filter((one) => one.sameAs === undefined && counts(standingOf(one)))

export function verdictOf(results: readonly AttackResult[], scenario?: Scenario): Verdict {
  const level = levelOf(results)
  const reasons = [...strongest(results), ...caveats(results)]
  return { level, reasons, advice: adviceFor(counted(results), scenario), clients: byClient(results) }
}

function levelOf(results: readonly AttackResult[]): Verdict['level'] {
  const levels = counted(results).map((one) => standingOf(one).level)
  return levels.includes('leaks') ? 'leaks' : levels.includes('weak') ? 'weak' : 'none-found'
}

/** What a rule on the label alone would reach, were its threshold known. */
function beside({ also }: Score): string {
  const accuracy = also.thresholdAccuracy
  return accuracy === undefined
    ? ''
    : `, and a threshold on the label, chosen in hindsight, an accuracy of ${figure(accuracy)}`
}

interface Found {
  readonly one: AttackResult
  readonly kind: ClaimKind
  readonly score: AboveChance
}

/** What counts and lies above chance. */
function foundIn(results: readonly AttackResult[]): Found[] {
  return counted(results).flatMap((one) => {
    const { claim, score } = worstFinding(one)!
    return aboveChance(score) ? [{ one, kind: claim.kind, score }] : []
  })
}

/** The strongest finding of each kind of claim, the greatest lift first. */
function strongest(results: readonly AttackResult[]): string[] {
  const best = new Map<ClaimKind, Found>()
  for (const found of foundIn(results)) {
    const before = best.get(found.kind)
    if (before === undefined || before.score.lift < found.score.lift) best.set(found.kind, found)
  }
  return [...best.values()].sort((a, b) => b.score.lift - a.score.lift).map(sentence)
}

function sentence({ one, score }: Found): string {
  const { metric, value, guesser, chance } = score
  const whom = one.target === null ? '' : ` of client ${one.target}`
  const model = one.model === null ? '' : ` (${one.model})`
  const who = `${one.attack}, as ${one.observer}${whom}${model}`
  return `${who}: ${metric} ${figure(value)} where ${guesser} has ${figure(chance)}${beside(score)}`
}

/** What stands against reading "nothing found" as "private", and the reverse. */
function caveats(results: readonly AttackResult[]): string[] {
  const own = results.filter((one) => one.sameAs === undefined)
  const names = (list: readonly AttackResult[]): string => [...new Set(list.map(({ attack }) => attack))].join(', ')
  const unplanted = own.filter(({ controls }) => controls?.planted.status === 'broken')
  const unshuffled = own.filter(({ controls }) => controls?.shuffled.status === 'broken')
  const failed = own.filter(({ status }) => status === 'failed')
  const unscored = own.filter((one) => one.status === 'claimed' && worstFinding(one) === undefined)
  const scored = own.filter((one) => one.status === 'claimed' && !one.oracle && worstFinding(one) !== undefined)
  const untested = scored.filter(({ controls }) => controls === undefined)
  const halfTested = scored.filter(({ controls }) => {
    return controls?.planted.status === 'failed' || controls?.shuffled.status === 'failed'
  })
  const lines: [readonly AttackResult[], string][] = [
    [unplanted, 'did not find a planted leak: broken here, so their silence says nothing'],
    [unshuffled, 'beat chance where there was nothing to find: what they claim does not count'],
    [failed, 'ended in an error'],
    [untested, 'not tested on a planted leak and in a shuffled world'],
    [halfTested, 'could not be tested: a control ended in an error'],
    [unscored, 'claimed something that could not be graded: the truth lacks what it takes'],
  ]
  const found = lines.flatMap(([list, words]) => (list.length === 0 ? [] : [`${names(list)}: ${words}`]))
  if (!own.some(({ status }) => status === 'claimed')) found.push('no attack was applicable: nothing was tested')
  else if (!own.some((one) => counts(standingOf(one))))
    found.push('no attack is left that was graded and passed its controls: nothing was tested')
  return found
}

function byClient(results: readonly AttackResult[]): ClientVerdict[] {
  const ids = [...new Set(results.flatMap(({ target }) => target ?? []))]
  return ids.map((id) => {
    const own = counted(results).filter(({ target }) => target === id)
    let worst: ClientVerdict['worst'] = null
    for (const { one, score } of foundIn(own)) {
      if (worst === null || worst.lift < score.lift) worst = { attack: one.attack, lift: score.lift }
    }
    return { id, level: levelOf(own), worst, exposedRecords: exposed(own) }
  })
}

/** A claimed value counts as exposed when the attack gives it at least this probability, and is right. */
export const sureFrom = 0.95

/** The most records that one attribute attack above chance is sure of and right about. */
function exposed(results: readonly AttackResult[]): number | null {
  let most: number | null = null
  for (const { claim, score } of results.flatMap(({ findings }) => findings)) {
    const confidence = claim.kind === 'attribute' ? claim.confidence : undefined
    // Of a continuous attribute these are errors in its own unit: nothing is simply right.
    const right = score?.metric === 'auc' && aboveChance(score) ? score.perRecord : undefined
    if (confidence === undefined || right === undefined) continue
    const sure = confidence.filter((p, i) => p >= sureFrom && right[i] === 1).length
    most = Math.max(most ?? 0, sure)
  }
  return most
}
