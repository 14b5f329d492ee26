/** Asks one attack in the cells of the ladder: about trained and held-back records, from the client's messages and without. */
import type { Claim } from '../../attacks/claim.js'
import type { Gradable } from '../../metrics/cells/gradable.js'
import { gradable } from '../../metrics/cells/index.js'
import { type Asked, pickRows } from '../../metrics/grading.js'
import type { Table } from '../../transcript/encoded-table.js'
import { runAttack } from '../run-attack.js'
import type { Answer, AskedPeople, PersonAnswer } from './answer.js'
import {
  type AskedList,
  batchHalves,
  contrastsOf,
  equalHalves,
  halvesOf,
  labellings,
  wholeList,
} from './asked-records.js'
import { nameOf } from './asked-results.js'
import type { Asking } from './asking.js'
import { type Cell, cellSources } from './cell-sources.js'
import { globalModel } from './global-model.js'
import { guessCell } from './guess-cell.js'
import { NoAnswer } from './no-answer.js'
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
  return perRecord ? relabelled(asking, { list: () => equal, cell: { table: equal.table } }) : askLists(asking, equal)
}

/** What everybody hears is held against attacks, and is none itself. */
const rungsOnly = ({ guess: _, also: __, ...answer }: Answer): Answer => ({
  ...answer,
  how: 'none',
  trained: [],
  held: [],
  contrast: [],
})

/** Answers to the same question have the same key. */
const keyOf = ({ kind, name }: Pick<Answer, 'kind' | 'name'>): string => JSON.stringify([kind, name])

type Where = 'own' | 'everybody' | 'federation'

/** The claims that the attack makes in one cell; of cells that are only shown, none where it cannot. */
async function claimsIn(asking: Asking, where: Where, cell: Omit<Cell, 'line'>): Promise<readonly Claim[]> {
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
function ready(claim: Claim | undefined, asked: Asked): Gradable | undefined {
  if (claim === undefined) return undefined
  const found = gradable(claim, asked)
  return 'missing' in found ? undefined : found
}

/** The claim of another cell that answers the same question. */
const sameIn = (claims: readonly Claim[], claim: Claim): Claim | undefined =>
  claims.find((one) => one.kind === claim.kind && nameOf(one) === nameOf(claim))

const aboutOf = (claim: Claim, { metric, better, best }: Gradable) => ({
  kind: claim.kind,
  name: nameOf(claim),
  metric,
  better,
  best,
})

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

const candidatesOf = ({ ask, rng }: Asking, list: AskedList) => labellings(list, ask.candidates, rng.fork('labellings'))

/** Claims from messages alone: a model, or what a batch holds. */
async function askMessages(
  asking: Asking,
  { whole, equal }: { readonly whole: AskedList; readonly equal: AskedList },
): Promise<Answer[] | string> {
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
}

async function relabelled(asking: Asking, { list: listFor, cell }: Relabelled): Promise<Answer[]> {
  const own = await claimsIn(asking, 'own', cell)
  const everybody = await claimsIn(asking, 'everybody', cell)
  const federation = await claimsIn(asking, 'federation', cell)
  return own.flatMap((claim) => {
    const list = listFor(claim)
    if (list === undefined) return []
    const asked = { table: list.table, known: asking.known }
    const grade = ready(claim, asked)
    if (grade === undefined) return []
    const candidates = candidatesOf(asking, list)
    const [all, alone] = [sameIn(everybody, claim), sameIn(federation, claim)].map((one) => ready(one, asked))
    const people = peopleOf(asking, grade, list)
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
      ...(guess !== undefined && { guess }),
    } satisfies Answer
  })
}

/** Claims about a list as a whole: asked about each half, and the candidates swap the halves. */
async function askLists(asking: Asking, list: AskedList): Promise<Answer[]> {
  if (asking.ask.diluted) return askDiluted(asking, list)
  const half = (places: Int32Array): AskedList => ({
    table: pickRows(list.table, places),
    ids: Array.from(places, (i) => list.ids[i]!),
    trained: places.map((_, i) => i),
    held: places.map((_, i) => i),
  })
  const [trained, held] = [half(list.trained), half(list.held)]
  const onTrained = await claimsIn(asking, 'own', { table: trained.table })
  const onHeld = await claimsIn(asking, 'own', { table: held.table })
  const everybody = await claimsIn(asking, 'everybody', { table: trained.table })
  const federation = await claimsIn(asking, 'federation', { table: held.table })
  const graded = (claim: Claim | undefined, table: Table) => ready(claim, { table, known: asking.known })
  return onTrained.flatMap((claim) => {
    const best = graded(claim, trained.table)
    const other = graded(sameIn(onHeld, claim), held.table)
    if (best === undefined || other === undefined) return []
    const [a, b] = [best.on(trained.trained), other.on(held.held)]
    const [all, alone] = [
      graded(sameIn(everybody, claim), trained.table),
      graded(sameIn(federation, claim), held.table),
    ]
    const guess = guessCell(asking, { claim, metric: best.metric, list, candidates: candidatesOf(asking, list) })
    const people = listPeople(asking, { trained: [best, trained], held: [other, held] })
    return {
      ...aboutOf(claim, best),
      how: 'swap',
      trained: [a, b],
      held: [b, a],
      contrast: [1, -1],
      ...(all !== undefined && { everybody: all.on(trained.trained) }),
      ...(alone !== undefined && { federation: alone.on(held.held) }),
      ...(best.also !== undefined &&
        other.also !== undefined && { also: { trained: best.also(trained.trained), held: other.also(held.held) } }),
      ...(people !== undefined && { people }),
      ...(guess !== undefined && { guess }),
    } satisfies Answer
  })
}

/** The share of a list that is replaced by held-back records where there is one training alone. */
const dilution = 0.2

/** One list, most of it trained on: whether the attack does better there than on the rest. It understates the effect. */
async function askDiluted(asking: Asking, list: AskedList): Promise<Answer[]> {
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
  return relabelled(asking, { list: () => mixed, cell: { table: mixed.table } })
}

/** Who is right about whom, in the training that people are told of. */
function peopleOf({ ask }: Asking, { right, sure }: Gradable, list: AskedList): AskedPeople | undefined {
  if (ask.repeat > 0 || right === undefined) return undefined
  const person = (at: number): PersonAnswer => ({
    id: list.ids[at]!,
    right: right[at] === 1,
    sure: sure?.[at] ?? null,
  })
  return { trained: Array.from(list.trained, person), held: Array.from(list.held, person) }
}

type Half = readonly [Gradable, AskedList]

function listPeople(asking: Asking, { trained, held }: { trained: Half; held: Half }): AskedPeople | undefined {
  const [a, b] = [peopleOf(asking, ...trained), peopleOf(asking, ...held)]
  return a === undefined || b === undefined ? undefined : { trained: a.trained, held: b.held }
}
