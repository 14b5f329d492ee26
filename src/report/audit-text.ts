/** An audit as a terminal shows it. */

import type { AttackResult } from '../audit/attack-result.js'
import type { AuditDocument, ObserverResults } from '../audit/document.js'
import { figure } from '../audit/figures.js'
import { harmless } from '../errors.js'
import { absentees, anyGraded, rowsOf } from './result-rows.js'
import { standingWords, verdictWords } from './standing-words.js'
import { textTable } from './text-table.js'

/** The document as lines for a terminal. */
export function auditText(audit: AuditDocument): string {
  const { verdict } = audit
  const utility = Object.values(audit.utility)
  const parts = audit.observers.map(observerText)
  const several = new Set(utility.map(({ model }) => model)).size > 1
  const worth = utility.map(
    ({ model, rounds, metric, value }) =>
      `${several ? `${model}: ` : ''}${rounds} rounds${metric === null ? '' : `, held-out ${metric} ${figure(value)}`}`,
  )
  const lines = [
    ...parts,
    ...(worth.length === 0 ? [] : [`trained: ${worth.join('; ')}`]),
    `verdict: ${verdictWords(anyGraded(audit) ? verdict.level : null).loud}`,
    ...verdict.reasons.map((reason) => `  - ${reason}`),
    ...(verdict.advice.length === 0 ? [] : ['what to change:', ...verdict.advice.map((line) => `  - ${line}`)]),
    ...(audit.complete ? [] : ['interrupted: what was finished is kept, and --resume goes on']),
    ...(audit.report === null ? [] : [`report: ${audit.report}`]),
  ]
  return harmless(lines.join('\n'), '\n')
}

function observerText({ observer, title, attacks }: ObserverResults): string {
  const shown = attacks.filter(({ status, sameAs }) => status !== 'not-applicable' && sameAs === undefined)
  const same = [...new Set(attacks.filter(({ status }) => status === 'claimed').flatMap(({ sameAs }) => sameAs ?? []))]
  const absent = absentees(attacks).map(({ attack }) => attack)
  const lines = [
    ...(shown.length === 0 ? [] : [attackTable(shown)]),
    ...(same.length === 0 ? [] : [`  and everything that ${same.join(' and ')} can do`]),
    ...(shown.length === 0 && same.length === 0 ? ['  nothing applies'] : []),
    ...(absent.length === 0 ? [] : [`  not applicable: ${absentText([...new Set(absent)])}`]),
  ]
  return `${observer}: ${title}\n${lines.join('\n')}\n`
}

/** A few names, or how many there are: the report says why of each. */
const absentText = (names: readonly string[]): string =>
  names.length <= 4 ? names.join(', ') : `${names.length} attacks (the report says why)`

function attackTable(results: readonly AttackResult[]): string {
  const models = new Set(results.map(({ model }) => model)).size > 1
  const rows = rowsOf(results).map(({ result, attack, what, value, interval, chance, lift, standing }) => {
    return [
      ...(models ? [result.model ?? ''] : []),
      attack,
      what,
      value,
      interval,
      chance,
      lift,
      standingWords(standing),
    ]
  })
  const head = [...(models ? ['model'] : []), 'attack', 'what', 'score', '95 %', 'chance', 'lift', 'verdict']
  return textTable(head, rows)
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')
}
