/** What could be changed, untried: each line names the leak that asks for it. `overhear advise` tries. */

import type { ClaimKind } from '../attacks/claim.js'
import type { Scenario } from '../scenario/scenario-schema.js'
import { hearsUpdates, type Observer, sends } from '../threat/observer.js'
import { observerCalled } from '../threat/observers.js'
import type { Question } from './ladder/question.js'

interface Rule {
  /** Whether the advice answers one of the leaks. */
  fits(leak: Question, scenario: Scenario | undefined): boolean
  readonly advice: string
}

const standing = ({ observer }: Question): Observer => observerCalled(observer)

const ofLabels: ReadonlySet<string> = new Set<ClaimKind>(['label', 'label-mean', 'labels', 'label-counts'])
const individual: ReadonlySet<string> = new Set<string>([
  ...ofLabels,
  ...(['model', 'attribute', 'metaclass-means', 'metaclass-counts', 'records', 'members'] satisfies ClaimKind[]),
])
/** What record-level privacy bounds: what is learned of records because they were trained on. */
const ofRecords: ReadonlySet<string> = new Set<ClaimKind>(['attribute', 'members', 'records', 'labels', 'label'])

const rules: readonly Rule[] = [
  {
    fits: (leak) => individual.has(leak.kind) && hearsUpdates(standing(leak)) && !sends(standing(leak)),
    advice: 'aggregate securely, so that nobody but the client sees its own update: these attacks need single updates',
  },
  {
    fits: (leak) => standing(leak).line === 'one',
    advice: 'encrypt the line between client and server end to end: a listener saw enough',
  },
  {
    fits: ({ kind, level }) => level === 'leaks-records' || ofRecords.has(kind),
    advice:
      'train with record-level differential privacy (DP-SGD) and audit again: it bounds what one record can change',
  },
  {
    fits: ({ kind }) => kind === 'model',
    advice: 'share fewer rounds or let clients take part more rarely: each message narrows the local model down',
  },
  {
    fits: ({ kind }) => kind === 'property' || kind === 'contribution',
    advice:
      'hide who took part, or let far more clients take part in each round: sums were told apart by participation',
  },
  {
    fits: (leak) => sends(standing(leak)),
    advice: 'let clients check what they are sent (compare with other clients, or limit how far a model may move)',
  },
  {
    fits: ({ kind }, scenario) =>
      (kind === 'records' || ofLabels.has(kind)) && scenario?.training.algorithm === 'fedsgd',
    advice:
      'let every update be of many records, not of one or a few: several local steps hide nothing of a single record',
  },
]

/** Advice for questions that are alarms: what is known anyway, or not settled, asks for nothing. */
export const adviceFor = (leaks: readonly Question[], scenario?: Scenario): string[] =>
  rules.filter((rule) => leaks.some((leak) => rule.fits(leak, scenario))).map(({ advice }) => advice)
