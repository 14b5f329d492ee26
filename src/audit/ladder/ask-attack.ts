/** Asks one attack in the cells of the ladder: about trained and held-back records, from the client's messages and without. */
import type { Claim } from '../../attacks/claim.js'
import { pickRows } from '../../metrics/grading.js'
import type { Answer } from './answer.js'
import { askLists } from './ask-lists.js'
import { type AskedList, batchHalves, contrastsOf, equalHalves, halvesOf, wholeList } from './asked-records.js'
import type { Asking } from './asking.js'
import { aboutOf, candidatesOf, claimsIn, peopleOf, ready, sameIn, surenessIn } from './cell-claims.js'
import type { Cell } from './cell-sources.js'
import { globalModel } from './global-model.js'
import { guessCell } from './guess-cell.js'
import { rehearsedClaims } from './rehearsed-claims.js'
import { seatMatrices } from './seat-matrix.js'

/** What the attack's claims are worth, cell by cell; why nothing could be asked, in words. Throws NoAnswer. */
export async function askAttack(asking: Asking): Promise<readonly Answer[] | string> {
  const { ask, truth, sources, attack } = asking
  const halves = await halvesOf(ask.client, truth, sources.knowledge)
  if (halves === undefined) return `no held-back records of client ${ask.client}`
  if (attack.target === 'model' && attack.needs.includes('records'))
    return `${attack.id} is given the records on which its model would be graded`
  const own = await ownAnswers(asking, wholeList(halves, asking.rng))
  if (typeof own === 'string') return own
  if (attack.id === globalModel.id) return own.map(rungsOnly)
  const matrices = await seatMatrices(asking)
  return own.map((answer) => {
    const seats = matrices?.get(keyOf(answer))
    return seats === undefined ? answer : { ...answer, seats }
  })
}

function ownAnswers(asking: Asking, whole: AskedList): Promise<readonly Answer[] | string> {
  const { needs, perRecord } = asking.attack
  const equal = equalHalves(whole, asking.rng)
  if (needs.includes('candidates')) return askCandidates(asking, equal)
  if (!needs.includes('records')) return askMessages(asking, { whole, equal })
  // Claims about each record by itself: one run over both halves answers for every labelling.
  const lists = { whole, equal }
  return perRecord
    ? relabelled(asking, { whole, list: () => equal, cell: { table: equal.table } })
    : listed(asking, lists)
}

/** Claims about a list as a whole; where there is one training alone, about a list that is mixed. */
const listed = (asking: Asking, lists: Lists): Promise<Answer[]> =>
  asking.ask.diluted ? askDiluted(asking, lists) : askLists(asking, lists.equal)

/** All records of both halves, and as many of either. */
interface Lists {
  readonly whole: AskedList
  readonly equal: AskedList
}

/** What everybody hears is held against attacks, and is none itself. */
const rungsOnly = ({ guess: _, also: __, sureness: ___, ...answer }: Answer): Answer => ({
  ...answer,
  how: 'none',
  trained: [],
  held: [],
  contrast: [],
})

/** Answers to the same question have the same key. */
const keyOf = ({ kind, name }: Pick<Answer, 'kind' | 'name'>): string => JSON.stringify([kind, name])

/** Members among trained and held-back records: the held-back ones are what the members are told from. */
async function askCandidates(asking: Asking, list: AskedList): Promise<Answer[]> {
  const asked = { table: list.table, known: { ...asking.known, candidates: list.table } }
  const cell = { table: list.table, as: 'candidates' } as const
  const others = await claimsIn(asking, 'everybody', cell)
  return (await claimsIn(asking, 'own', cell)).flatMap((claim) => {
    const grade = ready(claim, asked)
    if (grade === undefined) return []
    const candidates = candidatesOf(asking, list)
    const trained = candidates.map((one) => grade.on(one.trained, one.held))
    const everybody = ready(sameIn(others, claim), asked)?.on(list.trained, list.held)
    const also = grade.also?.(list.trained, list.held)
    return {
      ...aboutOf(claim, grade),
      how: 'relabel',
      trained,
      held: trained.map(() => 0.5),
      contrast: contrastsOf(candidates),
      federation: 0.5,
      ...(everybody !== undefined && { everybody }),
      ...(also !== undefined && { also: { trained: also, held: {} } }),
    } satisfies Answer
  })
}

/** Claims from messages alone: a model, or what a batch holds. */
async function askMessages(asking: Asking, { whole, equal }: Lists): Promise<Answer[] | string> {
  const { truth, ask, rng } = asking
  let tooFew: string | undefined
  const answers = await relabelled(asking, {
    cell: {},
    list(claim) {
      const round = 'round' in claim ? claim.round : undefined
      if (round === undefined) return equal
      const batch = truth.batch({ round, client: ask.client })
      const found = batchHalves(whole, batch, rng)
      if (found === undefined)
        tooFew = `a batch has more records than the ${whole.held.length} that were held back; heldBack 0.5 would do`
      return found
    },
  })
  return tooFew ?? answers
}

interface Relabelled {
  /** What a claim is graded on. */
  list(claim: Claim): AskedList | undefined
  readonly cell: Omit<Cell, 'line'>
  /** Where the claims are about a list: all records of both halves. */
  readonly whole?: AskedList
}

async function relabelled(asking: Asking, { list: listFor, cell, whole }: Relabelled): Promise<Answer[]> {
  const own = await claimsIn(asking, 'own', cell)
  const lists = own.map(listFor)
  const [list] = lists
  const rehearsed =
    whole === undefined || list === undefined ? () => [] : await rehearsedClaims(asking, { whole, list })
  const everybody = await claimsIn(asking, 'everybody', cell)
  const federation = await claimsIn(asking, 'federation', cell)
  return own.flatMap((claim, i) => {
    const list = lists[i]
    if (list === undefined) return []
    const asked = { table: list.table, known: asking.known }
    const grade = ready(claim, asked)
    if (grade === undefined) return []
    const candidates = candidatesOf(asking, list)
    const [all, alone] = [sameIn(everybody, claim), sameIn(federation, claim)].map((one) => ready(one, asked))
    const people = peopleOf(asking, grade, list)
    const sureness = surenessIn(grade, list)
    const rehearsals = sureness === undefined ? [] : rehearsed(claim)
    const guess = guessCell(asking, { claim, metric: grade.metric, list, candidates })
    return {
      ...aboutOf(claim, grade),
      how: 'relabel',
      trained: candidates.map(({ trained }) => grade.on(trained)),
      held: candidates.map(({ held }) => grade.on(held)),
      contrast: contrastsOf(candidates),
      ...(all !== undefined && { everybody: all.on(list.trained) }),
      ...(alone !== undefined && { federation: alone.on(list.held) }),
      ...(grade.also !== undefined && { also: { trained: grade.also(list.trained), held: grade.also(list.held) } }),
      ...(people !== undefined && { people }),
      ...(sureness !== undefined && { sureness }),
      ...(rehearsals.length > 0 && { rehearsals }),
      ...(guess !== undefined && { guess }),
    } satisfies Answer
  })
}

/** The share of a list that is replaced by held-back records where there is one training alone. */
const dilution = 0.2

/** One list, most of it trained on: whether the attack does better there than on the rest. It understates the effect. */
async function askDiluted(asking: Asking, { whole, equal: list }: Lists): Promise<Answer[]> {
  const n = list.trained.length
  const replaced = Math.max(1, Math.round(dilution * n))
  const places = [...list.trained.subarray(0, n - replaced), ...list.held.subarray(0, replaced)].sort((a, b) => a - b)
  const trained = new Set(list.trained)
  const isTrained = (at: number): boolean => trained.has(places[at]!)
  const at = (wanted: boolean): Int32Array =>
    Int32Array.from(Array.from(places.keys()).filter((i) => isTrained(i) === wanted))
  const mixed: AskedList = {
    table: pickRows(list.table, places),
    ids: places.map((i) => list.ids[i]!),
    trained: at(true),
    held: at(false),
  }
  return relabelled(asking, { whole, list: () => mixed, cell: { table: mixed.table } })
}
