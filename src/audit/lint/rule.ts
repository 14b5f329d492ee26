/** What a rule of `overhear lint` is: what it looks at, and what it says of it. */
import type { Setup } from '../account/setup.js'

export type Severity = 'error' | 'warning' | 'note'

/** What a finding points at; the file's kind says where that stands in it. */
export type Subject =
  | { readonly of: 'privacy'; readonly key?: string }
  | {
      readonly of:
        | 'batchSize'
        | 'secureAggregation'
        | 'clients'
        | 'rounds'
        | 'model'
        | 'share'
        | 'heldBack'
        | 'server'
        | 'seeds'
    }

export interface Found {
  readonly subject: Subject
  /** What was found, with its figures. */
  readonly evidence: string
  /** What to do about it, where it depends on what was found. */
  readonly fix?: string
}

export interface LintRule {
  /** Never changes: people switch rules off by it. */
  readonly code: string
  readonly id: string
  readonly severity: Severity
  /** 0 to 10, as GitHub sorts by it. */
  readonly danger: number
  /** What is wrong, in a sentence. */
  readonly title: string
  readonly fix: string
  /** Part of docs/lint.md. */
  readonly doc: string
  check(setup: Setup): readonly Found[]
}

export interface Finding extends Found {
  readonly code: string
  readonly rule: string
  readonly severity: Severity
  readonly title: string
  readonly fix: string
  readonly doc: string
}

const anchor = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-')

export const defineLintRule = (rule: Omit<LintRule, 'doc'>): LintRule => ({
  ...rule,
  doc: `docs/lint.md#${anchor(`${rule.code} ${rule.id}`)}`,
})

const atTheServer = ['central-dp', 'dp-ftrl']

/** Noise that is stated, above 0, and on what the server hears: what the server adds itself comes after it. */
export const noised = ({ privacy }: Setup): boolean =>
  privacy !== null && !atTheServer.includes(privacy.mechanism) && (privacy.noiseMultiplier ?? 0) > 0

/** What `differentialPrivacy` says beyond what the format defines. */
export function saidOfPrivacy({ privacy }: Setup): Readonly<Record<string, unknown>> {
  return (privacy ?? {}) as Readonly<Record<string, unknown>>
}

/** A key of the protocol of a recording, also where it stands beside its noise, or of the scenario itself. */
export function said(setup: Setup, key: string): unknown {
  const protocol = setup.raw.protocol
  const inside =
    typeof protocol === 'object' && protocol !== null ? (protocol as Record<string, unknown>)[key] : undefined
  return inside ?? saidOfPrivacy(setup)[key] ?? setup.raw[key]
}
