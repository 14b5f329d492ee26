/** Results and scores made by hand, for tests of what is made of them. */

import type { AttackResult, ClaimJson, ControlResult, Controls, Finding } from '../src/audit/attack-result.js'
import type { AuditDocument } from '../src/audit/document.js'
import type { Score } from '../src/metrics/score.js'
import { type ObserverName, observerCalled, observers } from '../src/threat/observers.js'

/** Well above chance, with an interval. */
export const scoreWith = (parts: Partial<Score> = {}): Score => ({
  metric: 'accuracy',
  value: 0.9,
  chance: 0.5,
  guesser: 'the majority',
  lift: 0.8,
  interval: [0.8, 0.95],
  intervalKind: 'exact',
  better: 'higher',
  also: {},
  notes: [],
  ...parts,
})

/** A score at chance. */
export const atChance = (parts: Partial<Score> = {}): Score =>
  scoreWith({ value: 0.5, lift: 0, interval: [0.4, 0.6], ...parts })

/** An error without an interval, of some lift. */
export const errorWith = (lift: number): Score =>
  scoreWith({
    metric: 'MAE',
    value: 2 - 2 * lift,
    chance: 2,
    lift,
    interval: null,
    intervalKind: null,
    better: 'lower',
  })

/** A claim of which a test needs no more than some keys. */
export type SomeClaim = { readonly kind: ClaimJson['kind']; readonly [key: string]: unknown }

export const findingWith = (
  score: Score | null = scoreWith(),
  claim: SomeClaim = { kind: 'attribute', client: '0', name: 'union', values: [0, 1] },
  parts: Partial<Finding> = {},
): Finding => ({ claim: claim as ClaimJson, score, ...parts })

export type ResultParts = Partial<AttackResult> & {
  /** Of the one finding. */
  readonly claim?: SomeClaim
  readonly score?: Score | null
}

/** A result with one finding, graded and well above chance; with none where nothing was claimed. */
export function resultWith({ claim, score, ...parts }: ResultParts = {}): AttackResult {
  const claimed = parts.status === undefined || parts.status === 'claimed'
  return {
    attack: 'aia-model',
    status: 'claimed',
    oracle: false,
    observer: 'server',
    model: null,
    target: '0',
    params: {},
    seed: 1,
    findings: claimed ? [findingWith(score, claim)] : [],
    warnings: [],
    details: {},
    millis: 1,
    ...parts,
  }
}

const control = (status: ControlResult['status']): ControlResult => ({ status, score: null, reason: status })

export const controlsWith = (
  planted: ControlResult['status'],
  shuffled: ControlResult['status'] = 'passed',
): Controls => ({ planted: control(planted), shuffled: control(shuffled) })

/** A document with these results under their observers. */
export function documentWith(results: readonly AttackResult[], parts: Partial<AuditDocument> = {}): AuditDocument {
  const names = Object.keys(observers) as ObserverName[]
  return {
    scenario: null,
    hash: 'abc',
    plugins: [],
    versions: { overhear: '1', kernels: '2' },
    utility: {},
    report: null,
    observers: names
      .map((observer) => ({
        observer,
        title: observerCalled(observer).title,
        attacks: results.filter((one) => one.observer === observer),
      }))
      .filter(({ attacks }) => attacks.length > 0),
    verdict: { level: 'none-found', reasons: [], advice: [], clients: [] },
    complete: true,
    ...parts,
  }
}
