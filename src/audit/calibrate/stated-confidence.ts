/** Whether attacks are as sure as they are right: what they said beside their claims, and what came true. */
import { calibrationError } from '../../metrics/calibration.js'
import type { AuditDocument } from '../document.js'
import { nameOf } from '../ladder/asked-results.js'

/** From here on a claim counts as sure. */
const sureFrom = 0.95

/** One attack on one attribute. */
export interface Calibrated {
  readonly attack: string
  readonly model: string | null
  readonly name: string | null
  /** Claims with a confidence. */
  readonly claims: number
  readonly error: number
  readonly sure: number
  readonly sureAndWrong: number
}

export function statedConfidence({ observers }: Pick<AuditDocument, 'observers'>): Calibrated[] {
  return observers
    .flatMap(({ attacks }) => attacks)
    .filter(({ sameAs, oracle }) => sameAs === undefined && !oracle)
    .flatMap(({ attack, model, findings }) =>
      findings.flatMap(({ claim, score }): Calibrated[] => {
        const { confidence } = claim as { readonly confidence?: readonly number[] }
        const right = score?.perRecord
        if (confidence === undefined || right === undefined || confidence.length !== right.length) return []
        const sure = confidence.flatMap((p, i) => (p >= sureFrom ? [right[i]!] : []))
        return [
          {
            attack,
            model,
            name: nameOf(claim),
            claims: confidence.length,
            error: calibrationError(confidence, right),
            sure: sure.length,
            sureAndWrong: sure.filter((one) => one === 0).length,
          },
        ]
      }),
    )
}
