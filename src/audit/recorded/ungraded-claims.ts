/** Claims without a grade, and what speaks for each: held-out messages, the other half of the messages, what was planted. */
import type { Fit } from '../../attacks/claim.js'
import type { ObserverName } from '../../threat/observers.js'
import type { AttackResult, ControlResult, Finding } from '../attack-result.js'

/** `stands`: all that can be asked speaks for it. `falls`: something speaks against it. `open`: too little speaks at all. */
export type Standing = 'stands' | 'falls' | 'open'

export interface Ungraded {
  readonly attack: string
  readonly observer: ObserverName
  readonly kind: string
  /** What is claimed, in a word: the attribute, the property, the kind. */
  readonly what: string
  readonly client: string | null
  /** The mean of the attack's own confidence, where it says one. */
  readonly confidence: number | null
  /** How well it predicts messages that it was not fitted to. */
  readonly fit: Fit | null
  readonly halves: AttackResult['halves'] | null
  /** Of the attack, in a world made to test it: once for all clients. */
  readonly planted: ControlResult['status'] | null
  readonly standing: Standing
}

/** Halves that lie nearer than this agree. */
const alike = 0.1
/** Messages that are less probable than this where the claim is true speak against it. */
const improbable = 0.01

export function ungradedClaims(results: readonly AttackResult[]): Ungraded[] {
  const planted = new Map<string, NonNullable<Ungraded['planted']>>()
  for (const { attack, observer, controls } of results)
    if (controls !== undefined) planted.set(`${attack} ${observer}`, controls.planted.status)
  const shown = results.filter(({ status, sameAs, oracle }) => status === 'claimed' && sameAs === undefined && !oracle)
  return shown.flatMap((result) =>
    result.findings.flatMap((finding): Ungraded[] => {
      if (finding.score !== null || finding.claim.kind === 'protocol') return []
      const { claim } = finding
      const own = {
        attack: result.attack,
        observer: result.observer,
        kind: claim.kind,
        what: claim.kind === 'attribute' ? claim.name : claim.kind === 'property' ? claim.property : claim.kind,
        client: result.target,
        confidence: confidenceOf(claim),
        fit: 'fit' in claim && claim.fit !== undefined ? claim.fit : null,
        halves: result.halves ?? null,
        planted: planted.get(`${result.attack} ${result.observer}`) ?? null,
      }
      return [{ ...own, standing: standingOf(own) }]
    }),
  )
}

function confidenceOf(claim: Finding['claim']): number | null {
  if (claim.kind !== 'attribute' || claim.confidence === undefined || claim.confidence.length === 0) return null
  return claim.confidence.reduce((sum, p) => sum + p, 0) / claim.confidence.length
}

function standingOf({ fit, halves, planted }: Omit<Ungraded, 'standing'>): Standing {
  const apart = halves?.apart ?? null
  if (planted === 'broken' || (fit !== null && fit.p < improbable) || (apart !== null && apart > 0.5)) return 'falls'
  const speaks = fit !== null && fit.misfit < alike && apart !== null && apart < alike && planted === 'passed'
  return speaks ? 'stands' : 'open'
}
