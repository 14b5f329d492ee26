/** A question in people: of the first training, who is told rightly, who is given away. */
import type { Answer, PersonAnswer } from './answer.js'
import type { AskedAttack } from './asked-results.js'
import type { Exposed, PeopleCounts, Question } from './question.js'
import { signed } from './question-rows.js'
import { listable, rehearsalFor, rehearsed } from './rehearsed-confidence.js'

/** The first training's answer that does best on trained records, of those that speak of each record. */
const bestAnswer = (attacks: readonly AskedAttack[], has: (answer: Answer) => boolean): Answer | undefined =>
  bestAttack(attacks, has)?.answers[0]

function bestAttack(attacks: readonly AskedAttack[], has: (answer: Answer) => boolean): AskedAttack | undefined {
  let best: AskedAttack | undefined
  const worth = ({ answers: [one] }: AskedAttack): number => signed(one!.trained[0]!, one!)
  for (const attack of attacks) {
    const one = attack.answers[0]
    if (one === undefined || !has(one)) continue
    if (best === undefined || worth(attack) > worth(best)) best = attack
  }
  return best
}

export function peopleIn(attacks: readonly AskedAttack[]): PeopleCounts | null {
  const best = bestAnswer(attacks, ({ people }) => people !== undefined)
  if (best?.people === undefined) return null
  const { trained, held } = best.people
  const count = (list: readonly PersonAnswer[]) => ({
    right: list.filter(({ right }) => right).length,
    of: list.length,
  })
  const guessed = best.guess?.right
  return {
    trained: count(trained),
    heldBack: count(held),
    guessed: guessed === undefined ? null : { right: guessed, of: trained.length },
  }
}

/**
 * The surest of those who are accused, or of the claims about records: as many as keep the expected share of wrong ones small, by what
 * the other trainings make of such confidence. null where no attack says how sure it is.
 */
export function exposedIn(attacks: readonly AskedAttack[]): Exposed | null {
  const clients = bestAttack(attacks, (one) => one.accused !== undefined)
  const by = clients ?? bestAttack(attacks, ({ people }) => people?.trained.some(({ sure }) => sure !== null) ?? false)
  const { accused, people } = by?.answers[0] ?? {}
  const claims = accused?.ids.map((id, i) => ({ id, sure: accused.sure[i]! })) ?? people?.trained
  if (by === undefined || claims === undefined) return null
  const surest = claims.flatMap(({ id, sure }) => (sure === null ? [] : [{ id, sure }])).sort((a, b) => b.sure - a.sure)
  const rehearsal = rehearsalFor(by.answers, 0)
  // Certain of everybody: it does not say how sure it is, and nobody else does.
  if (accused === undefined && rehearsal === undefined && surest.every(({ sure }) => sure === 1)) return null
  const most = listable(
    surest.map(({ sure }) => sure),
    rehearsal,
  )
  const listed = surest.slice(0, most)
  return {
    ids: listed.map(({ id }) => id),
    of: accused?.of ?? people!.trained.length,
    sure: listed.map(({ sure }) => rehearsed(sure, rehearsal)),
    rehearsed: rehearsal?.claims ?? 0,
  }
}

/** Of members: how many are found at few false alarms, as a mean over trainings by the attack that ranks best. */
export function ratesIn(attacks: readonly AskedAttack[]): Question['rates'] {
  const best = bestAnswer(attacks, ({ also }) => also?.trained.finest !== undefined)
  if (best === undefined) return null
  const { tpr1, tpr01, finest } = best.also!.trained
  return { tpr1: tpr1 ?? null, tpr01: tpr01 ?? null, finest: finest! }
}
