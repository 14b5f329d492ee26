/** The threat model in words: what an observer hears, what it may do, and what it may bring along. */
import { hearsUpdates, type Observer, sends } from '../../threat/observer.js'
import { observerCalled, observers } from '../../threat/observers.js'
import { catalogue } from '../catalogue.js'
import type { ObserverResults } from '../document.js'

/** What the messages are that reach it. */
function heardBy(observer: Observer): string {
  const { line, mayKnow, sums } = observer
  if (hearsUpdates(observer)) {
    return line === 'one'
      ? 'what one client is sent and what it returns, in every round in which it takes part'
      : 'what every client is sent and returns'
  }
  if (!mayKnow.has('aggregates')) return 'the models that all are sent'
  return sums === 'as such'
    ? 'sums over clients, and no single update'
    : 'the models that all are sent; two in a row give the sum of a round'
}

/** Attacks that made a claim. */
export const ranIn = (attacks: ObserverResults['attacks']): Set<string> =>
  new Set(attacks.filter(({ status }) => status === 'claimed').map(({ attack }) => attack))

/** A few sentences; of an observer that no table knows, nothing. */
export function threatWords({ observer, attacks }: ObserverResults): string {
  if (!Object.hasOwn(observers, observer)) return ''
  const entry = observerCalled(observer)
  const ran = ranIn(attacks)
  const needs = new Set(
    catalogue.attacks().flatMap(({ id, needs: asked, uses }) => (ran.has(id) ? [...asked, ...uses] : [])),
  )
  const brought = Object.entries(broughtWords).flatMap(([key, words]) => (needs.has(key) ? [words] : []))
  const sentences = [
    `It hears ${heardBy(entry)}${entry.mayKnow.has('participation') ? ', and who took part' : ''}.`,
    ...(sends(entry) ? ['It may send each client what it likes.'] : []),
    ...(brought.length === 0 ? [] : [`Some attacks that ran suppose that it has besides: ${brought.join('; ')}.`]),
  ]
  return sentences.join(' ')
}

/** What does not come out of messages. */
const broughtWords: Readonly<Record<string, string>> = {
  records: "the client's records without the sensitive column",
  'records.label': 'their labels',
  auxiliary: 'other records of the same kind',
  candidates: 'a list of records to ask about',
  metaclassCounts: 'how many records of each group the client holds',
}
