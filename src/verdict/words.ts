/** From judged rows and rungs to the word of a question, and from the questions to the word of the audit. */
import { studentQuantile } from '../numeric/special/student-t.js'
import type { Judged } from './judge.js'

/** The words of questions that were tested, the worst first. */
export const words = ['leaks-records', 'leaks-client', 'inconclusive', 'known-anyway', 'none-found'] as const
export type TestedWord = (typeof words)[number]
/** What an audit may say of a question; the last says that nothing can be said. */
export type Word = TestedWord | 'not-tested'

/** Only two words are alarms. */
export const isAlarm = (word: Word): boolean => word === 'leaks-records' || word === 'leaks-client'

export interface Question {
  /** Its rows: of the record step up to two, of the client step or of the property one. A step that cannot exist has none. */
  readonly rows: readonly AskedRow[]
  /** Rungs below, signed as the scores are, more being worse; null where there is none. */
  readonly guess: number | null
  readonly federation: number | null
  /** Why nothing counts, where something beside the test says so: timed out, failed, broken by its controls. */
  readonly notTested?: string
}

export interface AskedRow {
  readonly judged: Judged
  /** The best score in the row's upper cell: the record rung, or the client's. Null for properties, which have none. */
  readonly rung: number | null
  /** The largest step that counts as nothing, in the units of the row. */
  readonly margin: number
}

export interface Worded {
  readonly word: Word
  /** Reasons why it is not tested, or why a part of it is not. */
  readonly untested: readonly string[]
  /** How many trainings would settle an inconclusive or untested question; null where no number of them would. */
  readonly repeats: number | null
}

/** The margin of a score without an area: a share of the error that is left at `from`, the best possible being `best`. */
export function marginOfError({ from, best, share }: { from: number; best: number; share: number }): number {
  return share * Math.abs(best - from)
}

/** The word of one question, decided in the order of `words`, after whether it was tested at all. */
export function wordOf(question: Question): Worded {
  const { rows, guess, federation, notTested } = question
  if (notTested !== undefined) return { word: 'not-tested', untested: [notTested], repeats: null }
  const untested = rows.flatMap(({ judged }) => whyUntested(judged))
  const tested = rows.filter(({ judged }) => judged.untested === null)
  if (tested.length === 0) {
    const reasons = rows.length === 0 ? ['no applicable attack'] : untested
    return {
      word: 'not-tested',
      untested: reasons,
      repeats: mostRepeats(rows.map(({ judged }) => judged.untested?.repeats)),
    }
  }
  const leaking = tested.filter((row) => row.judged.rejected && aboveRungs(row, question))
  const settled = { untested, repeats: null }
  if (leaking.some(({ judged }) => judged.step === 'record')) return { word: 'leaks-records', ...settled }
  if (leaking.length > 0) return { word: 'leaks-client', ...settled }
  const small = rows.every(({ judged, margin }) => {
    return judged.untested === null && !judged.rejected && judged.interval.high < margin
  })
  if (small) {
    const known = federation !== null && guess !== null && federation > guess
    return { word: known ? 'known-anyway' : 'none-found', ...settled }
  }
  const open = rows.filter(({ judged, margin }) => !(judged.untested === null && judged.interval.high < margin))
  return { word: 'inconclusive', untested, repeats: mostRepeats(open.map(repeatsToSettle)) }
}

/** A rung must lie above what is known without the step; properties are decided by their test alone. */
function aboveRungs({ judged, rung }: AskedRow, { guess, federation }: Question): boolean {
  if (judged.step === 'property') return true
  if (rung === null) return false
  return [guess, federation].every((below) => below === null || rung > below)
}

function whyUntested({ step, untested }: Judged): string[] {
  if (untested === null) return []
  const { reason, repeats } = untested
  if (reason === 'no-look-yet') return [`the ${step} step is looked at after ${repeats} trainings`]
  if (reason === 'too-few-draws') return [`the ${step} step has too few draws to reach its level`]
  return [`too few repeats for the ${step} step: it takes ${repeats}`]
}

const MOST_REPEATS = 1000

/** All of them must be settled; null where one never is. */
function mostRepeats(numbers: readonly (number | null | undefined)[]): number | null {
  if (numbers.length === 0 || numbers.some((n) => n === null)) return null
  return Math.max(...numbers.map((n) => n ?? 0))
}

/**
 * The fewest trainings after which a row like this one, with the same effect and spread, would be rejected (the least
 * rejected effect shrinks as one over the root of the trainings) or would have its upper end below the margin.
 */
export function repeatsToSettle({ judged, margin }: AskedRow): number | null {
  const { effect, deviation, trainings, leastRejected, interval, untested, rejected } = judged
  if (rejected) return null
  const least = Math.max(trainings, untested?.repeats ?? 1)
  const shrink = leastRejected / effect
  const toReject =
    effect > 0 && Number.isFinite(shrink) ? Math.max(least, Math.ceil(trainings * shrink * shrink)) : null
  const toExclude =
    effect < margin
      ? trainingsToExclude({
          least,
          effect,
          margin,
          confidence: interval.confidence,
          one: deviation * Math.sqrt(trainings),
        })
      : null
  const either = [toReject, toExclude].filter((n) => n !== null && n <= MOST_REPEATS) as number[]
  return either.length === 0 ? null : Math.min(...either)
}

function trainingsToExclude(row: {
  readonly least: number
  readonly effect: number
  readonly margin: number
  readonly confidence: number
  readonly one: number
}): number | null {
  for (let S = Math.max(2, row.least); S <= MOST_REPEATS; S++) {
    const half = (studentQuantile((1 + row.confidence) / 2, S - 1) * row.one) / Math.sqrt(S)
    if (row.effect + half < row.margin) return S
  }
  return null
}

export interface AuditWord {
  /** The worst word of the questions that were tested; "not-tested" where none was. */
  readonly word: Word
  readonly tested: number
  readonly notTested: number
}

/** The worst word, and how many questions were not tested: nothing tested is never "none found". */
export function auditWord(questions: readonly Word[]): AuditWord {
  const worst = words.find((word) => questions.includes(word))
  const notTested = questions.filter((word) => word === 'not-tested').length
  return { word: worst ?? 'not-tested', tested: questions.length - notTested, notTested }
}

/** Places of the words, the worst first and what was not tested last: for sorting. */
export function severity(word: Word): number {
  return word === 'not-tested' ? words.length : words.indexOf(word)
}
