/** What an audit finds, as the JSON that it prints and keeps: plain data, one row per attack, target and observer. */
import type { Detail, ProtocolFit } from '../attacks/attack.js'
import type { ClaimKind, ClaimOf } from '../attacks/claim.js'
import type { Workings } from '../attacks/workings.js'
import type { Score } from '../metrics/score.js'
import type { ObserverName } from '../threat/observers.js'
import type { Answers } from './ladder/answer.js'
import type { AttackLadder } from './ladder/question.js'
import type { Rebuilt } from './rebuilt-records.js'

/** What JSON can hold: plain lists in place of typed arrays, at any depth. */
export type Plain<T> = T extends readonly unknown[]
  ? { readonly [K in keyof T]: Plain<T[K]> }
  : T extends ArrayLike<infer Item> & object
    ? readonly Plain<Item>[]
    : { readonly [K in keyof T]: Plain<T[K]> }

/** A claim as JSON holds it. */
export type ClaimJson<K extends ClaimKind = ClaimKind> = Plain<ClaimOf<K>>

/** A claim, and what it is worth. */
export interface Finding {
  readonly claim: ClaimJson
  /** null where it was not graded: there is no truth, or it lacks some keys. */
  readonly score: Score | null
  /** The same attack asked in the other cells of the ladder, where there are records that were kept back. */
  readonly cells?: AttackLadder['cells']
  /** The keys of the truth that are missing for a score. */
  readonly lacks?: readonly string[]
  /** Of a claim of records, graded: some of them beside the true ones. */
  readonly rebuilt?: Rebuilt
}

export type GradedFinding = Finding & { readonly score: Score }

/** How an attack did in a world made to test it. */
export interface ControlResult {
  /**
   * `passed`: as it must; `broken`: not so, where it could be seen; `blind`: not so, and it may be out of its sight here; `none`: it
   * makes no sense here, or too few records tell, and `reason` says why; `failed`: an error.
   */
  readonly status: 'passed' | 'broken' | 'blind' | 'none' | 'failed'
  readonly score: Score | null
  readonly reason: string
}

/** How an attack did as more and more was planted, and the least that it would have seen. */
export interface Power {
  readonly curve: readonly PowerPoint[]
  /** The least lift that was found; null: none was. */
  readonly leastSeen: number | null
}

export interface PowerPoint {
  /** The share of what was redrawn that the secret decided. */
  readonly grade: number
  readonly metric: string
  readonly value: number
  readonly chance: number | null
  readonly lift: number | null
  /** Whether chance lies outside the interval of the value. */
  readonly found: boolean
}

export interface Controls {
  /** Where a leak was planted for the attack to find. */
  readonly planted: ControlResult
}

/** The same evidence told otherwise, of which the same must be claimed. */
export interface Retold {
  /** Records and columns in another order; every other record alone; other labels of the records; without the first message of the target. */
  readonly how: 'reordered' | 'fewer' | 'labels' | 'later'
  /** Of whole numbers the share that is claimed otherwise; of others the distance, beside how far the claim itself goes; of labels 0: the very same. */
  readonly apart: number
  /** Where it was far apart: the same of the same evidence with other draws, or without the last message. */
  readonly again?: number
  /** Whether the claim follows, as far as it follows itself. */
  readonly follows: boolean
}

/** The attack on every other message, and on the rest. */
export interface Halves {
  /** How many rounds each half had. */
  readonly rounds: readonly [number, number]
  /** Of models: the distance of both claims over that of the claim from the last model sent. Of others: the share that differs. */
  readonly apart: number | null
  /** Why nothing could be compared. */
  readonly why?: string
}

/** What became of one attack on one target by one observer. */
export interface AttackResult {
  readonly attack: string
  readonly status: 'claimed' | 'not-applicable' | 'failed'
  readonly oracle: boolean
  readonly observer: ObserverName
  /** The model that was trained, by its name in the scenario; null for a recording. */
  readonly model: string | null
  /** The client under attack; null when the attack is about all of them. */
  readonly target: string | null
  readonly params: Readonly<Record<string, unknown>>
  readonly seed: number
  /** One of each claim: several when several attributes were inferred at once, none where nothing was claimed. */
  readonly findings: readonly Finding[]
  readonly missing?: readonly string[]
  readonly why?: string
  readonly error?: { readonly code: string; readonly message: string }
  readonly warnings: readonly string[]
  readonly details: Readonly<Record<string, Detail>>
  /** How the stated protocol fits the messages, where the attack has looked. */
  readonly fit?: ProtocolFit
  /** Curves and distributions that it shows of its work; nothing of any person. */
  readonly workings?: Workings
  readonly controls?: Controls
  readonly power?: Power
  /** Of a job on a training in which a leak was planted: which one, from 0. */
  readonly plant?: number
  /** Of such a job, where it was told otherwise too. */
  readonly retold?: Retold
  /** Of a recording without truth: whether both halves of the messages claim the same. */
  readonly halves?: Halves
  /** The weaker observer whose view is the same, where the attack ran. */
  readonly sameAs?: ObserverName
  /** Of a job that asked in the cells of the ladder: what came of it, in one training. */
  readonly ladder?: Answers
  /** How long the attack, its grading and its controls took, by the clock. */
  readonly millis: number
}

/** The same as JSON can hold it. */
export function plain<T>(value: T): Plain<T> {
  return plainly(value) as Plain<T>
}

function plainly(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>)
  if (Array.isArray(value)) return value.map(plainly)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainly(item)]))
}

/** The graded finding that counts: of several the one with the most lift. */
export function worstFinding({ findings }: Pick<AttackResult, 'findings'>): GradedFinding | undefined {
  const lift = ({ score }: GradedFinding): number => score.lift ?? Number.NEGATIVE_INFINITY
  let worst: GradedFinding | undefined
  for (const one of findings) {
    if (isGraded(one) && (worst === undefined || lift(worst) < lift(one))) worst = one
  }
  return worst
}

const isGraded = (finding: Finding): finding is GradedFinding => finding.score !== null
