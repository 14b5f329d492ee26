/** From finished jobs to the document: results by observer, the verdict over all of them. */
import { lookup } from '../errors.js'
import type { Scenario } from '../scenario/scenario-schema.js'
import { alpha, errorMargin, margin } from '../settings/world-settings.js'
import { type ObserverName, observerCalled, observers } from '../threat/observers.js'
import type { AttackResult } from './attack-result.js'
import type { AuditDocument, ObserverResults } from './document.js'
import type { AskedResult } from './ladder/asked-results.js'
import type { Question } from './ladder/question.js'
import { brokenKey, questionsOf } from './ladder/questions.js'
import { asked as askedTable } from './ladder/run-asked.js'
import type { Planned } from './plan-jobs.js'
import { verdictOf } from './verdict.js'

/** A job's result with the observers who share it. */
export interface Finished {
  readonly planned: Planned
  readonly result: AttackResult
}

/** Everything but the results. */
export interface Around
  extends Pick<AuditDocument, 'hash' | 'plugins' | 'versions' | 'utility' | 'report' | 'complete'> {
  readonly scenario: Scenario | null
  readonly observers: readonly ObserverName[]
  readonly repeats: number
  readonly seed: number
}

export function assemble(finished: readonly Finished[], given: Around): AuditDocument {
  const { observers: asked, repeats, seed, ...around } = given
  const shared = withControls(finished.filter(({ result }) => result.ladder === undefined))
  const byObserver = Object.keys(observers)
    .filter((name) => asked.includes(name))
    .map((observer): ObserverResults => {
      const attacks = shared.flatMap(({ planned, result }) => {
        if (result.observer === observer) return [result]
        return planned.alsoFor.includes(observer) ? [{ ...result, observer, sameAs: result.observer }] : []
      })
      return { observer, title: observerCalled(observer).title, attacks }
    })
  const all = byObserver.flatMap(({ attacks }) => attacks)
  const questions = questionsFrom(finished, { ...given, results: all })
  return { ...around, questions, observers: byObserver, verdict: verdictOf(all, around.scenario ?? undefined) }
}

/** What a recording is judged by, which says nothing of it itself. */
const usual = { alpha: alpha.value.default, margin: margin.value.default, errorMargin: errorMargin.value.default }

function questionsFrom(
  finished: readonly Finished[],
  { scenario, observers: wanted, repeats, seed, results }: Around & { readonly results: readonly AttackResult[] },
): Question[] {
  const table = askedTable()
  const climbed = finished.filter(({ result }) => result.ladder !== undefined)
  const broken = results.filter(({ controls }) => controls?.planted.status === 'broken')
  return questionsOf(
    climbed.map((one): AskedResult => ({ ...one, attack: lookup(table, one.result.attack, 'attack') })),
    {
      ...(scenario ?? usual),
      observers: Object.keys(observers).filter((name) => wanted.includes(name)),
      repeats,
      seed,
      broken: new Set(broken.map(({ attack, model }) => brokenKey(attack, model))),
    },
  )
}

/** Controls were run for one target of each attack and view; they speak for the others too. */
function withControls(finished: readonly Finished[]): Finished[] {
  const key = ({ attack, observer, model, params, seed }: AttackResult): string =>
    JSON.stringify([attack, observer, model, params, seed])
  const known = new Map(
    finished.flatMap(({ result }) => (result.controls === undefined ? [] : [[key(result), result.controls] as const])),
  )
  return finished.map(({ planned, result }) => {
    const controls = result.controls ?? known.get(key(result))
    const tested = controls !== undefined && result.status !== 'not-applicable'
    return { planned, result: tested ? { ...result, controls } : result }
  })
}
