/** What the server of the page answers, as types for both of them. */
import type { Question, Word } from '../audit/ladder/question.js'
import type { Verdict } from '../audit/verdict.js'
import type { Param } from '../params.js'

/** What went wrong, in words; the status of the answer says whose fault it was. */
export interface Fault {
  readonly error: string
}

/** Something that an attack has found so far: a score on trained records beside that on held-back ones. */
export interface FoundSoFar {
  readonly attack: string
  readonly about: string
  readonly metric: string
  readonly trained: number
  readonly held: number
}

/** Losses of a model whose training has ended. */
export interface TrainedModel {
  readonly model: string
  readonly trainLoss: number | null
  readonly heldOutLoss: number | null
  readonly metric: string | null
  readonly value: number | null
}

/** How far an audit is that was started from the page. */
export interface JobState {
  readonly id: string
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'stopped'
  readonly training: { readonly number: number; readonly total: number }
  readonly round: { readonly model: string; readonly round: number; readonly rounds: number } | null
  readonly attacks: { readonly done: number; readonly total: number }
  readonly lastAttack: string | null
  readonly trained: readonly TrainedModel[]
  /** The widest gaps between trained and held-back records first. */
  readonly found: readonly FoundSoFar[]
  readonly remarks: readonly string[]
  /** Between 0 and 1. */
  readonly share: number
  readonly seconds: number
  readonly secondsLeft: number | null
  /** Why it failed. */
  readonly error: string | null
}

/** A run in the list. */
export interface RunSummary {
  readonly id: string
  readonly name: string
  /** When its folder was last written to, as milliseconds since 1970. */
  readonly changed: number
  /** null: it has not ended. */
  readonly level: Word | null
  readonly complete: boolean
  readonly tested: number
  readonly notTested: number
  readonly sentence: string | null
  /** Whether it was started from a page, so that it can be resumed from there. */
  readonly resumable: boolean
  readonly job: JobState | null
}

/** A question with its words, and without each attack's part in it. */
export type ShownQuestion = Pick<
  Question,
  'observer' | 'target' | 'model' | 'kind' | 'name' | 'level' | 'ladder' | 'test' | 'notTested'
> & {
  readonly about: string
  /** Stronger observers who learn the same. */
  readonly alsoTo: readonly string[]
}

/** Some of a run's questions, in their order. */
export interface QuestionPage {
  readonly from: number
  readonly total: number
  readonly questions: readonly ShownQuestion[]
}

export interface RunDetail {
  readonly summary: RunSummary
  /** Of many sentences the first; `sentences` says how many there are. */
  readonly verdict: Verdict | null
  readonly sentences: number
  /** The first page of those that were tested, and how many there are of both kinds. */
  readonly questions: QuestionPage
  readonly notTested: number
  readonly utility: readonly TrainedModel[]
  readonly versions: Readonly<Record<string, string>>
  /** The scenario as it was written, where it was started from a page. */
  readonly yaml: string | null
}

/** A control of the form. */
export interface FormField {
  /** Where its value stands in a scenario. */
  readonly path: readonly string[]
  readonly doc: string
  readonly unit: string | null
  readonly usual: unknown
  /** For what can be null: what that means. */
  readonly orNull: string | null
  readonly control:
    | {
        readonly kind: 'number'
        readonly min: number | null
        readonly max: number | null
        readonly whole: boolean
      }
    | { readonly kind: 'text' }
    | { readonly kind: 'flag' }
    | { readonly kind: 'choice'; readonly choices: readonly string[] }
    /** Words with commas between, or one of these that stands for a list. */
    | { readonly kind: 'list'; readonly words: readonly string[]; readonly table: string | null }
    /** An entry of a table: its name and its parameters stand at these paths. */
    | {
        readonly kind: 'entry'
        readonly table: string
        readonly nameAt: readonly string[]
        readonly paramsAt: readonly string[]
      }
    /** Several entries; the name of each stands under this key, its parameters under `params` or, where that is null, beside it. */
    | { readonly kind: 'entries'; readonly table: string; readonly nameKey: string; readonly paramsKey: string | null }
    /** To be written in the text. */
    | { readonly kind: 'other' }
}

export interface TableEntry {
  readonly id: string
  readonly title: string
  readonly params: Readonly<Record<string, Param>>
}

/** Everything that the form is built of, from the declarations that flags are built of. */
export interface Described {
  readonly version: string
  readonly fields: readonly FormField[]
  readonly tables: Readonly<Record<string, readonly TableEntry[]>>
  /** The built-in scenario. */
  readonly yaml: string
}

/** What a text says, read as a scenario. */
export interface Checked {
  /** The text as plain values; null where it is no YAML. */
  readonly values: unknown
  readonly error: string | null
}

export interface Edited extends Checked {
  readonly yaml: string
}

export interface GuessedColumns {
  readonly label: string | null
  readonly sensitive: readonly string[]
  readonly client: string | null
  readonly id: string | null
  readonly task: 'regression' | 'classification'
}

/** What was uploaded. */
export type UploadAbout =
  | {
      readonly kind: 'table'
      readonly name: string
      readonly rows: number
      readonly columns: readonly { readonly name: string; readonly numbers: boolean; readonly values: number }[]
      readonly guess: GuessedColumns
      /** A scenario that audits it. */
      readonly yaml: string
    }
  | {
      readonly kind: 'recording'
      readonly name: string
      readonly rounds: number
      readonly clients: number
      readonly model: string
      readonly knowledge: boolean
      readonly truth: boolean
    }
  | {
      readonly kind: 'arrays'
      readonly name: string
      readonly rounds: number
      readonly clients: number
      readonly model: string
      /** What a person should look at. */
      readonly asks: readonly string[]
    }
