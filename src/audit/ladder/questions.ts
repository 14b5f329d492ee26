/** From the answers of all trainings to questions with their words: the one place where it is decided what leaks. */
import { rng } from '../../numeric/random/rng.js'
import type { ObserverName } from '../../threat/observers.js'
import { errorRemoved } from '../../verdict/effect.js'
import { type Judged, judge } from '../../verdict/judge.js'
import { leastClients } from '../../verdict/matchings.js'
import type { Row } from '../../verdict/tables.js'
import { type AskedRow, marginOfError, wordOf } from '../../verdict/words.js'
import { type AskedQuestion, type AskedResult, askedQuestions, evidenceOf } from './asked-results.js'
import { exposedIn, peopleIn, ratesIn } from './people.js'
import type { Ladder, Question, StepTest } from './question.js'
import { isAlarm } from './question.js'
import { rowsOf } from './question-rows.js'
import { federationTells, type Rungs, rungsOf } from './rungs.js'
import { isSilent, isUnheard, whyNotTested } from './why-not-tested.js'

export interface QuestionOptions {
  readonly observers: readonly ObserverName[]
  readonly repeats: number
  readonly alpha: number
  /** The largest step that counts as nothing: of an area, and as a share of the error. */
  readonly margin: number
  readonly errorMargin: number
  readonly seed: number
  /** Attacks, by `brokenKey`, that did not find a leak that was planted for them. */
  readonly broken: ReadonlySet<string>
  /** Models that diverged in some training, by name, and where. */
  readonly diverged: Readonly<Record<string, string>>
}

/** All questions, worded; those of a stronger observer who learns nothing more say whose they repeat. */
export function questionsOf(asked: readonly AskedResult[], options: QuestionOptions): Question[] {
  const all = askedQuestions(asked, options)
  const repeated = all.map((one, i) => all.slice(0, i).find((before) => sameEvidence(before, one)))
  const distinct = all.filter((_, i) => repeated[i] === undefined)
  // Of a model that diverged in some training those that are left are no fair draw: nothing of it is tested.
  const rows = distinct.map((one, i) => (whyDiverged(one, options) === undefined ? rowsOf(one, String(i)) : []))
  const judged = judgedBy(rows.flat(), options)
  const worded = new Map(
    distinct.map((one, i) => [
      one,
      questionOf(
        one,
        rows[i]!.map((row) => judged.get(row)!),
        options,
      ),
    ]),
  )
  return all.map((one, i) => {
    const before = repeated[i]
    if (before === undefined) return worded.get(one)!
    return { ...worded.get(before)!, observer: one.observer, sameAs: before.observer }
  })
}

function whyDiverged({ model }: AskedQuestion, { diverged }: QuestionOptions): string | undefined {
  return model === null ? undefined : diverged[model]
}

/** Both observers have the same attacks, and learn the same by them. */
function sameEvidence(a: AskedQuestion, b: AskedQuestion): boolean {
  if (a.kind !== b.kind || a.name !== b.name || a.model !== b.model || a.target !== b.target) return false
  return evidenceOf(a) === evidenceOf(b)
}

function judgedBy(rows: readonly Row[], { alpha, seed, repeats }: QuestionOptions): Map<Row, Judged> {
  if (rows.length === 0) return new Map()
  const found = judge(rows, { alpha, trainings: repeats, made: repeats, rng: rng(seed).fork('verdict') })
  return new Map(rows.map((row, i) => [row, found[i]!]))
}

function questionOf(asked: AskedQuestion, all: readonly Judged[], options: QuestionOptions): Question {
  const { observer, model, target, kind, name, attacks } = asked
  const rungs = rungsOf(asked)
  const about = { observer, target, model, kind, name }
  const diverged = whyDiverged(asked, options)
  if (diverged !== undefined) return { ...about, ...unanswered, cut: cutIn(asked), notTested: diverged }
  if (rungs === undefined) {
    const reason = whyNotTested(asked, options.broken) ?? 'no attack gave an answer that can be graded'
    return { ...about, ...unanswered, cut: cutIn(asked), notTested: reason, ...(isUnheard(asked) && { unheard: true }) }
  }
  const { ladder, by } = rungs
  // The clients are what they are: no number of repeats would test a step for which they are too few.
  const judged = all.filter(({ step, untested }) => step !== 'client' || untested === null)
  const rows = judged.map(
    (one): AskedRow => ({
      judged: one,
      rung: one.step === 'property' ? null : signedRung(ladder, one.step),
      margin: marginFor(rungs, options),
    }),
  )
  const worded = wordOf({ rows, guess: signedRung(ladder, 'guess'), federation: signedRung(ladder, 'federation') })
  // Silence counts only where it could have been heard otherwise: an attack that was stopped, or is broken, says nothing.
  const silent = isAlarm(worded.word) ? null : whyNotTested(asked, options.broken)
  const word = worded.word === 'known-anyway' && !federationTells(asked) ? 'none-found' : worded.word
  const level = silent === null ? word : 'not-tested'
  return {
    ...about,
    level,
    ladder,
    by,
    test: {
      record: stepOf(
        judged.filter(({ step }) => step === 'record'),
        ladder,
      ),
      client: stepOf(
        judged.filter(({ step }) => step !== 'record'),
        ladder,
      ),
    },
    gaps: level === 'not-tested' ? [] : gapsIn(asked, all, options),
    notTested: level === 'not-tested' ? (silent ?? worded.untested.join('; ')) : null,
    ...(level === 'not-tested' &&
      all.length === 0 &&
      isUnheard({ attacks: attacks.filter(isSilent) }) && { unheard: true }),
    cut: cutIn(asked),
    repeatsNeeded: worded.repeats,
    attacks: rungs.attacks,
    people: peopleIn(attacks),
    exposed: level === 'leaks-records' || (target === null && isAlarm(level)) ? exposedIn(attacks) : null,
    rates: ratesIn(attacks),
  }
}

const unanswered = {
  level: 'not-tested',
  ladder: {
    metric: '',
    better: 'higher',
    best: null,
    guess: null,
    guesser: null,
    federation: null,
    client: null,
    record: null,
    everybody: null,
  },
  by: {},
  test: { record: null, client: null },
  gaps: [],
  repeatsNeeded: null,
  attacks: [],
  people: null,
  exposed: null,
  rates: null,
} as const satisfies Partial<Question>

/** A client step takes claims about single records, and clients enough that a matching of them can be no accident. */
function gapsIn(
  { target, kind, attacks }: AskedQuestion,
  all: readonly Judged[],
  { alpha }: QuestionOptions,
): string[] {
  if (target === null || kind === 'members') return []
  if (!attacks.some(({ answers }) => answers.some((one) => one?.how === 'relabel'))) return []
  const step = all.find((one) => one.step === 'client')
  if (step !== undefined && step.untested === null) return []
  const least = leastClients(step?.level ?? alpha)
  return [`the client step: it takes ${least} clients whose messages are heard to tell whose are whose`]
}

/** Attacks that did not come to an end in all trainings. */
const cutIn = ({ attacks }: AskedQuestion): Question['cut'] =>
  attacks.flatMap(({ id, results }) => {
    const first = results.find(({ status }) => status === 'failed')
    return first === undefined ? [] : [{ attack: id, why: first.error?.message ?? 'it failed' }]
  })

function signedRung(ladder: Ladder, rung: 'guess' | 'federation' | 'client' | 'record'): number | null {
  const value = ladder[rung]
  return value === null ? null : ladder.better === 'higher' ? value : -value
}

/** Of an area as it is; of an error, a share of what is left without the step. */
function marginFor({ ladder }: Rungs, { margin, errorMargin }: QuestionOptions): number {
  if (ladder.metric === 'AUC') return margin
  const from = ladder.client ?? ladder.guess ?? 0
  return marginOfError({ from, best: ladder.best ?? 0, share: errorMargin })
}

/** Of a step with two rows, the one that says more. */
function stepOf(judged: readonly Judged[], ladder: Ladder): StepTest | null {
  const [worst] = [...judged].sort((a, b) => a.adjusted - b.adjusted || b.effect - a.effect)
  if (worst === undefined) return null
  const { p, adjusted, effect, interval, leastSeen, trainings, each } = worst
  const [from, to] = worst.step === 'record' ? [ladder.client, ladder.record] : [ladder.federation, ladder.client]
  const removed = from === null || to === null ? undefined : errorRemoved({ from, to, best: ladder.best ?? 0 })
  const finite = Number.isFinite(interval.low) && Number.isFinite(interval.high)
  return {
    p,
    adjusted,
    effect,
    errorRemoved: removed ?? null,
    interval: finite ? [interval.low, interval.high] : null,
    leastSeen: Number.isFinite(leastSeen) ? leastSeen : null,
    repeats: trainings,
    ...(each.length > 1 && { each }),
  }
}
