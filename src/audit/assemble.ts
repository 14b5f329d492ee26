/** From finished jobs to the document: results by observer, the verdict over all of them. */

import type { Scenario } from '../scenario/scenario-schema.js'
import { type ObserverName, observerCalled, observers } from '../threat/observers.js'
import type { AttackResult } from './attack-result.js'
import type { AuditDocument, ObserverResults } from './document.js'
import { nameOf } from './ladder/asked-results.js'
import type { Question } from './ladder/question.js'
import type { Planned } from './plan-jobs.js'
import { verdictOf } from './verdict.js'

/** A job's result with the observers who share it. */
export interface Finished {
  readonly planned: Planned
  readonly result: AttackResult
}

/** Everything but the results. */
export interface Around
  extends Pick<
    AuditDocument,
    'hash' | 'plugins' | 'versions' | 'utility' | 'diverged' | 'report' | 'complete' | 'sums' | 'privacy'
  > {
  readonly scenario: Scenario | null
  readonly observers: readonly ObserverName[]
}

export function assemble(
  finished: readonly Finished[],
  { observers: asked, ...around }: Around,
  questions: readonly Question[] = [],
): AuditDocument {
  const shared = withControls(finished.filter(({ result }) => result.ladder === undefined))
  const byObserver = Object.keys(observers)
    .filter((name) => asked.includes(name))
    .map((observer): ObserverResults => {
      const attacks = shared.flatMap(({ planned, result }) => {
        if (result.observer === observer) return [withCells(result, questions)]
        if (!planned.alsoFor.includes(observer)) return []
        return [withCells({ ...result, observer, sameAs: result.observer }, questions)]
      })
      return { observer, title: observerCalled(observer).title, attacks }
    })
  const all = byObserver.flatMap(({ attacks }) => attacks)
  const told = questions.map((question) => withRounds(question, all))
  const verdict = verdictOf(told, all, around.scenario ?? undefined)
  return { ...around, questions: told, observers: byObserver, verdict }
}

/** Of accused clients, from which round on they are given away: the curve of the first attack that drew one. */
function withRounds(question: Question, all: readonly AttackResult[]): Question {
  const { exposed, observer, model, kind, name } = question
  if (exposed === null || kind !== 'property') return question
  const curves = all
    .filter((one) => one.observer === observer && one.model === model)
    .flatMap(({ findings }) => findings.map(({ claim }) => claim))
    .flatMap((claim) => (claim.kind === 'property' && claim.property === name ? [claim.exposure] : []))
  const curve = curves.find((one) => one !== undefined)
  if (curve === undefined) return question
  const after = Object.fromEntries(
    exposed.ids.flatMap((id) => {
      const round = curve.exposedAt[id]
      return round === undefined ? [] : [[id, { round, notAfter: curve.lastBelow?.[id] ?? null }] as const]
    }),
  )
  return { ...question, exposed: { ...exposed, after } }
}

/** Each finding with how the same attack did in the other cells, over all trainings. */
function withCells(result: AttackResult, questions: readonly Question[]): AttackResult {
  const here = questions.filter(({ observer, target, model }) => {
    return observer === result.observer && target === result.target && model === result.model
  })
  if (here.length === 0) return result
  const params = JSON.stringify(result.params)
  const findings = result.findings.map((finding) => {
    const { kind } = finding.claim
    const question = here.find((one) => one.kind === kind && one.name === nameOf(finding.claim))
    const own = question?.attacks.find((one) => one.attack === result.attack && JSON.stringify(one.params) === params)
    return own === undefined ? finding : { ...finding, cells: own.cells }
  })
  return { ...result, findings }
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
