/** The whole of an audit as one JSON document: what `overhear audit --json` prints and the report is made from. */

import type { SumAttack } from '../defences/openings/try-sums.js'
import type { Scenario } from '../scenario/scenario-schema.js'
import type { ModelUtility } from '../scenario/simulate-model.js'
import type { ObserverName } from '../threat/observers.js'
import type { AttackResult } from './attack-result.js'
import type { Question } from './ladder/question.js'
import type { LoadedPlugin } from './plugins.js'
import type { RecordingFacts } from './recorded/recording-facts.js'
import type { Verdict } from './verdict.js'

/** What one observer learned. */
export interface ObserverResults {
  readonly observer: ObserverName
  readonly title: string
  readonly attacks: readonly AttackResult[]
}

/** What a malicious server of secure sums can do, whoever's updates are in them. */
export interface SumAttacks {
  readonly observer: ObserverName
  readonly attacks: readonly SumAttack[]
}

/** What is said of differential privacy beside the attacks. */
export interface PrivacyFacts {
  readonly mechanism: string
  readonly unit: 'record' | 'client'
  /** What the settings say; null where they name no figure. */
  readonly claimed: number | null
  readonly delta: number | null
  /** Between which numbers it lies for the client who spends most; null where none holds. */
  readonly accounted: { readonly lower: number; readonly upper: number } | null
  /** That client. */
  readonly client: string | null
  /** How many clients were accounted for, and of how many. */
  readonly clients: readonly [accounted: number, of: number]
  /** What is accounted for, in a plain sentence. */
  readonly means?: string
  /** By how much true alarms can at most exceed false ones, between 0 and 1. */
  readonly advantage?: number
  /** Why there is no figure. */
  readonly why?: string
  /** What canaries in one more training of the first model show at least; absent where none was made. */
  readonly empirical?: EmpiricalEpsilon
  /** Why none was made. */
  readonly notMeasured?: string
}

/** A lower bound by what was heard of canaries, beside what is accounted for the same training. */
export interface EmpiricalEpsilon {
  readonly epsilon: number
  readonly confidence: number
  readonly canaries: number
  readonly accounted: { readonly lower: number; readonly upper: number }
}

/** What an audit ends in: plain data that survives JSON. */
export interface AuditDocument {
  /** null when a recording was audited. */
  readonly scenario: Scenario | null
  readonly hash: string
  readonly versions: { readonly overhear: string; readonly kernels: string; readonly node?: string }
  /** What was brought along, with the hash of its code. */
  readonly plugins: readonly LoadedPlugin[]
  /** What the verdict rests on: each with its ladder, its test and its word. */
  readonly questions: readonly Question[]
  readonly observers: readonly ObserverResults[]
  readonly verdict: Verdict
  /** What a malicious server gets out of the protocol of secure sums; absent where none ran, or nobody asked. */
  readonly sums?: SumAttacks
  /** What is claimed and accounted for of differential privacy; absent where nobody states any. */
  readonly privacy?: PrivacyFacts
  /** Of a recording: what it says by itself. */
  readonly recording?: RecordingFacts
  /** By the model's name; of several seeds, with the seed. */
  readonly utility: Readonly<Record<string, ModelUtility>>
  /** Models that diverged in a training after the first, by name, and where: their questions are not tested. */
  readonly diverged: Readonly<Record<string, string>>
  /** Where the report was written. */
  readonly report: string | null
  readonly complete: boolean
}
