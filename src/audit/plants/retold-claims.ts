/** Whether an attack claims the same of the same evidence told otherwise: one that does not is broken on any data. */
import type { Attack } from '../../attacks/attack.js'
import { type ClaimJson, type Finding, plain, type Retold } from '../attack-result.js'
import type { Job } from '../plan-jobs.js'
import { apartness, different, lastModel } from '../recorded/halves.js'
import { type Given, runAttack, type Surroundings } from '../run-attack.js'
import { toldOfFewer, toldOtherLabels, toldReordered, toldWithout } from './told-otherwise.js'

export interface Retelling {
  readonly params: Given
  readonly around: Surroundings
  /** The same place with other draws. */
  redrawn(): Surroundings
  readonly findings: readonly Finding[]
  readonly how: NonNullable<Job['retold']>
}

/** How far apart claims may be: rounding decides ties, and the order of sums what is badly determined. */
const tolerated = { fewer: 0.01, reordered: 0.25, later: 1e-6 } as const
/** A model that moves more than this with other draws is no function of the evidence alone. */
const steady = 0.01

/** The telling that it does not follow, else the first; undefined where nothing that is claimed can be compared. */
export async function retoldClaims(attack: Attack, retelling: Retelling): Promise<Retold | undefined> {
  // What is sent into a live federation would have to be told otherwise too.
  if (retelling.around.sources.channel !== undefined) return undefined
  const all: Retold[] = []
  const ways = attack.perRecord ? (['fewer', 'reordered'] as const) : (['reordered'] as const)
  for (const how of retelling.findings.every(isRight) ? [] : ways) {
    const made = await retoldOnce(attack, how, retelling)
    if (made !== undefined) all.push(made)
  }
  for (const one of retelling.how === 'all' ? [unreadLabels, withoutFirst] : [withoutFirst]) {
    const made = await one(attack, retelling)
    if (made !== undefined) all.push(made)
  }
  return all.find(({ follows }) => !follows) ?? all[0]
}

/** Whoever is right about every record follows them in any order: what would be told otherwise is the truth. */
const isRight = ({ score }: Finding): boolean => score !== null && score.accuracy === 1 && score.lift !== null

async function retoldOnce(
  attack: Attack,
  how: 'fewer' | 'reordered',
  { params, around, redrawn, findings }: Retelling,
): Promise<Retold | undefined> {
  const { sources, expected } = await (how === 'fewer' ? toldOfFewer : toldReordered)(around.sources)
  const claims = findings.map(({ claim }) => expected(claim))
  if (claims.every((one) => one === undefined)) return undefined
  const apart = await farthest(attack, claims, { params, around: { ...around, sources } })
  if (apart === undefined) return undefined
  if (apart <= tolerated[how]) return { how, apart, follows: true }
  // Draws are dealt by place: who claims otherwise with other draws may do so in another order.
  const own = findings.map(({ claim }) => claim)
  const again = (await farthest(attack, own, { params, around: redrawn() })) ?? 0
  const drawn = own.some(({ kind }) => kind === 'model') ? again > steady : apart <= tolerated[how] + 2 * again
  return { how, apart, again, follows: drawn }
}

/** Whoever needs the labels of records claims something else, or is otherwise sure, where they are other records' labels. */
async function unreadLabels(attack: Attack, { params, around, findings }: Retelling): Promise<Retold | undefined> {
  if (!attack.needs.includes('records.label') && !attack.needs.includes('candidates.label')) return undefined
  // Of few whole numbers all may stay by chance.
  if (!findings.every(({ claim }) => 'confidence' in claim || 'scores' in claim || claim.kind === 'model'))
    return undefined
  const sources = await toldOtherLabels(around.sources)
  const result = sources && (await runAttack(attack, params, { ...around, sources }))
  if (result?.status !== 'claimed') return undefined
  const same = JSON.stringify(plain(result.claims)) === JSON.stringify(findings.map(({ claim }) => claim))
  return { how: 'labels', apart: same ? 0 : 1, follows: !same }
}

/**
 * A model of a client is told by all of its messages, and best by the last ones. One that hangs on the first message, and is the same
 * number by number without the last, is not what was trained.
 */
async function withoutFirst(attack: Attack, { params, around, findings }: Retelling): Promise<Retold | undefined> {
  const claims = findings.map(({ claim }) => claim)
  const client = claims.find((one) => one.kind === 'model')?.client
  if (client === undefined) return undefined
  const moved = async (which: 'first' | 'last'): Promise<number | undefined> => {
    const sources = toldWithout(around.sources, client, which)
    return sources && farthest(attack, claims, { params, around: { ...around, sources } })
  }
  const apart = await moved('first')
  if (apart === undefined) return undefined
  if (apart <= tolerated.later) return { how: 'later', apart, follows: true }
  const again = (await moved('last')) ?? apart
  return { how: 'later', apart, again, follows: again > 0 }
}

/** Of all claims the one that is farthest from what is expected; undefined where none can be compared. */
async function farthest(
  attack: Attack,
  expected: readonly (ClaimJson | undefined)[],
  { params, around }: Pick<Retelling, 'params' | 'around'>,
): Promise<number | undefined> {
  const result = await runAttack(attack, params, around)
  if (result.status !== 'claimed') return undefined
  const sent = await lastModel(around.sources)
  const apart = expected.flatMap((one, i) => {
    const claim = result.claims[i]
    return one === undefined || claim === undefined ? [] : (apartOf(one, plain(claim), sent) ?? [])
  })
  return apart.length === 0 ? undefined : Math.max(...apart)
}

/** Of members the scores: whom a threshold accuses depends on whom it is asked about. */
const apartOf = (expected: ClaimJson, claim: ClaimJson, sent: Float64Array | undefined): number | undefined =>
  expected.kind === 'members' && claim.kind === 'members'
    ? different(expected.scores ?? [], claim.scores ?? [])
    : apartness(expected, claim, expected, sent)
