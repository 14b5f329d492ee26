/** Whether attacks are as sure as they are right: what they said beside their claims, what other trainings make of it, and what came true. */
import type { AuditDocument } from '../document.js'
import type { Confidence } from '../ladder/rehearsed-confidence.js'

/** One attack on one question. */
export interface Calibrated extends Confidence {
  readonly attack: string
  readonly model: string | null
  readonly name: string | null
}

export function statedConfidence({ questions }: Pick<AuditDocument, 'questions'>): Calibrated[] {
  return questions
    .filter(({ sameAs }) => sameAs === undefined)
    .flatMap(({ model, name, attacks }) =>
      attacks.flatMap(({ attack, confidence }) =>
        confidence === undefined ? [] : [{ attack, model, name, ...confidence }],
      ),
    )
}
