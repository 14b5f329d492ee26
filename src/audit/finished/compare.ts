/** Two audits side by side: which words and steps moved, and whether by more than their noise. */
import { studentQuantile } from '../../numeric/special/student-t.js'
import { meanOf, squaresAbout } from '../../numeric/special/summaries.js'
import type { AuditDocument } from '../document.js'
import { isAlarm, type Question, type Rung, type StepTest, type Word } from '../ladder/question.js'
import { subjectOf } from '../ladder/question-words.js'
import { type ChangedSetting, changedSettings } from './changed-settings.js'

/** One step of a question that both audits tested. */
export interface MovedStep {
  readonly step: 'record' | 'client'
  readonly before: number
  readonly after: number
  /** After less before: above 0 it leaks more. */
  readonly change: number
  /** Where the change lies with probability 0.95. */
  readonly interval: readonly [low: number, high: number] | null
  /** Training by training, where both audits dealt the same records to the same trainings; else as if they were drawn apart. */
  readonly paired: boolean
  readonly beyondNoise: boolean | null
}

/** One question of either audit. */
export interface Compared {
  readonly about: string
  readonly observer: string
  readonly before: Word | null
  readonly after: Word | null
  readonly steps: readonly MovedStep[]
  /** The rungs that both have, and that are not the same. */
  readonly rungs: readonly { readonly rung: Rung; readonly before: number; readonly after: number }[]
}

export interface Comparison {
  readonly before: { readonly hash: string; readonly level: Word }
  readonly after: { readonly hash: string; readonly level: Word }
  /** Whether both dealt their records by the same seed. */
  readonly sameSeed: boolean
  /** What their scenarios say differently; none of recordings. */
  readonly settings: readonly ChangedSetting[]
  readonly questions: readonly Compared[]
  readonly use: readonly {
    readonly model: string
    readonly metric: string | null
    readonly before: number | null
    readonly after: number | null
  }[]
  /** Questions that are alarms now and were none, and the other way round. */
  readonly raised: number
  readonly settled: number
}

const keyOf = (question: Question): string => JSON.stringify([question.observer, subjectOf(question, true)])

export function compareAudits(before: AuditDocument, after: AuditDocument): Comparison {
  const [old, now] = [own(before), own(after)]
  const keys = [...new Set([...old.keys(), ...now.keys()])]
  const sameSeed = before.scenario !== null && before.scenario.seed === after.scenario?.seed
  const questions = keys.map((key) => compared(old.get(key), now.get(key), sameSeed && sameDeals(before, after)))
  const alarm = (word: Word | null): boolean => word !== null && isAlarm(word)
  const models = [...new Set([...Object.keys(before.utility), ...Object.keys(after.utility)])]
  return {
    before: { hash: before.hash, level: before.verdict.level },
    after: { hash: after.hash, level: after.verdict.level },
    sameSeed,
    settings: changedSettings(before.scenario, after.scenario),
    questions,
    use: models.map((model) => ({
      model,
      metric: (before.utility[model] ?? after.utility[model])?.metric ?? null,
      before: before.utility[model]?.value ?? null,
      after: after.utility[model]?.value ?? null,
    })),
    raised: questions.filter((one) => alarm(one.after) && !alarm(one.before)).length,
    settled: questions.filter((one) => alarm(one.before) && !alarm(one.after)).length,
  }
}

/** The records of a training follow from these, and from nothing that is changed to leak less. */
function sameDeals(before: AuditDocument, after: AuditDocument): boolean {
  const dealt = ({ scenario }: AuditDocument): string =>
    JSON.stringify([scenario?.data, scenario?.partition, scenario?.heldBack])
  return dealt(before) === dealt(after)
}

/** Copies of a weaker observer's question say nothing more. */
const own = ({ questions }: AuditDocument): Map<string, Question> =>
  new Map(questions.filter(({ sameAs }) => sameAs === undefined).map((one) => [keyOf(one), one]))

function compared(before: Question | undefined, after: Question | undefined, sameDeals: boolean): Compared {
  const one = (before ?? after)!
  const sameMetric = before?.ladder.metric === after?.ladder.metric
  return {
    about: subjectOf(one, true),
    observer: one.observer,
    before: before?.level ?? null,
    after: after?.level ?? null,
    rungs: (['guess', 'federation', 'client', 'record', 'everybody'] as const).flatMap((rung) => {
      const [a, b] = [before?.ladder[rung] ?? null, after?.ladder[rung] ?? null]
      return !sameMetric || a === null || b === null || a === b ? [] : [{ rung, before: a, after: b }]
    }),
    steps: (['record', 'client'] as const).flatMap((step) => {
      const [a, b] = [before?.test[step] ?? null, after?.test[step] ?? null]
      return a === null || b === null || !sameMetric ? [] : [moved(step, a, b, sameDeals)]
    }),
  }
}

function moved(step: MovedStep['step'], before: StepTest, after: StepTest, sameDeals: boolean): MovedStep {
  const change = after.effect - before.effect
  const within = sameDeals ? pairedHalf(before, after) : null
  const [a, b] = [halfOf(before), halfOf(after)]
  const half = within ?? (a === null || b === null ? null : Math.sqrt(a * a + b * b))
  return {
    step,
    before: before.effect,
    after: after.effect,
    change,
    interval: half === null ? null : [change - half, change + half],
    paired: within !== null,
    beyondNoise: half === null ? null : Math.abs(change) > half,
  }
}

/** Half the width at 95 % of the mean difference over trainings, by Student's t; null where they do not match. */
function pairedHalf({ each: a }: StepTest, { each: b }: StepTest): number | null {
  if (a === undefined || b === undefined || a.length !== b.length || a.length < 2) return null
  const differences = a.map((x, s) => b[s]! - x)
  const n = differences.length
  const deviation = Math.sqrt(squaresAbout(differences, meanOf(differences)) / (n - 1) / n)
  return studentQuantile(0.975, n - 1) * deviation
}

/** Half the width of a step's interval. */
function halfOf({ interval }: StepTest): number | null {
  if (interval === null || !interval.every((x) => Number.isFinite(x))) return null
  return (interval[1] - interval[0]) / 2
}
