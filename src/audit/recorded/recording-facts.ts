/** What a recording says by itself: who was heard, what its settings give away, what more knowledge would allow, what to conclude. */
import { separability } from '../../attacks/properties/separable-clients.js'
import { sparseFromTriplets, type Triplet } from '../../numeric/linalg/sparse.js'
import type { ObserverName } from '../../threat/observers.js'
import type { Transcript } from '../../transcript/read-transcript.js'
import type { TruthFile } from '../../transcript/truth-file.js'
import { recordedSetup } from '../account/recorded-setup.js'
import type { AttackResult } from '../attack-result.js'
import type { Question } from '../ladder/question.js'
import { lint } from '../lint/index.js'
import type { Finding as LintFinding } from '../lint/rule.js'
import type { RecordingPaths } from '../open-recording.js'
import { clientWords, type DecidedQuestions, decidedQuestions } from './decided-questions.js'
import { type Ungraded, ungradedClaims } from './ungraded-claims.js'

export interface RecordingFacts {
  readonly clients: number
  readonly rounds: number
  readonly parameters: number
  /** Whose messages are in it: of single clients, sums over clients, or the models that all are sent. */
  readonly heard: 'updates' | 'sums' | 'models'
  /** Clients that attacks looked at. */
  readonly attacked: readonly string[]
  /** What must be known of those who were not looked at. */
  readonly notes: readonly string[]
  /** Whether the model can be evaluated. */
  readonly opaque: boolean
  /** Rounds of a client: of the one with the fewest, of the middle one, of the one with the most. Null where rounds do not say. */
  readonly turns: readonly [number, number, number] | null
  /** Of sums: clients that some combination of them isolates, and rounds of other groups that are missing for all. */
  readonly separable: { readonly clients: number; readonly roundsMissing: number } | null
  /** What the settings alone give away, as `overhear lint` tells it. */
  readonly lint: readonly Omit<LintFinding, 'subject'>[]
  /** What would apply if the adversary knew more. */
  readonly more: readonly MoreKnowledge[]
  readonly knowledge: boolean
  readonly truth: boolean
  /** Claims that nothing was there to grade by, each with what speaks for it. */
  readonly ungraded: readonly Ungraded[]
  /** Which questions this one recording decides, and which none does. */
  readonly questions: DecidedQuestions
  /** What can be concluded, then what cannot, with what was given. */
  readonly can: readonly string[]
  readonly cannot: readonly string[]
}

export interface MoreKnowledge {
  /** Keys of knowledge.json. */
  readonly keys: readonly string[]
  readonly attacks: readonly string[]
  readonly observers: readonly ObserverName[]
}

/** What was audited, and what the files hold besides. */
export interface RecordedEvidence {
  readonly paths: RecordingPaths
  readonly transcript: Transcript
  readonly truth?: Pick<TruthFile, 'heldBack'>
  /** Whom attacks looked at, and what must be known of the others. */
  readonly targets: readonly string[]
  readonly notes: readonly string[]
}

export async function recordingFacts(
  { transcript, paths, truth, targets, notes }: RecordedEvidence,
  results: readonly AttackResult[],
  questions: readonly Question[],
): Promise<RecordingFacts> {
  const { manifest } = transcript
  const entries = transcript.rounds()
  const setup = recordedSetup(transcript, { protocol: manifest.protocol })
  const sizes = manifest.parameters.map(({ shape }) => shape.reduce((a, b) => a * b, 1))
  const last = entries.at(-1)
  const held = last === undefined ? undefined : await transcript.contents(last.round)
  const heard = held !== undefined && held.clients.size > 0 ? 'updates' : held?.aggregate === true ? 'sums' : 'models'
  const tampered = entries.some((one) => one.tampered.length > 0)
  const noneHeldBack = truth === undefined ? null : await withoutHeldBack(targets, truth)
  const facts = {
    clients: setup.clients.length,
    rounds: entries.length,
    parameters: sizes.reduce((a, b) => a + b, 0),
    heard,
    attacked: targets,
    notes,
    opaque: manifest.model.kind === 'opaque',
    turns: setup.participants === null ? null : turnsOf(setup.clients.map(({ turns }) => turns)),
    separable: setup.secureAggregation && setup.participants !== null ? separableIn(setup.participants) : null,
    lint: lint(setup).map(({ subject: _, ...one }) => one),
    more: moreKnowledge(results),
    knowledge: paths.knowledge !== undefined || paths.knowledgeOf !== undefined,
    truth: paths.truth !== undefined,
    ungraded: ungradedClaims(results),
    questions: decidedQuestions(questions, results, { heard, tampered, noneHeldBack }),
  } as const
  return { ...facts, ...conclusions(facts) }
}

async function withoutHeldBack(targets: readonly string[], truth: Pick<TruthFile, 'heldBack'>): Promise<string[]> {
  const none: string[] = []
  for (const id of targets) if (((await truth.heldBack(id))?.features.rows ?? 0) === 0) none.push(id)
  return none
}

export function turnsOf(turns: readonly number[]): readonly [number, number, number] | null {
  const sorted = [...turns].sort((a, b) => a - b)
  if (sorted.length === 0) return null
  return [sorted[0]!, sorted[Math.floor(sorted.length / 2)]!, sorted.at(-1)!]
}

export function separableIn(participants: readonly (readonly string[])[]): RecordingFacts['separable'] {
  const ids = [...new Set(participants.flat())]
  const place = new Map(ids.map((id, j) => [id, j]))
  const triplets = participants.flatMap((round, i) => round.map((id): Triplet => [i, place.get(id)!, 1]))
  if (triplets.length === 0) return null
  const { rank, inseparable } = separability(
    sparseFromTriplets({ rows: participants.length, cols: ids.length }, triplets),
  )
  return { clients: ids.length - inseparable.length, roundsMissing: rank === null ? 0 : ids.length - rank }
}

/** Words of the format, in which a user can bring it along. */
const bringable = new Set([
  'records',
  'sensitive',
  'auxiliary',
  'candidates',
  'property',
  'metaclassCounts',
  'turnCounts',
])

/** Attacks that lack nothing but knowledge, by what they lack. */
export function moreKnowledge(results: readonly AttackResult[]): MoreKnowledge[] {
  const found = new Map<string, { keys: string[]; attacks: Set<string>; observers: Set<ObserverName> }>()
  for (const { status, missing = [], attack, observer } of results) {
    const keys = [...new Set(missing.map((key) => key.split('.')[0]!))].sort()
    if (status !== 'not-applicable' || keys.length === 0 || keys.some((key) => !bringable.has(key))) continue
    const one = found.get(keys.join()) ?? { keys, attacks: new Set(), observers: new Set() }
    one.attacks.add(attack)
    one.observers.add(observer)
    found.set(keys.join(), one)
  }
  return [...found.values()].map(({ keys, attacks, observers }) => {
    return { keys, attacks: [...attacks], observers: [...observers] }
  })
}

type Gathered = Omit<RecordingFacts, 'can' | 'cannot'>

export function conclusions(facts: Gathered): Pick<RecordingFacts, 'can' | 'cannot'> {
  const { ungraded, heard, separable, truth, knowledge, opaque, clients } = facts
  const can: string[] = []
  const sure = ungraded.filter(({ standing }) => standing === 'stands')
  const whose = [...new Set(sure.flatMap(({ kind, client }) => (kind === 'model' && client !== null ? [client] : [])))]
  if (whose.length > 0) {
    can.push(
      `whoever hears the messages of ${clientWords(whose)} learns a model of its own: it predicts messages that it was not ` +
        'fitted to, both halves of the messages give it, and one that was planted was found',
    )
  }
  for (const { severity, title, evidence, code } of facts.lint) {
    if (severity === 'error') can.push(`${title} (${code}: ${evidence})`)
  }
  if (separable !== null) {
    can.push(
      separable.clients === 0
        ? 'no combination of the sums isolates a client'
        : `combinations of the sums isolate ${separable.clients} of ${clients} clients`,
    )
    if (separable.roundsMissing > 0)
      can.push(`forecast: ${separable.roundsMissing} more rounds of other groups isolate everybody`)
  }
  if (heard === 'updates') can.push('every client whose messages were heard can be attacked alone')
  const cannot = [
    ...(truth
      ? []
      : [
          'how near a claim is to the truth, and so whether records leak: give the records of clients, trained and held back (--data table.csv --label ... --client-column ... --trained-column ..., or --truth)',
        ]),
    ...(knowledge
      ? []
      : ['what an adversary who knows some of the records finds out about the rest (--sensitive, or --knowledge)']),
    ...(opaque ? ['anything that takes an evaluation of the model: it is opaque (give it as --model model.json)'] : []),
  ]
  return { can, cannot }
}
