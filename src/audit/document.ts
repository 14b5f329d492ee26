/** The whole of an audit as one JSON document: what `overhear audit --json` prints and the report is made from. */
import type { ObserverName } from '../threat/observers.js'
import type { AttackResult } from './results.js'
import type { Scenario } from './scenario.js'
import type { Verdict } from './verdict.js'

export interface ObserverResults {
  readonly observer: ObserverName
  readonly title: string
  readonly attacks: readonly AttackResult[]
}

/** How good the trained model is, for whoever weighs privacy against use. */
export interface Utility {
  readonly model: string | null
  readonly rounds: number
  readonly trainLoss: number | null
  readonly heldOutLoss: number | null
  /** "R2" or "accuracy" on the rows kept back. */
  readonly metric: string | null
  readonly value: number | null
}

export interface AuditDocument {
  /** null when a recording was audited. */
  readonly scenario: Scenario | null
  readonly hash: string
  readonly versions: { readonly overhear: string; readonly kernels: string; readonly node?: string }
  readonly observers: readonly ObserverResults[]
  readonly verdict: Verdict
  /** By the model's name; of several seeds, with the seed. */
  readonly utility: Readonly<Record<string, Utility>>
  /** Where the report was written. */
  readonly report: string | null
  readonly complete: boolean
}
