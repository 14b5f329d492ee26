/** How sure an attack on attributes is, and how right, in rehearsals of a recording: where there is one training alone. */
import type { Claim } from '../../attacks/claim.js'
import type { Sureness } from '../../metrics/confidence/sureness.js'
import { pickRows } from '../../metrics/grading.js'
import { rehearsedRecordings } from '../recorded/rehearsed-recordings.js'
import type { AskedList } from './asked-records.js'
import type { Asking } from './asking.js'
import { claimsIn, ready, sameIn, surenessIn } from './cell-claims.js'
import { NoAnswer } from './no-answer.js'

/** Every one costs as much as the attack itself. */
const rehearsals = 2

/** By rehearsal and claim: what became of the same claim there. Empty where there are other trainings, or nothing can be played over. */
export async function rehearsedClaims(
  asking: Asking,
  { whole, list }: { readonly whole: AskedList; readonly list: AskedList },
): Promise<(claim: Claim) => readonly Sureness[]> {
  const { ask, sources, around, rng } = asking
  if (!ask.diluted) return () => []
  const about = { sources, observer: around.observer, client: ask.client, table: whole.table, trained: whole.trained }
  const placeOf = new Map(whole.ids.map((id, i) => [id, i]))
  const places = list.ids.map((id) => placeOf.get(id)!)
  const found: ((claim: Claim) => Sureness | undefined)[] = []
  for (const one of await rehearsedRecordings(about, rehearsals, rng.fork('rehearsals'))) {
    const table = pickRows(one.table, places)
    const claims = await claimsOn({ ...asking, sources: one.sources }, table)
    found.push((claim) => {
      const grade = ready(sameIn(claims, claim), { table, known: asking.known })
      return grade && surenessIn(grade, list)
    })
  }
  return (claim) => (claim.kind === 'attribute' ? found.flatMap((one) => [one(claim) ?? []]) : [])
}

/** What the attack claims in a rehearsal: nothing where it refuses or fails, which the recording itself does not depend on. */
async function claimsOn(asking: Asking, table: AskedList['table']): Promise<readonly Claim[]> {
  try {
    return await claimsIn(asking, 'own', { table })
  } catch (error) {
    if (error instanceof NoAnswer) return []
    throw error
  }
}
