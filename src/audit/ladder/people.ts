/** A question in people: of the first training, who is told rightly, who is given away. */
import type { Answer, PersonAnswer } from './answer.js'
import type { AskedAttack } from './asked-results.js'
import type { Exposed, PeopleCounts, Question } from './question.js'
import { signed } from './question-rows.js'

/** The share of wrong entries that a list of exposed records may be expected to have. */
const wrongShare = 0.05

/** The first training's answer that does best on trained records, of those that speak of each record. */
function bestAnswer(attacks: readonly AskedAttack[], has: (answer: Answer) => boolean): Answer | undefined {
  let best: Answer | undefined
  for (const { answers } of attacks) {
    const one = answers[0]
    if (one === undefined || !has(one)) continue
    if (best === undefined || signed(one.trained[0]!, one) > signed(best.trained[0]!, best)) best = one
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

/** Clients that are accused; of records the surest claims, as many as keep the expected share of wrong ones small; null where no attack says how sure it is. */
export function exposedIn(attacks: readonly AskedAttack[]): Exposed | null {
  const { accused } = bestAnswer(attacks, (one) => one.accused !== undefined) ?? {}
  if (accused !== undefined) return accused
  const best = bestAnswer(attacks, ({ people }) => people?.trained.some(({ sure }) => sure !== null) ?? false)
  if (best?.people === undefined) return null
  const { trained } = best.people
  const surest = trained.filter(({ sure }) => sure !== null).sort((a, b) => b.sure! - a.sure!)
  let [wrong, last] = [0, 0]
  for (const [i, { sure }] of surest.entries()) {
    wrong += 1 - sure!
    if (wrong <= wrongShare * (i + 1)) last = i + 1
  }
  const given = surest.slice(0, last)
  return { ids: given.map(({ id }) => id), of: trained.length, sure: given.map(({ sure }) => sure!) }
}

/** Of members: how many are found at few false alarms, as a mean over trainings by the attack that ranks best. */
export function ratesIn(attacks: readonly AskedAttack[]): Question['rates'] {
  const best = bestAnswer(attacks, ({ also }) => also?.trained.finest !== undefined)
  if (best === undefined) return null
  const { tpr1, tpr01, finest } = best.also!.trained
  return { tpr1: tpr1 ?? null, tpr01: tpr01 ?? null, finest: finest! }
}
