/** What an audit finds, as the JSON that it prints and keeps: plain data, one row an attack, target and observer. */
import type { Detail } from '../attacks/attack.js'
import type { Claim } from '../attacks/claim.js'
import type { Score } from '../metrics/score.js'
import type { ObserverName } from '../threat/observers.js'
import type { Rebuilt } from './rebuilt-records.js'

/** A claim whose arrays are plain lists. */
export type ClaimJson = { readonly kind: Claim['kind']; readonly [key: string]: unknown }

/** How an attack did in a world made to test it. */
export interface ControlResult {
  /** `passed`: as it must; `broken`: not so; `none`: it makes no sense here, and `reason` says why; `failed`: an error. */
  readonly status: 'passed' | 'broken' | 'none' | 'failed'
  readonly score: Score | null
  readonly reason: string
}

export interface Controls {
  readonly planted: ControlResult
  readonly shuffled: ControlResult
}

export interface AttackResult {
  readonly attack: string
  readonly status: 'claimed' | 'not-applicable' | 'failed'
  readonly oracle: boolean
  readonly observer: ObserverName
  /** The model that was trained, by its name in the scenario; null for a recording. */
  readonly model: string | null
  /** The client under attack; null when the attack is about all of them. */
  readonly target: string | null
  readonly params: Readonly<Record<string, unknown>>
  readonly seed: number
  readonly claim?: ClaimJson
  /** Several attributes at once: one claim each, and one score each. */
  readonly claims?: readonly ClaimJson[]
  readonly score: Score | null
  readonly scores?: readonly (Score | null)[]
  /** Keys of the truth without which there is no score. */
  readonly scoreLacks?: readonly string[]
  readonly missing?: readonly string[]
  readonly why?: string
  readonly error?: { readonly code: string; readonly message: string }
  readonly warnings: readonly string[]
  readonly details: Readonly<Record<string, Detail>>
  readonly controls?: Controls
  /** Of claims of records, graded: some of them beside the true ones. */
  readonly rebuilt?: Rebuilt
  /** The weaker observer whose view is the same, where the attack ran. */
  readonly sameAs?: ObserverName
  readonly millis: number
}

/** The same with plain lists in place of typed arrays, at any depth: what JSON can hold. */
export function plain(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]))
}

export const claimJson = (claim: Claim): ClaimJson => plain(claim) as ClaimJson

/** The score that counts: with several claims the one with the most lift. */
export function worstScore({ score, scores = [] }: Pick<AttackResult, 'score' | 'scores'>): Score | null {
  const lift = (one: Score): number => one.lift ?? Number.NEGATIVE_INFINITY
  let worst = score
  for (const one of scores) if (one !== null && (worst === null || lift(worst) < lift(one))) worst = one
  return worst
}
