/** Results and scores made by hand, for tests of what is made of them. */

import type { AttackResult, ClaimJson, ControlResult, Controls, Finding } from '../src/audit/attack-result.js'
import type { AuditDocument } from '../src/audit/document.js'
import type { Ladder, Question, StepTest } from '../src/audit/ladder/question.js'
import { verdictOf } from '../src/audit/verdict.js'
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

export const controlsWith = (planted: ControlResult['status']): Controls => ({ planted: control(planted) })

/** A step that was seen clearly. */
export const stepWith = (parts: Partial<StepTest> = {}): StepTest => ({
  p: 0.001,
  adjusted: 0.004,
  effect: 0.08,
  errorRemoved: 0.4,
  interval: [0.05, 0.11],
  leastSeen: 0.03,
  repeats: 10,
  ...parts,
})

export type QuestionParts = Partial<Omit<Question, 'ladder' | 'test'>> & {
  readonly ladder?: Partial<Ladder>
  readonly test?: Partial<Question['test']>
}

/** A question about an attribute of client 0, whose records leak to the server; parts of the ladder and of the test may be others. */
export function questionWith({ ladder, test, ...parts }: QuestionParts = {}): Question {
  return {
    observer: 'server',
    target: '0',
    model: null,
    kind: 'attribute',
    name: 'union',
    level: 'leaks-records',
    ladder: {
      metric: 'AUC',
      better: 'higher',
      best: 1,
      guess: 0.8,
      guesser: 'a regression on public columns',
      federation: 0.86,
      client: 0.88,
      record: 0.96,
      everybody: null,
      ...ladder,
    },
    by: { guess: 'a regression on public columns', client: 'aia-model', record: 'aia-linear' },
    test: { record: stepWith(), client: null, ...test },
    notTested: null,
    cut: [],
    gaps: [],
    repeatsNeeded: null,
    attacks: [
      { attack: 'aia-model', params: {}, cells: { client: 0.88, record: 0.9 } },
      { attack: 'aia-linear', params: {}, cells: { client: 0.7, record: 0.96 } },
    ],
    people: null,
    exposed: null,
    rates: null,
    ...parts,
  }
}

/** One of each word that a question may have. */
export const ofEveryWord: readonly Question[] = [
  questionWith({
    observer: 'eavesdropper',
    people: {
      trained: { right: 55, of: 55 },
      heldBack: { right: 46, of: 55 },
      guessed: { right: 47, of: 55 },
    },
    exposed: { ids: ['ann', 'bob', 'eve'], of: 55 },
  }),
  questionWith({
    kind: 'metaclass-counts',
    name: null,
    level: 'leaks-client',
    ladder: { metric: 'MAE', better: 'lower', best: 0, guess: 2.6, federation: 2.5, client: 1.7, record: 1.65 },
    test: {
      record: stepWith({ effect: 0.05, interval: [-0.1, 0.2], adjusted: 0.6, leastSeen: 0.2 }),
      client: stepWith({ effect: 0.8, interval: [0.5, 1.1], leastSeen: 0.4, errorRemoved: 0.32 }),
    },
  }),
  questionWith({
    kind: 'members',
    name: null,
    level: 'inconclusive',
    ladder: { guess: 0.5, federation: null, client: 0.5, record: 0.56 },
    test: { record: stepWith({ effect: 0.06, interval: [-0.02, 0.14], adjusted: 0.3, leastSeen: 0.1 }) },
    repeatsNeeded: 40,
    rates: { tpr1: 0.03, tpr01: null, finest: 0.01 },
  }),
  questionWith({
    name: 'smoker',
    level: 'known-anyway',
    ladder: { guess: 0.8, federation: 0.959, client: 0.96, record: 0.958, everybody: 0.957 },
    test: { record: stepWith({ effect: -0.002, interval: [-0.02, 0.015], adjusted: 1, leastSeen: 0.02 }) },
  }),
  questionWith({
    kind: 'property',
    name: 'inversion',
    target: null,
    observer: 'secagg-server',
    level: 'none-found',
    ladder: { guess: 0.5, federation: null, client: 0.55, record: null },
    test: { record: null, client: stepWith({ effect: 0.05, interval: null, adjusted: 0.8, leastSeen: null }) },
  }),
  questionWith({
    kind: 'records',
    name: null,
    level: 'not-tested',
    ladder: { guess: null, federation: null, client: null, record: null },
    test: { record: null, client: null },
    notTested: 'no records were kept back',
    attacks: [],
  }),
]

/** A document with these results under their observers, and the verdict of its questions. */
export function documentWith(results: readonly AttackResult[], parts: Partial<AuditDocument> = {}): AuditDocument {
  const names = Object.keys(observers) as ObserverName[]
  const questions = parts.questions ?? []
  return {
    scenario: null,
    hash: 'abc',
    plugins: [],
    versions: { overhear: '1', kernels: '2' },
    utility: {},
    diverged: {},
    report: null,
    questions,
    observers: names
      .map((observer) => ({
        observer,
        title: observerCalled(observer).title,
        attacks: results.filter((one) => one.observer === observer),
      }))
      .filter(({ attacks }) => attacks.length > 0),
    verdict: verdictOf(questions, results),
    complete: true,
    ...parts,
  }
}
