/** Whether attacks are as sure as they are right: what they said beside their claims, what other trainings make of it, and what came true. */
import type { AuditDocument } from '../document.js'
import type { Confidence } from '../ladder/rehearsed-confidence.js'

/** One attack on one question. */
export interface Calibrated extends Confidence {
  readonly attack: string
  readonly model: string | null
  /** Whose records; null: it is about all clients. */
  readonly client: string | null
  readonly name: string | null
}

export function statedConfidence({ questions }: Pick<AuditDocument, 'questions'>): Calibrated[] {
  return questions
    .filter(({ sameAs }) => sameAs === undefined)
    .flatMap(({ model, target: client, name, attacks }) =>
      attacks.flatMap(({ attack, confidence }) =>
        confidence === undefined ? [] : [{ attack, model, client, name, ...confidence }],
      ),
    )
}
