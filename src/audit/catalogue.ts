/** What there is to choose from, by table: what `overhear list` prints and generated documents are made of. */
import type { Attack } from '../attacks/attack.js'
import { attacks } from '../attacks/index.js'
import type { DatasetEntry } from '../data/dataset-entry.js'
import type { LocalRule } from '../federation/local-rules/local-rule.js'
import { metrics } from '../metrics/index.js'
import type { Param, Params } from '../params.js'
import { type Entry, originOf } from '../registry.js'
import { openTables } from '../scenario/world-tables.js'
import { settings, settingsIn } from '../settings/index.js'
import type { Setting } from '../settings/setting.js'
import type { Observer } from '../threat/observer.js'
import { observers } from '../threat/observers.js'
import { oracles } from './oracles/index.js'
import { observersOf } from './plan-jobs.js'

export interface Listed {
  readonly id: string
  readonly title: string
  readonly paper?: string | null
  readonly params?: Params
  /** "built in", or the plug-in that brought it. */
  readonly from: string
}

export interface ListedAttack extends Listed {
  readonly target: string
  readonly where: string
  readonly needs: readonly string[]
  readonly uses: readonly string[]
  readonly observers: readonly string[]
  readonly oracle: boolean
  readonly beyond: boolean
}

export interface ListedSetting extends Listed {
  readonly default: unknown
  readonly obeyedBy: string
  /** The key of a recording's manifest that tells of it. */
  readonly manifest: string | null
}

function listedAttack(
  one: Omit<Attack, 'run' | 'plant' | 'shuffle' | 'beyond' | 'perRecord'>,
  { oracle, beyond }: { readonly oracle: boolean; readonly beyond: boolean },
): ListedAttack {
  const { id, title, where, target, needs, uses, params } = one
  const paper = one.paper === '' ? null : one.paper
  const from = originOf(oracle ? oracles : attacks, id)
  return { id, title, paper, where, target, needs, uses, observers: observersOf(one), oracle, beyond, params, from }
}

const { datasets, partitions, models, initialisers, localRules, samplings, misbehaviours, defences } = openTables()

/** What every table has to say of its entries, and what one has to say besides. */
function listed<E extends Entry, M extends object>(
  entries: object,
  { more, paramsOf = ({ params }) => params }: { more?: (one: E) => M; paramsOf?: (one: E) => Params } = {},
): (Listed & M)[] {
  return (Object.values(entries) as E[]).map((one) => {
    const { id, title, paper = null } = one
    return {
      id,
      title,
      paper,
      ...(more?.(one) as M),
      params: paramsOf(one),
      from: originOf(entries as Readonly<Record<string, Entry>>, id),
    }
  })
}

/** The settings of a turn that a local rule obeys, as its parameters. */
function obeyed({ obeys }: LocalRule): Params {
  const known = settingsIn('training')
  return Object.fromEntries(
    obeys.flatMap((key) => (known[key] === undefined ? [] : [[key, known[key].value as Param]])),
  )
}

/** A function for each table: its entries as plain data. */
export const catalogue = {
  attacks: (): ListedAttack[] => [
    ...Object.values(attacks).map((one) => listedAttack(one, { oracle: false, beyond: one.beyond })),
    ...Object.values(oracles).map((one) => listedAttack(one, { oracle: true, beyond: false })),
  ],
  datasets: () =>
    listed(datasets, {
      more: ({ origin, tasks, predicts, sensitive }: DatasetEntry) => ({ origin, tasks, predicts, sensitive }),
    }),
  partitions: () => listed(partitions),
  observers: () => listed(observers, { more: ({ mayKnow }: Observer) => ({ mayKnow: [...mayKnow] }) }),
  defences: () => listed(defences),
  rules: () => listed(localRules, { paramsOf: obeyed }),
  samplings: () => listed(samplings),
  misbehaviours: () => listed(misbehaviours),
  models: () => listed(models),
  metrics: () => listed(metrics),
  initialisers: () => listed(initialisers),
  settings: (): ListedSetting[] =>
    listed(settings, {
      more: ({ value, obeyedBy, manifest }: Setting) => ({
        default: value.default ?? null,
        obeyedBy,
        manifest: manifest === undefined ? null : `protocol.${manifest.key}`,
      }),
    }),
} as const satisfies Readonly<Record<string, () => readonly Listed[]>>
