/** What came of asking one attack in the cells of the ladder, in one training: plain data that travels between threads. */

import type { Sureness } from '../../metrics/confidence/sureness.js'
import type { Better } from '../../metrics/score.js'

/** Whom to ask, and where what is asked lies. */
export interface Ask {
  /** Which training: 0 is the one that people are told of. */
  readonly repeat: number
  /** Whose records are asked about; null: all clients are ranked. */
  readonly client: string | null
  /** Of whom it is asked who is guilty: among these it was drawn; null: among all. */
  readonly ranked: readonly string[] | null
  /** Relabellings of records, besides the true one. */
  readonly candidates: number
  /** The transcript of a federation without the client; null: there is none, and other clients' messages stand in. */
  readonly without: string | null
  /** The other client whose line is heard where the target's may not be; null: there is none. */
  readonly otherLine: string | null
  /** Whether the halves were dealt elsewhere: then it is checked that a guess cannot tell them apart. */
  readonly dealtElsewhere: boolean
  /** Whether lists are mixed with held-back records, because there is one training alone. */
  readonly diluted: boolean
  /** Clients whose messages are held against each other's held-back records; none: that step is not taken. */
  readonly seats: readonly string[]
}

/** The records of one training that were asked about, for sentences. */
export interface AskedPeople {
  readonly trained: readonly PersonAnswer[]
  readonly held: readonly PersonAnswer[]
}

export interface PersonAnswer {
  readonly id: string
  readonly right: boolean
  /** How sure the attack was; null where it did not say. */
  readonly sure: number | null
}

/** One claim, graded. */
export interface Answer {
  readonly kind: string
  readonly name: string | null
  readonly metric: string
  readonly better: Better
  readonly best: number | null
  /** What the candidates exchange: labels of records, whole lists, or clients; `none`: it fills rungs and is no attack. */
  readonly how: 'relabel' | 'swap' | 'clients' | 'none'
  /** By candidate, the true one first: the score on what is called trained, and on what is called held back. */
  readonly trained: readonly number[]
  readonly held: readonly number[]
  /** By candidate: how much of what the true answer has it would show; 1 for the true one. */
  readonly contrast: readonly number[]
  /** On held-back records, from a federation without the client. */
  readonly federation?: number
  /** On trained records, from what others hear. */
  readonly everybody?: number
  /** By seat whose messages are heard, by seat whose held-back records are asked about. */
  readonly seats?: readonly (readonly number[])[]
  /** Secondary figures on trained and on held-back records. */
  readonly also?: {
    readonly trained: Readonly<Record<string, number>>
    readonly held: Readonly<Record<string, number>>
  }
  readonly people?: AskedPeople
  /** Of a ranking of clients: whom it accuses, of so many, and how sure it is of each. */
  readonly accused?: { readonly ids: readonly string[]; readonly of: number; readonly sure: readonly number[] }
  /** How sure it was of trained records, or of clients, and how many of these claims are right. */
  readonly sureness?: Sureness
  /** The same in rehearsals of a recording, where there is one training alone. */
  readonly rehearsals?: readonly Sureness[]
  /** Of clients: the same of those who are accused. */
  readonly accusing?: Sureness
  /** Absent where nobody could guess. */
  readonly guess?: GuessCell
}

/** What the best guess without messages has, on the same records. */
export interface GuessCell {
  readonly words: string
  readonly trained: number
  readonly held: number
  /** Trained records that it is right about, where it can be. */
  readonly right?: number
  /** How probable it is that the halves differ so much for it by chance: where they were not dealt by us. */
  readonly p?: number
}

/** All that one job learned. */
export interface Answers {
  readonly repeat: number
  readonly answers: readonly Answer[]
  /** Why there is nothing to grade, in words. */
  readonly notAsked?: string
}
