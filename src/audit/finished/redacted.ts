/** An audit's document without people: no ids, values or pictures of anybody, counts alone. */

import type { Score } from '../../metrics/score.js'
import type { AttackResult, Finding } from '../attack-result.js'
import type { AuditDocument } from '../document.js'
import type { Question } from '../ladder/question.js'

/** What may be said to people who must not learn who is exposed. Names of clients stay: they are the federation's own. */
export function redacted(audit: AuditDocument): AuditDocument {
  return {
    ...audit,
    questions: audit.questions.map(withoutIds),
    observers: audit.observers.map((one) => ({ ...one, attacks: one.attacks.map(withoutClaims) })),
  }
}

/** How many are exposed stays; who is not among them any more. */
function withoutIds(question: Question): Question {
  const { exposed } = question
  if (exposed === null) return question
  const { sure: _, ...counts } = exposed
  return { ...question, exposed: { ...counts, ids: exposed.ids.map(() => hidden) } }
}

/** What stands in the place of an id. */
export const hidden = '(not shown)'

/** Scores stay. What was claimed, about whom, and in which figures does not; neither does what each record came to. */
function withoutClaims({
  details: _,
  warnings: __,
  ladder: ___,
  controls,
  error,
  ...result
}: AttackResult): AttackResult {
  const plain = {
    ...result,
    details: {},
    warnings: [],
    findings: result.findings.map(withoutPeople),
    // What went wrong may have been found in a record.
    ...(error !== undefined && { error: { code: error.code, message: 'left out: it may tell of a record' } }),
  }
  if (controls === undefined) return plain
  const { score, ...planted } = controls.planted
  return { ...plain, controls: { planted: { ...planted, score: score && wholeOf(score) } } }
}

/** Of a score what all records came to together. */
function wholeOf({ perRecord: _, pairedWith: __, perClient: ___, ...whole }: Score): Score {
  return whole
}

function withoutPeople({ claim, score, rebuilt: _, ...finding }: Finding): Finding {
  const { kind, ...rest } = claim
  const name = 'name' in rest ? { name: rest.name } : {}
  if (score === null) return { ...finding, score, claim: { kind, ...name } as Finding['claim'] }
  return { ...finding, score: wholeOf(score), claim: { kind, ...name } as Finding['claim'] }
}
