/** A question of an audit: what is asked of whom, its ladder, what the test says, and the word that follows. */
import type { Better } from '../../metrics/score.js'
import type { ObserverName } from '../../threat/observers.js'
import type { Word } from '../../verdict/words.js'
import type { Confidence } from './rehearsed-confidence.js'

/** The words are the test's; who reads a question finds them here. */
export { isAlarm, type Word } from '../../verdict/words.js'

/** Where an answer comes from: nothing heard, a federation without the client, its own messages, its own records. */
export type Rung = 'guess' | 'federation' | 'client' | 'record' | 'everybody'

/** The best score on each rung, a mean over the trainings; null where a rung cannot be had. */
export interface Ladder extends Readonly<Record<Rung, number | null>> {
  readonly metric: string
  readonly better: Better
  /** The score of whoever knows everything; null where there is none. */
  readonly best: number | null
  /** The guess in words. */
  readonly guesser: string | null
}

/** What the randomisation test says of one step of the ladder. */
export interface StepTest {
  readonly p: number
  /** After the correction for all questions of the audit. */
  readonly adjusted: number
  /** Signed so that more is worse; in the unit of the metric. */
  readonly effect: number
  /** The share of the error of the lower rung that is gone on the upper one. */
  readonly errorRemoved: number | null
  readonly interval: readonly [low: number, high: number] | null
  /** The least effect that would have been seen, with power 0.8. */
  readonly leastSeen: number | null
  /** Trainings that it rests on. */
  readonly repeats: number
  /** The effect in each of them, in order: audits that share their deals are compared training by training. */
  readonly each?: readonly number[]
}

/** How one attack did in each cell, a mean over the trainings. It is shown, and does not decide by itself. */
export interface AttackLadder {
  readonly attack: string
  readonly params: Readonly<Record<string, unknown>>
  readonly cells: Readonly<Partial<Record<Exclude<Rung, 'guess'>, number>>>
  /** Whether it is as sure as it is right; absent where it does not say, or there is one training alone. */
  readonly confidence?: Confidence
}

/** Of the first training, in people: how many the best attack is right about, and how many could be guessed. */
export interface PeopleCounts {
  /** Trained records of the target that were asked about. */
  readonly trained: { readonly right: number; readonly of: number }
  /** Held-back records of the target that were asked about. */
  readonly heldBack: { readonly right: number; readonly of: number }
  /** Trained records that a guess is right about. */
  readonly guessed: { readonly right: number; readonly of: number } | null
}

/** Records of the first training that are given away, or clients that are accused: only where there is a leak. */
export interface Exposed {
  /** By the user's own ids where there are some, else numbers of rows in the client's table, from 0. */
  readonly ids: readonly string[]
  readonly of: number
  /** In the order of the ids: how probably the claim is right, by what other trainings make of such confidence. */
  readonly sure?: readonly number[]
  /** Claims of other trainings that their confidence was held against; 0: it is the attack's own word. */
  readonly rehearsed?: number
  /** By client, where an attack says it: from which round on it is given away, and the last one before after which it was not. */
  readonly after?: Readonly<Record<string, { readonly round: number; readonly notAfter: number | null }>>
}

/** What is asked about one client, or about all of them, by one observer of one model. */
export interface Question {
  readonly observer: ObserverName
  /** null: about all clients. */
  readonly target: string | null
  readonly model: string | null
  /** The kind of claim. */
  readonly kind: string
  /** The attribute or the property; null where the kind says it all. */
  readonly name: string | null
  readonly level: Word
  readonly ladder: Ladder
  /** Whose score each rung is: an attack's id, or a guesser. */
  readonly by: Readonly<Partial<Record<Rung, string>>>
  readonly test: { readonly record: StepTest | null; readonly client: StepTest | null }
  /** Steps that were not tested though others were, each with the reason: the word does not speak of them. */
  readonly gaps: readonly string[]
  /** Why nothing can be said; null where something can. */
  readonly notTested: string | null
  /** Nobody has the messages that it takes to ask: not tested because it is closed. */
  readonly unheard?: true
  /** Attacks that failed or were stopped in some training, with what became of the first. */
  readonly cut: readonly { readonly attack: string; readonly why: string }[]
  /** Repeats that would probably settle it, of what is inconclusive or had too few; null where none would. */
  readonly repeatsNeeded: number | null
  readonly attacks: readonly AttackLadder[]
  readonly people: PeopleCounts | null
  readonly exposed: Exposed | null
  /** Members: share of the members found where 1 % (0.1 %) of the others are accused, and the finest rate that can be told. */
  readonly rates: { readonly tpr1: number | null; readonly tpr01: number | null; readonly finest: number } | null
  /** What this observer learns is what a weaker one learns: that one's question says it. */
  readonly sameAs?: ObserverName
}
