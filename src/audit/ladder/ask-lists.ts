/** Asks an attack about a list as a whole: about each half, and the candidates swap the halves. */
import type { Claim } from '../../attacks/claim.js'
import type { Gradable } from '../../metrics/cells/gradable.js'
import { pickRows } from '../../metrics/grading.js'
import type { Answer, AskedPeople, GuessCell } from './answer.js'
import type { AskedList } from './asked-records.js'
import type { Asking } from './asking.js'
import { aboutOf, candidatesOf, claimsIn, peopleOf, ready, sameIn, surenessIn } from './cell-claims.js'
import { guessCell } from './guess-cell.js'
import { NoAnswer } from './no-answer.js'

/**
 * One answer for each claim. An attack may find that the messages cannot have come from a list, and refuse it: whoever runs
 * it is left with a guess there, so that half is worth what the guess is. Refused on both halves, it gave no answer.
 */
export async function askLists(asking: Asking, list: AskedList): Promise<Answer[]> {
  const [trained, held] = [halfOf(list, list.trained), halfOf(list, list.held)]
  const onTrained = await claimsOn(asking, trained)
  const onHeld = await claimsOn(asking, held)
  if (onTrained instanceof NoAnswer && onHeld instanceof NoAnswer) throw onTrained
  const everybody = await claimsIn(asking, 'everybody', { table: trained.table })
  const federation = await claimsIn(asking, 'federation', { table: held.table })
  const graded = (claim: Claim | undefined, { table }: AskedList) => ready(claim, { table, known: asking.known })
  return claimsMade(onTrained, onHeld).flatMap((claim) => {
    const [best, other] = [graded(sameOf(onTrained, claim), trained), graded(sameOf(onHeld, claim), held)]
    const about = best ?? other
    if (about === undefined) return []
    const candidates = candidatesOf(asking, list)
    const guess = guessCell(asking, { claim, metric: about.metric, list, candidates })
    const a = best?.on(trained.trained) ?? silent(about, guess?.trained)
    const b = other?.on(held.held) ?? silent(about, guess?.held)
    // Without a claim about one half, and no guess to stand in for it, there is nothing to compare.
    if (a === undefined || b === undefined) return []
    const [all, alone] = [graded(sameIn(everybody, claim), trained), graded(sameIn(federation, claim), held)]
    const people = peopleOfHalves(asking, { trained: [best, trained], held: [other, held] })
    const sureness = best === undefined ? undefined : surenessIn(best, trained)
    return {
      ...aboutOf(claim, about),
      how: 'swap',
      trained: [a, b],
      held: [b, a],
      contrast: [1, -1],
      ...(all !== undefined && { everybody: all.on(trained.trained) }),
      ...(alone !== undefined && { federation: alone.on(held.held) }),
      ...(best?.also !== undefined &&
        other?.also !== undefined && { also: { trained: best.also(trained.trained), held: other.also(held.held) } }),
      ...(people !== undefined && { people }),
      ...(sureness !== undefined && { sureness }),
      ...(guess !== undefined && { guess }),
    } satisfies Answer
  })
}

/** One half as a list of its own: all of it is asked about. */
function halfOf(list: AskedList, places: Int32Array): AskedList {
  const rows = places.map((_, i) => i)
  const ids = Array.from(places, (i) => list.ids[i]!)
  return { table: pickRows(list.table, places), ids, trained: rows, held: rows }
}

/** What the attack claims about a half, or its refusal; what goes wrong stays wrong. */
async function claimsOn(asking: Asking, half: AskedList): Promise<readonly Claim[] | NoAnswer> {
  try {
    return await claimsIn(asking, 'own', { table: half.table })
  } catch (error) {
    if (error instanceof NoAnswer && error.result.status === 'not-applicable') return error
    throw error
  }
}

type Claims = readonly Claim[] | NoAnswer

const claimsMade = (onTrained: Claims, onHeld: Claims): readonly Claim[] =>
  onTrained instanceof NoAnswer ? (onHeld instanceof NoAnswer ? [] : onHeld) : onTrained

const sameOf = (claims: Claims, claim: Claim): Claim | undefined =>
  claims instanceof NoAnswer ? undefined : sameIn(claims, claim)

/** What a half is worth of which nothing is claimed: a guess, and where nobody can guess a coin, if a coin has a score. */
const silent = ({ metric }: Gradable, guess: GuessCell['trained'] | undefined): number | undefined =>
  guess ?? (metric === 'AUC' ? 0.5 : undefined)

type Half = readonly [Gradable | undefined, AskedList]

/** Of people in a half of which nothing is claimed nothing is told. */
function peopleOfHalves(asking: Asking, { trained, held }: { trained: Half; held: Half }): AskedPeople | undefined {
  const [a, b] = [trained, held].map(([grade, half]) =>
    grade === undefined ? undefined : peopleOf(asking, grade, half),
  )
  return a === undefined ? undefined : { trained: a.trained, held: b?.held ?? [] }
}
