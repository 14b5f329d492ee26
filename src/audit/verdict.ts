/** From results to words: does it leak, why do we say so, and what may not be concluded. */

import type { Score } from '../metrics/score.js'
import type { Scenario } from '../scenario/scenario.js'
import { adviceFor } from './advice.js'
import { type AttackResult, worstFinding } from './attack-result.js'
import { aboveChance, leaks } from './significance.js'

export interface Verdict {
  readonly level: 'leaks' | 'weak' | 'none-found'
  readonly reasons: readonly string[]
  readonly advice: readonly string[]
  /** Clients by id, with what was learned of each. */
  readonly clients: readonly ClientVerdict[]
}

export interface ClientVerdict {
  readonly id: string
  readonly level: Verdict['level']
  /** The attack with the greatest lift on this client, where one is above chance. */
  readonly worst: { readonly attack: string; readonly lift: number } | null
  /** Records whose claimed value the attack is sure of (0.95 and more) and right about. */
  readonly exposedRecords: number | null
}

/** An attack that failed its controls proves nothing, neither by what it found nor by its silence. */
export function isSound({ controls }: AttackResult): boolean {
  return controls === undefined || (controls.planted.status !== 'broken' && controls.shuffled.status !== 'broken')
}

/** Results that count: claims of sound attacks that are not told the truth. */
const counted = (results: readonly AttackResult[]): AttackResult[] =>
  results.filter((one) => one.status === 'claimed' && !one.oracle && one.sameAs === undefined && isSound(one))

export function verdictOf(results: readonly AttackResult[], scenario?: Scenario): Verdict {
  const level = levelOf(results)
  const reasons = [...findings(results), ...caveats(results)]
  return { level, reasons, advice: adviceFor(counted(results), scenario), clients: byClient(results) }
}

function levelOf(results: readonly AttackResult[]): Verdict['level'] {
  const scores = counted(results).flatMap((one) => worstFinding(one)?.score ?? [])
  if (scores.some(leaks)) return 'leaks'
  return scores.some(aboveChance) ? 'weak' : 'none-found'
}

const figure = (x: number): string => (Math.abs(x) >= 1000 ? x.toFixed(0) : x.toPrecision(3))

/** What a rule on the label alone would reach, were its threshold known. */
function beside({ also }: Score): string {
  const accuracy = also.thresholdAccuracy
  return accuracy === undefined ? '' : `, and a threshold on the label, chosen in hindsight, ${figure(accuracy)}`
}

/** The strongest finding of each kind of claim, the greatest lift first. */
function findings(results: readonly AttackResult[]): string[] {
  const best = new Map<string, { one: AttackResult; lift: number; text: string }>()
  for (const one of counted(results)) {
    const worst = worstFinding(one)
    const score = worst?.score
    if (worst === undefined || score === undefined || score.lift === null || !aboveChance(score)) continue
    const { kind } = worst.claim
    const whom = one.target === null ? '' : ` of client ${one.target}`
    const model = one.model === null ? '' : ` (${one.model})`
    const text = `${one.attack}, as ${one.observer}${whom}${model}: ${score.metric} ${figure(score.value)} where ${score.guesser} has ${figure(score.chance!)}${beside(score)}`
    const before = best.get(kind)
    if (before === undefined || before.lift < score.lift) best.set(kind, { one, lift: score.lift, text })
  }
  return [...best.values()].sort((a, b) => b.lift - a.lift).map(({ text }) => text)
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
  else if (!scored.some(isSound))
    found.push('no attack is left that was graded and passed its controls: nothing was tested')
  return found
}

function byClient(results: readonly AttackResult[]): ClientVerdict[] {
  const ids = [...new Set(results.flatMap(({ target }) => target ?? []))]
  return ids.map((id) => {
    const own = counted(results).filter(({ target }) => target === id)
    let worst: ClientVerdict['worst'] = null
    for (const one of own) {
      const score = worstFinding(one)?.score
      if (score === undefined || score.lift === null || !aboveChance(score)) continue
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
    const right = score?.metric === 'accuracy' && aboveChance(score) ? score.perRecord : undefined
    if (confidence === undefined || right === undefined) continue
    const sure = confidence.filter((p, i) => p >= sureFrom && right[i] === 1).length
    most = Math.max(most ?? 0, sure)
  }
  return most
}
