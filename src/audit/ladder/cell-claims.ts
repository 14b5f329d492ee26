/** Claims in one cell of the ladder: made there, matched with those of other cells, made ready to be graded. */
import type { Claim } from '../../attacks/claim.js'
import type { Gradable } from '../../metrics/cells/gradable.js'
import { gradable } from '../../metrics/cells/index.js'
import { type Sureness, surenessOf } from '../../metrics/confidence/sureness.js'
import type { Asked } from '../../metrics/grading.js'
import { runAttack } from '../run-attack.js'
import type { AskedPeople, PersonAnswer } from './answer.js'
import { type AskedList, labellings } from './asked-records.js'
import { nameOf } from './asked-results.js'
import type { Asking } from './asking.js'
import { type Cell, cellSources } from './cell-sources.js'
import { NoAnswer } from './no-answer.js'

type Where = 'own' | 'everybody' | 'federation'

/** The claims that the attack makes in one cell; of cells that are only shown, none where it cannot. */
export async function claimsIn(asking: Asking, where: Where, cell: Omit<Cell, 'line'>): Promise<readonly Claim[]> {
  const { ask, sources, without, attack, params, around } = asking
  const line = where === 'own' ? ask.client : ask.otherLine
  const heard = where === 'federation' && without !== undefined ? without : sources
  if (line === null) return []
  // What is sent to a federation without the client is not asked for: others fill that rung.
  const sends = attack.needs.includes('channel') || attack.uses.includes('channel')
  if (sends && where === 'federation') return []
  const channel = sends ? await asking.channelTo?.(line) : undefined
  const result = await runAttack(attack, params, {
    ...around,
    sources: { ...(await cellSources(heard, { ...cell, line })), ...(channel !== undefined && { channel }) },
  })
  if (result.status === 'claimed') return result.claims
  if (where === 'own') throw new NoAnswer(result)
  return []
}

/** A claim, ready to be graded; undefined where the truth lacks what it takes. */
export function ready(claim: Claim | undefined, asked: Asked): Gradable | undefined {
  if (claim === undefined) return undefined
  const found = gradable(claim, asked)
  return 'missing' in found ? undefined : found
}

/** The claim of another cell that answers the same question. */
export const sameIn = (claims: readonly Claim[], claim: Claim): Claim | undefined =>
  claims.find((one) => one.kind === claim.kind && nameOf(one) === nameOf(claim))

export const aboutOf = (claim: Claim, { metric, better, best }: Gradable) => ({
  kind: claim.kind,
  name: nameOf(claim),
  metric,
  better,
  best,
})

/** The labellings under which claims are graded, the true one first. */
export const candidatesOf = ({ ask, rng }: Asking, list: AskedList) =>
  labellings(list, ask.candidates, rng.fork('labellings'))

/** Who is right about whom, in the training that people are told of. */
export function peopleOf({ ask }: Asking, { right, sure }: Gradable, list: AskedList): AskedPeople | undefined {
  if (ask.repeat > 0 || right === undefined) return undefined
  const person = (at: number): PersonAnswer => ({
    id: list.ids[at]!,
    right: right[at] === 1,
    sure: sure?.[at] ?? null,
  })
  return { trained: Array.from(list.trained, person), held: Array.from(list.held, person) }
}

/** How sure the claims about trained records were, and how many of them are right. */
export function surenessIn({ right, sure }: Gradable, { trained }: AskedList): Sureness | undefined {
  if (right === undefined || sure === undefined) return undefined
  return surenessOf(Array.from(trained, (at) => ({ sure: sure[at]!, right: right[at] === 1 })))
}
