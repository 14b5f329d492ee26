/** Labels that were scaled for the training, scaled back: every figure about them in the unit of the table that they came from. */
import type { Score } from '../../metrics/score.js'
import type { Finished } from '../assemble.js'
import type { AttackResult, Finding } from '../attack-result.js'
import type { Answer } from '../ladder/answer.js'

/** A label of the table is `scale` times one of the training, plus `shift`. */
export interface LabelUnit {
  readonly scale: number
  readonly shift: number
}

/** The unit of one training of a model; undefined where labels were trained on as they are. */
export type UnitOf = (model: string | null, repeat: number) => LabelUnit | undefined

/** Results in the labels' own unit; those that say nothing of labels stay as they are. */
export function inLabelUnits(finished: readonly Finished[], unitOf: UnitOf): readonly Finished[] {
  return finished.map((one) => {
    const { model, ladder } = one.result
    const unit = unitOf(model, ladder?.repeat ?? 0)
    return unit === undefined ? one : { ...one, result: resultIn(one.result, unit) }
  })
}

function resultIn({ findings, ladder, ...result }: AttackResult, unit: LabelUnit): AttackResult {
  return {
    ...result,
    findings: findings.map((one) => findingIn(one, unit)),
    ...(ladder !== undefined && {
      ladder: { ...ladder, answers: ladder.answers.map((one) => answerIn(one, factorOf(one, unit))) },
    }),
  }
}

/** Kinds of claim whose errors are those of labels. */
const ofLabels: ReadonlySet<string> = new Set(['label', 'label-mean', 'labels', 'metaclass-means'])

/** What a figure of this metric is multiplied by: an error is in the unit, a loss in its square, anything else has none. */
function factorOf({ kind, metric }: { readonly kind: string; readonly metric: string }, { scale }: LabelUnit): number {
  if (kind === 'model') return metric === 'loss' ? scale * scale : 1
  return ofLabels.has(kind) && metric === 'MAE' ? scale : 1
}

function answerIn(answer: Answer, factor: number): Answer {
  if (factor === 1) return answer
  const { federation, everybody, seats, guess } = answer
  const by = (x: number): number => factor * x
  return {
    ...answer,
    best: answer.best === null ? null : by(answer.best),
    trained: answer.trained.map(by),
    held: answer.held.map(by),
    ...(federation !== undefined && { federation: by(federation) }),
    ...(everybody !== undefined && { everybody: by(everybody) }),
    ...(seats !== undefined && { seats: seats.map((row) => row.map(by)) }),
    ...(guess !== undefined && { guess: { ...guess, trained: by(guess.trained), held: by(guess.held) } }),
  }
}

function findingIn({ claim, score, cells, ...rest }: Finding, unit: LabelUnit): Finding {
  return {
    ...rest,
    // Cells follow from the questions, which are in the unit already.
    ...(cells !== undefined && { cells }),
    claim: claimIn(claim, unit),
    score: score === null ? null : scoreIn(score, claim.kind, unit),
  }
}

/** Of a model's score, losses and errors at other models stand beside it; of groups', the errors of other guesses. */
function alsoFactor(key: string, kind: string, { scale }: LabelUnit): number {
  if (kind === 'model') return key.startsWith('loss') ? scale * scale : key === 'MAE' ? scale : 1
  return kind === 'metaclass-means' && key !== 'present' && key !== 'claimed' ? scale : 1
}

function scoreIn(score: Score, kind: string, unit: LabelUnit): Score {
  const factor = factorOf({ kind, metric: score.metric }, unit)
  if (factor === 1) return score
  const { value, chance, interval, also, perRecord } = score
  return {
    ...score,
    value: factor * value,
    chance: chance === null ? null : factor * chance,
    interval: interval === null ? null : [factor * interval[0], factor * interval[1]],
    also: Object.fromEntries(Object.entries(also).map(([key, x]) => [key, x * alsoFactor(key, kind, unit)])),
    ...(perRecord !== undefined && { perRecord: Array.from(perRecord, (x) => factor * x) }),
  }
}

/** What is claimed of labels, as the table has them. */
function claimIn(claim: Finding['claim'], { scale, shift }: LabelUnit): Finding['claim'] {
  if (!ofLabels.has(claim.kind)) return claim
  const own = (x: number): number => scale * x + shift
  const { value, values, labels } = claim as { value?: number; values?: readonly number[]; labels?: readonly number[] }
  return {
    ...claim,
    ...(value !== undefined && { value: own(value) }),
    ...(values !== undefined && { values: values.map(own) }),
    ...(labels !== undefined && { labels: labels.map(own) }),
  } as Finding['claim']
}
