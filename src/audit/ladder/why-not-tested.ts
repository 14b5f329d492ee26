/** Why the silence of a question's attacks says nothing, in words. */
import type { AttackResult } from '../attack-result.js'
import type { AskedAttack, AskedQuestion } from './asked-results.js'

/** How an attack of an observer is named among those that are broken. */
export const brokenKey = ({ attack, params, observer, model }: Placed): string =>
  JSON.stringify([attack, params, observer, model])

type Placed = Pick<AttackResult, 'attack' | 'params' | 'observer' | 'model'>

/** Below this a guess tells trained from held-back records of a recording: they were not kept back at random. */
const unlikeHalves = 0.001

/** null: the question was tested, and its silence counts. */
export function whyNotTested({ attacks, observer, model }: AskedQuestion, broken: ReadonlySet<string>): string | null {
  const stopped = attacks.filter(({ results }) => results.some(({ error }) => error?.code === 'E_TIME'))
  if (stopped.length > 0) return `out of time: ${names(stopped)}; --resume goes on, secondsPerAttack is the limit`
  const unlike = attacks.flatMap(({ answers }) => answers).find((one) => (one?.guess?.p ?? 1) < unlikeHalves)
  if (unlike !== undefined)
    return 'the held-back records are unlike the trained ones: they were not kept back at random'
  const answering = attacks.filter((one) => !isSilent(one))
  if (answering.length === 0) return whyNone(attacks)
  if (answering.every(({ id, params }) => broken.has(brokenKey({ attack: id, params, observer, model }))))
    return `blind here: ${names(answering)} did not find a leak that was planted`
  return null
}

/** Without an answer in any training. Where others answer by what the federation tells alone, it depends on these whether a question is closed. */
export const isSilent = ({ answers }: Pick<AskedAttack, 'answers'>): boolean =>
  answers.every((one) => one === undefined)

const names = (attacks: readonly AskedAttack[]): string => [...new Set(attacks.map(({ id }) => id))].join(', ')

/** What kept every attack from answering: the first reason of each kind, what went wrong before what is missing. */
function whyNone(attacks: readonly AskedAttack[]): string {
  const results = attacks.flatMap(({ results }) => results)
  const failed = results.find(({ status }) => status === 'failed')
  if (failed !== undefined) return `${failed.attack} failed: ${failed.error?.message ?? ''}`
  const unasked = results.find(({ ladder }) => ladder?.notAsked !== undefined)
  if (unasked !== undefined) return unasked.ladder!.notAsked!
  const absent = results.filter(({ status }) => status === 'not-applicable')
  if (absent.length > 0) return `no applicable attack: ${reasonsOf(absent)}`
  return 'the truth lacks what it takes to grade the claims'
}

/** What a change of the protocol can take from an observer for good. */
const messages: ReadonlySet<string> = new Set(['exchanges', 'updates', 'channel', 'rounds without some client'])

/** Whether every attack lacks messages that it takes; one that refuses for another reason proves nothing. */
export function isUnheard({ attacks }: Pick<AskedQuestion, 'attacks'>): boolean {
  const results = attacks.flatMap((one) => one.results)
  return (
    results.length > 0 &&
    results.every(
      ({ status, missing = [], ladder }) =>
        status === 'not-applicable' && ladder?.notAsked === undefined && missing.some((one) => messages.has(one)),
    )
  )
}

/** One reason for each attack: that of its first training. */
function reasonsOf(absent: readonly AttackResult[]): string {
  const reasons = new Map<string, string>()
  for (const { attack, why, missing = [] } of absent) {
    if (!reasons.has(attack)) reasons.set(attack, `${attack}: ${why ?? `it lacks ${missing.join(', ')}`}`)
  }
  const distinct = [...reasons.values()]
  return distinct.slice(0, 3).join('; ') + (distinct.length > 3 ? `; and ${distinct.length - 3} more` : '')
}
