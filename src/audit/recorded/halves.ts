/** The same attack on every other message and on the rest: what both claim alike is no accident of some of them. */
import type { Attack } from '../../attacks/attack.js'
import { norm } from '../../numeric/linalg/vector.js'
import type { Sources } from '../../threat/grant.js'
import type { ClaimJson, Finding, Halves } from '../attack-result.js'
import { plain } from '../attack-result.js'
import { type Given, type Result, runAttack, type Surroundings } from '../run-attack.js'

/** Rounds are dealt to the halves in turn: of the target's own where it has some, else of all. */
export async function comparedHalves(
  attack: Attack,
  params: Given,
  around: Surroundings,
  { target, findings }: { readonly target: string | null; readonly findings: readonly Finding[] },
): Promise<Halves | undefined> {
  const [first] = findings
  // A claim about one update has no halves.
  if (first === undefined || 'round' in first.claim) return undefined
  const { transcript } = around.sources
  const all = transcript.rounds()
  const own = target === null ? all : all.filter(({ participants }) => participants?.includes(target) ?? true)
  const results: Result[] = []
  for (const rest of [0, 1]) {
    const kept = own.filter((_, i) => i % 2 === rest)
    const sources: Sources = { ...around.sources, transcript: { ...transcript, rounds: () => kept } }
    results.push(await runAttack(attack, params, { ...around, sources }))
  }
  const rounds = [Math.ceil(own.length / 2), Math.floor(own.length / 2)] as const
  const [a, b] = results.map((one) => (one.status === 'claimed' ? plain(one.claims[0]!) : undefined))
  if (a === undefined || b === undefined) {
    const lost = results.find(({ status }) => status !== 'claimed')!
    return { rounds, apart: null, why: `half of the messages do not suffice: ${whyNot(lost)}` }
  }
  const apart = apartness(a, b, first.claim, await lastModel(around.sources))
  return apart === undefined ? undefined : { rounds, apart }
}

function whyNot(result: Result): string {
  if (result.status === 'failed') return result.error.message
  return result.status === 'not-applicable' ? (result.why ?? `it lacks ${result.missing.join(', ')}`) : ''
}

/** The last model that all were sent. */
export async function lastModel({ transcript }: Sources): Promise<Float64Array | undefined> {
  const last = transcript.rounds().at(-1)
  return last === undefined ? undefined : (await transcript.readRound(last.round, { clients: [] })).global
}

/** 0: alike. Of models 1 is as far as the whole claim is from the last model that all were sent; of others all answers differ. */
export function apartness(
  a: ClaimJson,
  b: ClaimJson,
  whole: ClaimJson,
  sent: Float64Array | undefined,
): number | undefined {
  if (a.kind === 'model' && b.kind === 'model' && whole.kind === 'model') {
    const distance = norm(Float64Array.from(a.theta, (v, j) => v - b.theta[j]!))
    const own = norm(Float64Array.from(whole.theta, (v, j) => v - (sent?.[j] ?? 0)))
    return distance === 0 ? 0 : distance / (own || norm(Float64Array.from(whole.theta)) || 1)
  }
  if (a.kind === 'attribute' && b.kind === 'attribute') return different(a.values, b.values)
  if (a.kind === 'labels' && b.kind === 'labels') return different(a.labels, b.labels)
  if (a.kind === 'members' && b.kind === 'members') {
    const both = new Set([...a.rows, ...b.rows])
    return both.size === 0 ? 0 : 1 - a.rows.filter((row) => b.rows.includes(row)).length / both.size
  }
  if (a.kind === 'property' && b.kind === 'property') {
    const other = new Map(b.clients.map(({ id, positive }) => [id, positive]))
    const known = a.clients.filter(({ id }) => other.has(id))
    if (known.length === 0) return undefined
    return known.filter(({ id, positive }) => other.get(id) !== positive).length / known.length
  }
  return undefined
}

/** Of whole numbers the share that differs; of others the distance over that of the first from its own mean. */
export function different(a: readonly number[], b: readonly number[]): number | undefined {
  if (a.length === 0 || a.length !== b.length) return undefined
  if ([...a, ...b].every(Number.isInteger)) return a.filter((v, i) => v !== b[i]).length / a.length
  const mean = a.reduce((sum, v) => sum + v, 0) / a.length
  const distance = norm(Float64Array.from(a, (v, i) => v - b[i]!))
  return distance === 0 ? 0 : distance / (norm(Float64Array.from(a, (v) => v - mean)) || 1)
}
