/** An audit on a scale: how far every rung of its ladders stands above the one below, what the model is worth, what it costs. */
import { normalCdf } from '../../numeric/special/normal.js'
import type { AuditDocument } from '../document.js'
import type { Question, StepTest } from '../ladder/question.js'
import { subjectOf } from '../ladder/question-words.js'

/** A step of one question, of the observer who hears most. */
export interface WeighedRung {
  /** What is asked: the same for all observers, and in all variants. */
  readonly about: string
  readonly step: 'record' | 'client'
  readonly observer: string
  /** In AUC, or the share of the error that is gone; more is worse. */
  readonly size: number
  /** Where it lies with probability 0.95; null where that is not known. */
  readonly interval: readonly [low: number, high: number] | null
  /** Nobody has what it takes to ask any more: so much was closed. */
  readonly closed: boolean
}

/** What is left of the model's use. */
export interface WeighedUse {
  readonly model: string
  readonly metric: string | null
  readonly value: number | null
}

export interface Weight {
  readonly rungs: readonly WeighedRung[]
  /** What was asked before the change and was not tested after it, with the reason: nothing can be promised of it. */
  readonly open: readonly string[]
  readonly use: readonly WeighedUse[]
}

/** Weighs an audit; beside the audit before a change, what nobody can ask any more counts as closed. */
export function weigh(audited: Pick<AuditDocument, 'questions' | 'utility'>, before?: Weight): Weight {
  const own = audited.questions.filter(({ sameAs }) => sameAs === undefined)
  const heard = worstOf(own.flatMap(rungsOf))
  const lost = (before?.rungs ?? []).filter((rung) => !heard.some(same(rung)))
  const why = new Map(lost.map((rung) => [rung, whyOpen(rung, own)]))
  return {
    rungs: [
      ...heard,
      ...lost.flatMap((rung) =>
        why.get(rung) === null ? [{ ...rung, size: 0, interval: [0, 0] as const, closed: true }] : [],
      ),
    ],
    open: lost.flatMap((rung) => {
      const reason = why.get(rung) ?? null
      return reason === null ? [] : [`${rung.about}, ${rung.step}: ${reason}`]
    }),
    use: Object.entries(audited.utility).map(([model, { metric, value }]) => ({ model, metric, value })),
  }
}

const same =
  (one: Pick<WeighedRung, 'about' | 'step'>) =>
  (other: Pick<WeighedRung, 'about' | 'step'>): boolean =>
    one.about === other.about && one.step === other.step

function rungsOf(question: Question): WeighedRung[] {
  const { test, level, observer } = question
  if (level === 'not-tested') return []
  const about = subjectOf(question, true)
  return (['record', 'client'] as const).flatMap((step) => {
    const one = test[step]
    const size = one === null ? null : sizeOf(one, question)
    return size === null ? [] : [{ about, step, observer, closed: false, ...size }]
  })
}

/** Areas as they are; errors as the share that is gone, and their intervals in the same measure; null where that is not known. */
function sizeOf({ effect, interval, errorRemoved }: StepTest, { ladder }: Question) {
  if (ladder.metric === 'AUC') return { size: effect, interval }
  if (effect === 0) return { size: 0, interval: null }
  const unit = errorRemoved === null ? 0 : errorRemoved / effect
  // A share of another sign than the step it is of says nothing.
  if (errorRemoved === null || !(unit > 0)) return null
  return {
    size: errorRemoved,
    interval: interval === null ? null : ([interval[0] * unit, interval[1] * unit] as const),
  }
}

/** Of several observers' steps the largest. */
function worstOf(rungs: readonly WeighedRung[]): WeighedRung[] {
  const kept: WeighedRung[] = []
  for (const rung of rungs) {
    const at = kept.findIndex(same(rung))
    if (at < 0) kept.push(rung)
    else if (kept[at]!.size < rung.size) kept[at] = rung
  }
  return kept
}

/** null: nobody has what it takes to ask. Else what kept the step from being tested, which is no comfort. */
function whyOpen({ about, step }: WeighedRung, own: readonly Question[]): string | null {
  const asked = own.filter((question) => subjectOf(question, true) === about)
  const reasons = asked.flatMap(({ notTested, level, gaps, unheard }) => {
    if (level !== 'not-tested') return gaps[0] ?? `its ${step} step was not tested`
    return notTested === null || unheard === true ? [] : notTested
  })
  return reasons[0] ?? null
}

/** The largest step, of those that can still be asked for where there are any; undefined where none was tested. */
export function worstRung({ rungs }: Weight): WeighedRung | undefined {
  const asked = rungs.filter(({ closed }) => !closed)
  return [...(asked.length > 0 ? asked : rungs)].sort((a, b) => b.size - a.size)[0]
}

/** About how sure it is that every step is at most so large: of the step of which it is least sure. Intervals are taken for normal. */
export function sureness({ rungs, open }: Weight, target: number): number | null {
  if (open.length > 0 || rungs.length === 0) return null
  let least = 1
  for (const { size, interval, closed } of rungs) {
    if (closed) continue
    if (interval === null) return null
    const std = (interval[1] - interval[0]) / (2 * 1.959963984540054)
    const sure = std > 0 ? normalCdf((target - size) / std) : size <= target ? 1 : 0
    least = Math.min(least, sure)
  }
  return least
}

/** What the change costs in R2 or accuracy: of the model that loses most. Null where it is not measured. */
export function useLost(before: Weight, after: Weight): number | null {
  const losses = before.use.flatMap(({ model, value }) => {
    const now = after.use.find((one) => one.model === model)?.value ?? null
    return value === null || now === null ? [] : [value - now]
  })
  return losses.length === 0 ? null : Math.max(...losses)
}
