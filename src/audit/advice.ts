/** What to change: each line of advice names the leak that asks for it. */

import type { ClaimKind } from '../attacks/claim.js'
import type { Scenario } from '../scenario/scenario-schema.js'
import { hearsUpdates, type Observer, sends } from '../threat/observer.js'
import { observerCalled } from '../threat/observers.js'
import { type AttackResult, worstFinding } from './attack-result.js'
import { standingOf } from './standing.js'

interface Rule {
  /** Whether the advice answers one of the leaks. */
  fits(leak: Leak, scenario: Scenario | undefined): boolean
  readonly advice: string
}
interface Leak {
  readonly kind: ClaimKind
  readonly result: AttackResult
}

const standing = ({ observer }: AttackResult): Observer => observerCalled(observer)

const ofLabels: readonly ClaimKind[] = ['label', 'label-mean', 'labels', 'label-counts']
const individual: ReadonlySet<ClaimKind> = new Set([
  ...ofLabels,
  ...(['model', 'attribute', 'metaclass-means', 'metaclass-counts', 'records', 'members'] as const),
])

const rules: readonly Rule[] = [
  {
    fits: ({ kind, result }) => individual.has(kind) && hearsUpdates(standing(result)) && !sends(standing(result)),
    advice: 'aggregate securely, so that nobody but the client sees its own update: these attacks need single updates',
  },
  {
    fits: ({ result }) => standing(result).line === 'one',
    advice: 'encrypt the line between client and server end to end: a listener saw enough',
  },
  {
    fits: ({ kind }) => kind === 'attribute' || kind === 'members' || kind === 'records' || kind === 'labels',
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
    fits: ({ result }) => sends(standing(result)),
    advice: 'let clients check what they are sent (compare with other clients, or limit how far a model may move)',
  },
  {
    fits: ({ kind }, scenario) =>
      (kind === 'records' || ofLabels.includes(kind)) && scenario?.training.algorithm === 'fedsgd',
    advice: 'send averages of several local steps on larger batches instead of single gradients',
  },
]

/** Advice for results that count: what a broken attack or an oracle found asks for nothing. */
export function adviceFor(results: readonly AttackResult[], scenario?: Scenario): string[] {
  const found = results.flatMap((result): Leak[] => {
    const worst = worstFinding(result)
    return worst !== undefined && standingOf(result).level === 'leaks' ? [{ kind: worst.claim.kind, result }] : []
  })
  return rules.filter((rule) => found.some((leak) => rule.fits(leak, scenario))).map(({ advice }) => advice)
}
