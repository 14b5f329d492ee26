/** Which attacks run where: one job for each attack, target and view that differs. */
import type { Attack } from '../attacks/attack.js'
import { attacks } from '../attacks/index.js'
import { type HeardWhere, viewKey } from '../threat/grant.js'
import { type ObserverName, observerCalled, observers } from '../threat/observers.js'
import { oracles } from './oracles/index.js'
import type { Given } from './run-attack.js'

/** One attack, from one place, on one client. A pure function of this and of the evidence. */
export interface Job {
  readonly attack: string
  readonly params: Given
  /** Parameters for the attack that it builds on (`from=`), where that has them. */
  readonly fromParams?: Given
  readonly observer: ObserverName
  /** null: the attack is about all clients. */
  readonly target: string | null
  readonly seed: number
  /** Units of work, as the attack counts them, after which it is stopped. */
  readonly workBudget?: number
  /** Whether it is also run in the worlds that test it. */
  readonly controls: boolean
  /** Whether it is told the same otherwise too: the claim must follow. With other labels as well, or not. */
  readonly retold?: 'all' | 'same-labels'
  /** Nobody reads the curve of it: none is made. */
  readonly withoutCurve?: true
  /** Of a recording without truth: what speaks for a claim besides is looked at too. */
  readonly withoutTruth?: true
}

/** A job, and the stronger observers to whom the same view is granted. */
export interface Planned {
  readonly job: Job
  readonly alsoFor: readonly ObserverName[]
}

export interface PlanOptions extends HeardWhere {
  readonly attacks: readonly { readonly attack: Needy; readonly params: Given }[]
  readonly observers: readonly ObserverName[]
  /** None: nobody is looked at, and attacks on one client are told so. */
  readonly targets: readonly string[]
  readonly seed: number
  readonly controls: boolean
  readonly withoutTruth?: boolean
  readonly fromParams?: Given
  readonly workBudget?: number | null
}

type Needy = Pick<Attack, 'id' | 'needs' | 'uses' | 'params'>

/** What an attack needs with what the attack needs that it builds on (`from=`). */
function withFrom(attack: Needy, params: Given): Pick<Attack, 'needs' | 'uses'> {
  const from = params.from ?? attack.params.from?.default
  const known: Readonly<Record<string, Pick<Attack, 'needs' | 'uses'>>> = { ...attacks, ...oracles }
  const base = typeof from === 'string' && Object.hasOwn(known, from) ? known[from]! : undefined
  if (base === undefined) return attack
  return { needs: [...new Set([...attack.needs, ...base.needs])], uses: [...new Set([...attack.uses, ...base.uses])] }
}

/** All that an attack may be handed, by its table entry; undefined of one that is in no table. */
export function handedTo({ attack, params }: Pick<Job, 'attack' | 'params'>): ReadonlySet<string> | undefined {
  const known: Readonly<Record<string, Needy>> = { ...attacks, ...oracles }
  if (!Object.hasOwn(known, attack)) return undefined
  const { needs, uses } = withFrom(known[attack]!, params)
  return new Set([...needs, ...uses])
}

/** Observers for whom the attack lacks nothing by their standing, the weakest first. */
export function observersOf(attack: Needy, params: Given = {}): ObserverName[] {
  const { needs } = withFrom(attack, params)
  return Object.keys(observers).filter((name) => needs.every((key) => observerCalled(name).mayKnow.has(key)))
}

/** How long a job may take beside others, by guess: as its table entry says, nothing where it is refused. */
export function effortOf({ attack: id, params, observer, controls }: Job): number {
  const known: Readonly<Record<string, Needy & Pick<Attack, 'effort'>>> = { ...attacks, ...oracles }
  if (!Object.hasOwn(known, id)) return 1
  const attack = known[id]!
  if (!observersOf(attack, params).includes(observer)) return 0
  const from = params.from ?? attack.params.from?.default
  const base = typeof from === 'string' && Object.hasOwn(known, from) ? known[from]!.effort : 0
  // A planted world and a shuffled one beside the real one.
  return (attack.effort + base) * (controls ? 3 : 1)
}

export function planJobs(options: PlanOptions): Planned[] {
  const strength = Object.keys(observers)
  const asked = strength.filter((name) => options.observers.includes(name))
  return options.attacks.flatMap(({ attack, params }) => {
    const aimed = attack.needs.includes('target') || attack.uses.includes('target')
    const targets = aimed && options.targets.length > 0 ? options.targets : [null]
    const able = observersOf(attack, params)
    const views = new Map<string, ObserverName[]>()
    for (const name of asked) {
      // Those who may not have it all are told so: one job says what is missing.
      const view = able.includes(name) ? viewKey(withFrom(attack, params), name, options) : `refused ${name}`
      views.set(view, [...(views.get(view) ?? []), name])
    }
    return [...views.values()].flatMap(([observer, ...alsoFor]) =>
      targets.map((target, k) => ({
        job: {
          attack: attack.id,
          params,
          observer: observer!,
          target,
          seed: options.seed,
          ...('from' in attack.params && options.fromParams !== undefined && { fromParams: options.fromParams }),
          ...(typeof options.workBudget === 'number' && { workBudget: options.workBudget }),
          // The worlds of a control are the same for every target: one is enough.
          controls: options.controls && k === 0 && able.includes(observer!),
          ...(options.withoutTruth && { withoutTruth: true as const }),
        },
        alsoFor,
      })),
    )
  })
}
