/** What a client is told before it takes part, and when it refuses to: every signature and share is bound to it. */
import { z } from 'zod'
import { type Bytes, refused } from '../secure-aggregation/primitives.js'
import { checkRange } from '../secure-aggregation/quantise.js'
import { encodeMessage, kindOf, mostPlaces, sessionBytes } from '../secure-aggregation/wire-messages.js'
import { type GraphBounds, graphSize, quorum } from './graph-bounds.js'

const hex = z.string().regex(/^[0-9a-f]{32}$/)
const count = z.int().min(1).max(0xffffffff)

const termsSchema = z.strictObject({
  /** Which sum this is, and which training it belongs to. */
  session: hex,
  run: hex,
  round: z.int().min(0),
  /** t: clients that must sign one list, and that the sum must hold. */
  threshold: count,
  /** k, or null: everybody masks with everybody. */
  degree: count.nullable(),
  /** Shares that give a secret back. */
  shares: count,
  /** Clients whose keys must be there before anybody deals shares. */
  roster: count,
  /** SHA-256 of what will weigh the shares, once they are dealt. */
  challenge: z.string().regex(/^[0-9a-f]{64}$/),
  clip: z.number().positive(),
  levels: count.min(2),
  /** No weight is larger: updates count by their weight's share of it. */
  largest: count,
  /** Values of an update. */
  length: z.int().min(0),
  /** Who is invited, by place. */
  cohort: z.array(z.string().min(1)).min(1),
})
export type Terms = z.output<typeof termsSchema>

/** What a client holds to, whatever the server says. */
export interface Policy extends GraphBounds {
  readonly variant: 'pairs' | 'graph'
  /** Whose keys it takes for theirs. */
  readonly directory: 'given' | 'first-use'
}

type Size = Pick<Terms, 'threshold' | 'degree' | 'shares' | 'roster'>
const sizes = new Map<string, Size>()

/** k and t for n clients, which both sides find for themselves; once for all clients of a thread. */
export function sizeFor(n: number, policy: Policy): Size {
  const { variant, corrupt, dropouts, secureBits, correctBits, least } = policy
  const key = [n, variant, corrupt, dropouts, secureBits, correctBits, least].join()
  const found = sizes.get(key) ?? sizeOf(n, policy)
  if (sizes.size > mostSizes) sizes.clear()
  sizes.set(key, found)
  return found
}

const mostSizes = 1000

function sizeOf(n: number, policy: Policy): Size {
  const threshold = quorum(n)
  if (policy.variant === 'pairs') return { threshold, degree: null, shares: threshold, roster: threshold }
  return { threshold, ...graphSize(n, policy) }
}

/** The invitations of everybody in the cohort, by place. */
export function encodeTerms(terms: Terms): Map<number, Bytes> {
  const [session, body] = [fromHex(terms.session), new TextEncoder().encode(JSON.stringify(terms))]
  return new Map(terms.cohort.map((_, i) => [i + 1, encodeMessage({ kind: 'invite', session, place: i + 1, body })]))
}

export interface Invited {
  readonly terms: Terms
  /** As they came: all clients must have had the same. */
  readonly bytes: Bytes
  readonly session: Bytes
  readonly place: number
}

/** Reads invitations: the only message whose session and place the client does not know yet. Terms that came last are known. */
export function termsReader(): (message: Bytes) => Invited {
  let last: { readonly bytes: Bytes; readonly terms: Terms } | undefined
  return (message) => {
    const { bytes, ...rest } = headOf(message)
    if (last === undefined || !equal(last.bytes, bytes)) last = { bytes, terms: termsIn(bytes) }
    const { terms } = last
    if (toHex(rest.session) !== terms.session) throw refused('an invitation to another session than it says')
    return { ...rest, bytes, terms }
  }
}

function headOf(message: Bytes): Omit<Invited, 'terms'> {
  const head = 1 + sessionBytes + 2
  if (message.length <= head || kindOf(message) !== 'invite') throw refused('a first message that is no "invite"')
  const place = message[head - 2]! | (message[head - 1]! << 8)
  return { bytes: message.slice(head), session: message.slice(1, 1 + sessionBytes), place }
}

function termsIn(bytes: Bytes): Terms {
  try {
    return termsSchema.parse(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    throw refused('an invitation whose terms cannot be read')
  }
}

export function equal(a: Bytes, b: Bytes): boolean {
  let same = a.length === b.length
  for (let k = 0; same && k < a.length; k++) same = a[k] === b[k]
  return same
}

/** Refuses terms that protect less than the client asks for. */
export function checkTerms(
  { terms, place }: Invited,
  policy: Policy,
  own: { readonly id: string; readonly weight: number },
) {
  const { cohort, threshold, degree, shares, roster, largest } = terms
  const n = cohort.length
  if (n > mostPlaces) throw refused(`a cohort of ${n}: at most ${mostPlaces} clients can sum`)
  if (cohort[place - 1] !== own.id)
    throw refused(`place ${place} for client ${own.id}: it is that of ${cohort[place - 1]}`)
  if (new Set(cohort).size !== n) throw refused('a cohort with somebody twice')
  if (n < policy.least) throw refused(`a cohort of ${n}: at least ${policy.least} must be in a sum`)
  if (threshold < quorum(n) || threshold > n) {
    throw refused(`a threshold of ${threshold} for ${n} clients: more than two thirds are needed, ${quorum(n)}`)
  }
  const due = sizeFor(n, policy)
  if (degree !== due.degree || shares !== (degree === null ? threshold : due.shares)) {
    const found = `${degree ?? n - 1} neighbours of whom ${shares} give a secret back`
    throw refused(`${found}: ${due.degree ?? n - 1} and ${due.shares} follow from the bounds`)
  }
  if (roster < due.roster) throw refused(`keys of ${roster} clients as enough: ${due.roster} follow from the bounds`)
  if (!(own.weight <= largest)) throw refused(`a largest weight of ${largest}: client ${place} has ${own.weight}`)
  checkRange(terms, n)
}

export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (one) => one.toString(16).padStart(2, '0')).join('')
const fromHex = (text: string): Bytes => Uint8Array.from(text.match(/../g) ?? [], (two) => Number.parseInt(two, 16))
