/** Asks an attack that ranks clients: the candidates are other sets of clients who could have had the property. */
import type { Attack } from '../../attacks/attack.js'
import type { Claim } from '../../attacks/claim.js'
import { contributionGradable, propertyGradable } from '../../metrics/cells/client-cells.js'
import { type Sureness, surenessOf } from '../../metrics/confidence/sureness.js'
import type { Rng } from '../../numeric/random/rng.js'
import type { Sources } from '../../threat/grant.js'
import type { TruthFile } from '../../transcript/truth-file.js'
import { type Given, runAttack, type Surroundings, withoutCurve } from '../run-attack.js'
import type { Answer } from './answer.js'
import { NoAnswer } from './no-answer.js'

export interface AskingClients {
  readonly attack: Attack
  readonly params: Given
  readonly sources: Sources
  readonly truth: TruthFile
  readonly around: Omit<Surroundings, 'sources'>
  readonly rng: Rng
  /** Among whom it was drawn who has the property; null: among all. */
  readonly ranked: readonly string[] | null
  /** Candidates besides the true one, where there are more sets of clients than that. */
  readonly candidates: number
}

/** What the attack's ranking is worth; why nothing could be asked, in words. Throws NoAnswer. */
export async function askClients(asking: AskingClients): Promise<readonly Answer[] | string> {
  const { attack, params, sources, around } = asking
  const result = await runAttack(attack, withoutCurve(attack, params), { ...around, sources })
  if (result.status !== 'claimed') throw new NoAnswer(result)
  const answers: Answer[] = []
  let why: string | undefined
  for (const claim of result.claims) {
    const found = answerTo(claim, asking)
    if (typeof found === 'string') why = found
    else answers.push(found)
  }
  return answers.length === 0 && why !== undefined ? why : answers
}

function answerTo(claim: Claim, asking: AskingClients): Answer | string {
  if (claim.kind === 'property') return propertyAnswer(claim, asking)
  if (claim.kind === 'contribution') return contributionAnswer(claim, asking)
  return `nothing says how a claim of ${claim.kind} about all clients is graded`
}

function propertyAnswer(claim: Claim & { kind: 'property' }, asking: AskingClients): Answer | string {
  const having = asking.truth.property(claim.property)
  if (having === undefined) return `the truth does not say who has the property ${claim.property}`
  const ids = idsOf(
    asking,
    claim.clients.map(({ id }) => id),
    having,
  )
  if (having.length === 0) return `no client has the property ${claim.property}`
  if (having.length === ids.length) return `every client has the property ${claim.property}`
  const grade = propertyGradable(claim, ids)
  const sets = candidateSets(ids, having, asking)
  const trained = sets.map((set) => grade(set))
  const [g, n] = [having.length, ids.length]
  const contrast = sets.map((set) => {
    const kept = having.filter((id) => set.has(id)).length
    return kept / g - (g - kept) / (n - g)
  })
  return {
    kind: 'property',
    name: claim.property,
    metric: 'AUC',
    better: 'higher',
    best: 1,
    how: 'clients',
    trained,
    held: trained.map(() => 0.5),
    contrast,
    ...(claim.ranksOnly !== true && { accused: accusedIn(claim), ...surenessOfClients(claim, having) }),
  }
}

type PropertyOfAll = Claim & { kind: 'property' }

/** Whoever is accused without a probability is accused without a doubt. */
const accusedIn = ({ clients }: PropertyOfAll): NonNullable<Answer['accused']> => {
  const accused = clients.filter(({ positive }) => positive)
  return {
    ids: accused.map(({ id }) => id),
    of: clients.length,
    sure: accused.map(({ probability }) => probability ?? 1),
  }
}

/** Of each client it is said that it has the property or not; where there is no probability, of the accused alone. */
function surenessOfClients(
  { clients }: PropertyOfAll,
  having: readonly string[],
): { readonly sureness: Sureness; readonly accusing: Sureness } {
  const accused = clients.filter(({ positive }) => positive)
  const rest = clients.filter(({ positive, probability }) => !positive && probability !== null)
  const accusing = accused.map(({ id, probability }) => ({ sure: probability ?? 1, right: having.includes(id) }))
  const others = rest.map(({ id, probability: p }) => {
    const has = p! > 0.5
    return { sure: has ? p! : 1 - p!, right: having.includes(id) === has }
  })
  return { sureness: surenessOf([...accusing, ...others]), accusing: surenessOf(accusing) }
}

/** Everybody who could be meant: the clients of the recording where it names them, and those of the claim. */
function idsOf({ sources, ranked }: AskingClients, claimed: readonly string[], having: readonly string[]): string[] {
  if (ranked !== null) return [...new Set([...ranked, ...having])]
  const { clients } = sources.transcript.manifest
  const named = 'count' in clients ? [] : clients.map(({ id }) => id)
  return [...new Set([...named, ...claimed, ...having])]
}

/** The most sets that are listed one by one. */
const fewSets = 1000

/** The true set first; then all others of its size where they are few, else so many drawn at random. */
function candidateSets(ids: readonly string[], having: readonly string[], asking: AskingClients): Set<string>[] {
  const truth = new Set(having)
  const g = having.length
  if (binomial(ids.length, g) <= fewSets) {
    const others = subsets(ids, g).filter((set) => !set.every((id) => truth.has(id)))
    return [truth, ...others.map((set) => new Set(set))]
  }
  const draws = asking.rng.fork('clients')
  const drawn = Array.from({ length: asking.candidates }, (_, k) => {
    return new Set(Array.from(draws.fork(k).sample(ids.length, g), (i) => ids[i]!))
  })
  return [truth, ...drawn]
}

function binomial(n: number, k: number): number {
  let count = 1
  for (let i = 1; i <= k && count <= fewSets * k; i++) count = (count * (n - k + i)) / i
  return count
}

function subsets(ids: readonly string[], size: number): string[][] {
  if (size === 0) return [[]]
  return ids.flatMap((id, i) => subsets(ids.slice(i + 1), size - 1).map((rest) => [id, ...rest]))
}

/** Who helps how much: the candidates deal the true contributions to other clients. */
function contributionAnswer(claim: Claim & { kind: 'contribution' }, asking: AskingClients): Answer | string {
  const truth = asking.truth.contribution
  if (truth === undefined) return 'the truth does not say what each client contributes'
  const ids = claim.clients.map(({ id }) => id)
  if (!ids.every((id) => truth.has(id))) return 'the truth does not say what each client contributes'
  const grade = contributionGradable(claim)
  const draws = asking.rng.fork('contributions')
  const moves = Array.from({ length: asking.candidates + 1 }, (_, k) => {
    return k === 0 ? undefined : draws.fork(k).permutation(ids.length)
  })
  const trained = moves.map((to) => {
    return grade(new Map(ids.map((id, i) => [id, truth.get(ids[to?.[i] ?? i]!)!])))
  })
  return {
    kind: 'contribution',
    name: null,
    metric: 'rank correlation',
    better: 'higher',
    best: 1,
    how: 'clients',
    trained,
    held: trained.map(() => 0),
    contrast: moves.map((to) => (to === undefined ? 1 : to.filter((j, i) => j === i).length / ids.length)),
  }
}
