/** The table of lint rules, one line each, and what they find in a setup. */
import type { Setup } from '../account/setup.js'
import { fewClients, maskReuse, oneApart, oneSeed, separable, untrustedServer } from './aggregation-rules.js'
import { batchOfOne, exactRecovery, linearMessages, nothingHeldBack } from './exposure-rules.js'
import {
  claimedEpsilon,
  clippingSkips,
  deviationOrVariance,
  largeDelta,
  noNoise,
  notComposed,
  privateClipping,
  sensitivityApart,
  wrongSampling,
} from './privacy-rules.js'
import type { Finding, LintRule, Severity } from './rule.js'

export const lintRules: readonly LintRule[] = [
  claimedEpsilon,
  notComposed,
  deviationOrVariance,
  privateClipping,
  clippingSkips,
  wrongSampling,
  largeDelta,
  noNoise,
  sensitivityApart,
  oneSeed,
  maskReuse,
  fewClients,
  separable,
  oneApart,
  untrustedServer,
  batchOfOne,
  linearMessages,
  exactRecovery,
  nothingHeldBack,
]

const order: readonly Severity[] = ['error', 'warning', 'note']

/** All findings, errors first. */
export function lint(setup: Setup): Finding[] {
  const found = lintRules.flatMap((rule) =>
    rule.check(setup).map((one): Finding => {
      const { code, id, severity, title, fix, doc } = rule
      return { code, rule: id, severity, title, doc, ...one, fix: one.fix ?? fix }
    }),
  )
  return found.sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity))
}

/** Where a finding's subject stands in its file, as keys from the top; what is not there stands at its parent. */
export function pathOf({ subject }: Pick<Finding, 'subject'>, { from, raw }: Setup): readonly (string | number)[] {
  if (from === 'transcript') {
    if (subject.of === 'privacy')
      return ['protocol', 'differentialPrivacy', ...(subject.key === undefined ? [] : [subject.key])]
    if (subject.of === 'rounds' || subject.of === 'clients' || subject.of === 'model') return [subject.of]
    if (subject.of === 'seeds') {
      const protocol = (raw.protocol ?? {}) as { readonly differentialPrivacy?: object | null }
      if ('noiseSeed' in (protocol.differentialPrivacy ?? {})) return ['protocol', 'differentialPrivacy', 'noiseSeed']
      return ['protocol', 'noiseSeed' in protocol ? 'noiseSeed' : 'clientSeeds']
    }
    return ['protocol', subject.of]
  }
  const defences = Array.isArray(raw.defences) ? (raw.defences as { name?: string }[]) : []
  const at = (...names: readonly string[]): number =>
    Math.max(
      0,
      defences.findIndex((one) => names.includes(one?.name ?? '')),
    )
  if (subject.of === 'privacy')
    return [
      'defences',
      at('dp-sgd', 'local-dp', 'central-dp', 'dp-ftrl', 'distributed-dp'),
      'params',
      ...(subject.key === undefined ? [] : [subject.key]),
    ]
  if (subject.of === 'secureAggregation') return ['defences', at('secure-aggregation', 'distributed-dp')]
  if (subject.of === 'heldBack' || subject.of === 'server') return [subject.of]
  if (subject.of === 'model') return ['models']
  if (subject.of === 'clients') return ['partition']
  return ['training', subject.of]
}
