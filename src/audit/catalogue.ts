/** What there is to choose from, by table: what `overhear list` prints and generated documents are made of. */
import type { Attack } from '../attacks/attack.js'
import { attacks } from '../attacks/index.js'
import type { DatasetEntry } from '../data/dataset-entry.js'
import { datasets } from '../data/index.js'
import { defences } from '../defences/index.js'
import { localRules } from '../federation/local-rules/index.js'
import { misbehaviours } from '../federation/misbehaviour/index.js'
import { samplings } from '../federation/sampling/index.js'
import { models } from '../models/index.js'
import type { Params } from '../params.js'
import { partitions } from '../partition/index.js'
import type { Observer } from '../threat/observer.js'
import { observers } from '../threat/observers.js'
import { oracles } from './oracles/index.js'
import { observersOf } from './plan-jobs.js'

export interface Listed {
  readonly id: string
  readonly title: string
  readonly paper?: string | null
  readonly params?: Params
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

function listedAttack(
  one: Omit<Attack, 'run' | 'plant' | 'shuffle' | 'beyond'>,
  oracle: boolean,
  beyond: boolean,
): ListedAttack {
  const { id, title, paper, where, target, needs, uses, params } = one
  return { id, title, paper, where, target, needs, uses, observers: observersOf(one), oracle, beyond, params }
}

const listed = (table: Readonly<Record<string, Listed>>): Listed[] =>
  Object.values(table).map(({ id, title, params = {} }) => ({ id, title, params }))

/** A function for each table: its entries as plain data. */
export const catalogue = {
  attacks: (): ListedAttack[] => [
    ...Object.values(attacks).map((one) => listedAttack(one, false, one.beyond)),
    ...Object.values(oracles).map((one) => listedAttack(one, true, false)),
  ],
  datasets: () =>
    Object.values<DatasetEntry>(datasets).map(
      ({ id, title, origin, tasks, predicts, sensitive, paper = null, params }) => {
        return { id, title, origin, tasks, predicts, sensitive, paper, params }
      },
    ),
  partitions: () =>
    Object.values(partitions).map(({ id, title, paper = null, params }) => ({ id, title, paper, params })),
  observers: () =>
    Object.entries<Observer>(observers).map(([id, { title, mayKnow }]) => ({ id, title, mayKnow: [...mayKnow] })),
  defences: () => listed(defences),
  rules: () => listed(localRules),
  samplings: () => listed(samplings),
  misbehaviours: () => listed(misbehaviours),
  models: () =>
    Object.values<Listed>(models).map(({ id, title, paper = null, params = {} }) => ({ id, title, paper, params })),
} as const satisfies Readonly<Record<string, () => readonly Listed[]>>
