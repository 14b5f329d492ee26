/** What an audit says of differential privacy in sentences: a promise that is broken first, then what is promised beside what attacks reached. */
import type { PrivacyFacts } from '../document.js'
import type { Question } from '../ladder/question.js'
import { claimsTooLittle } from './promise.js'
import { beside, boundsText, claimText } from './spent-words.js'

/** A mechanism that does not do what it says, or one that says too much; null where neither is seen. */
export function brokenText({ empirical, accounted, claimed }: PrivacyFacts): string | null {
  const heard = empirical && beside(empirical.epsilon, empirical.accounted)
  if (heard?.broken) return heard.sentence
  return accounted !== null && claimsTooLittle(claimed, accounted) ? claimText(claimed, accounted)[0]! : null
}

/** Claimed, accounted and empirical epsilon, and the largest area under any curve of whoever guesses who was in the training. */
export function privacyText({ privacy, questions }: { privacy: PrivacyFacts; questions: readonly Question[] }): string {
  const { mechanism, unit, claimed, accounted, delta, client, why, advantage } = privacy
  const parts = [
    claimed === null ? 'no figure is claimed' : `${claimed} is claimed`,
    accounted === null
      ? `none is accounted for: ${why ?? 'for no reason that was given'}`
      : `${boundsText(accounted)} at delta ${delta} is accounted for, of a ${unit} of client ${client ?? '-'}`,
    empiricalText(privacy),
  ]
  return `epsilon (${mechanism}): ${parts.join('; ')}${advantage === undefined ? '' : `. ${reachText(advantage, { unit, questions })}`}`
}

function empiricalText({ empirical, notMeasured }: PrivacyFacts): string {
  if (empirical === undefined) return `not measured, ${notMeasured ?? 'for no reason that was given'}`
  const { epsilon, canaries, confidence } = empirical
  const sure = `sure to ${Math.round(100 * confidence)} %`
  return `${canaries} canaries show ${epsilon > 0 ? `at least ${Math.floor(1e4 * epsilon) / 1e4}` : 'nothing'}, ${sure}`
}

/**
 * With an advantage of a no point of the curve lies more than a above the diagonal: an area of 1 - (1 - a)^2 / 2 at most. Rounded up.
 */
const largestArea = (advantage: number): number =>
  Math.ceil(1e3 * (1 - ((1 - advantage) * (1 - advantage)) / 2) - 1e-9) / 1e3

/** What any guess may reach, beside what those of this audit did. */
export function reachText(
  advantage: number,
  about: { unit: PrivacyFacts['unit']; questions: readonly Question[] },
): string {
  const { unit, questions } = about
  const bound = `No guess whether a ${unit} was in the training has an AUC above ${largestArea(advantage).toFixed(3)}`
  if (unit === 'client') return bound
  const areas = questions.flatMap(({ kind, level, ladder }) =>
    kind === 'members' && level !== 'not-tested' && ladder.metric === 'AUC' ? (ladder.record ?? []) : [],
  )
  return `${bound}; ${areas.length === 0 ? 'no attack of this audit asked' : `the best of this audit has ${Math.max(...areas).toFixed(3)}`}`
}
