/** Runs one attack where an observer stands, and makes what came of it plain data. */
import type { AnyView, Attack, Claimed, Context, Outcome } from '../attacks/attack.js'
import type { Derive } from '../attacks/derivation.js'
import { attacks } from '../attacks/index.js'
import { lookup, OverhearError } from '../errors.js'
import type { Rng } from '../numeric/random/rng.js'
import { builtIn, originOf } from '../registry.js'
import { grant, type Sources } from '../threat/grant.js'
import type { ObserverName } from '../threat/observers.js'
import { mendShared } from './shared-intact.js'

export type Given = Readonly<Record<string, unknown>>

export interface Failed {
  readonly status: 'failed'
  readonly error: { readonly code: string; readonly message: string }
}
export type Result = Outcome | Failed

/** Where an attack runs and what limits it. */
export interface Surroundings {
  readonly sources: Sources
  readonly observer: ObserverName
  readonly rng: Rng
  /** Has what others derived of the same; unless told, every attack makes its own. */
  readonly derive?: Derive
  /** The attacks that `from=` may name; the table's unless told. */
  readonly table?: Readonly<Record<string, Attack>>
  /** Parameters for the attacks that others build on, where they have them. */
  readonly fromParams?: Given
  /** Answers for the ids of oracles; undefined for any other. */
  oracle?(id: string, params: Given): Promise<Result> | undefined
  /** Told what another attack claimed, when one is built on it. */
  onClaim?(outcome: Outcome): void
  /** Units of work, as the attack counts them in `tick`, after which it is stopped. */
  readonly workBudget?: number
  onTick?(done: number, total: number): void
  /** Throws when the attack must stop. */
  check?(): void
}

/** For answers and plants: nobody reads their curves. */
export const withoutCurve = (attack: Attack, params: Given): Given =>
  'curve' in attack.params ? { ...params, curve: 0 } : params

/** Grants the attack its view, runs it, and turns what it throws into a failure with a code. */
export async function runAttack(attack: Attack, params: Given, around: Surroundings): Promise<Result> {
  return settled(async () => {
    const granted = await grant(around.sources, around.observer, attack.needs, attack.uses)
    if (granted.view === undefined) return { status: 'not-applicable', missing: granted.missing }
    return attack.run(granted.view as AnyView, contextOf(attack, params, around))
  })
}

/** The context of an attack; in a control world some claims of others are given. */
export function contextOf(
  attack: Pick<Attack, 'id'>,
  params: Given,
  around: Surroundings,
  claims: Readonly<Record<string, Outcome>> = {},
): Context {
  const underlying = (id: string, others: Given): Promise<Result> => {
    const other = lookup(around.table ?? attacks, id, 'attack')
    if (other.id === attack.id) throw new OverhearError('E_INPUT', `attack ${id} is asked to build on itself`)
    return runAttack(other, { ...fittingParams(other, around.fromParams), ...others }, around)
  }
  return {
    params,
    rng: around.rng.fork('attack', attack.id),
    ...(around.derive !== undefined && { derive: around.derive }),
    tick(done, total) {
      around.check?.()
      if (done > (around.workBudget ?? Number.POSITIVE_INFINITY)) throw outOfWork(attack.id, done, around.workBudget!)
      around.onTick?.(done, total)
    },
    async claimOf(id, others = {}) {
      if (Object.hasOwn(claims, id)) return claims[id]!
      // An oracle is told the truth: it answers where whoever asked for the attack named it (`from=`), never by the attack's own wish.
      const oracle = Object.values(params).includes(id) ? around.oracle?.(id, others) : undefined
      const result = await (oracle ?? underlying(id, others))
      if (result.status === 'failed') throw new OverhearError('E_INPUT', `${id} failed: ${result.error.message}`)
      around.onClaim?.(result)
      return result
    },
  }
}

const outOfWork = (id: string, done: number, budget: number): OverhearError =>
  new OverhearError('E_WORK', `${id} was stopped after ${done} units of work`, `workBudget is ${budget}`)

/** Those of some parameters that an attack has. */
export function fittingParams({ params }: Pick<Attack, 'params'>, given: Given = {}): Given {
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(params, name)))
}

export async function settled(run: () => Promise<Outcome>): Promise<Result> {
  try {
    const outcome = await run()
    const changed = mendShared()
    if (changed !== undefined) return spoilt(changed)
    return outcome.status === 'claimed' ? finite(outcome) : outcome
  } catch (error) {
    const changed = mendShared()
    return changed === undefined ? failedBy(error) : spoilt(changed)
  }
}

/** What an attack says that changed what all share is worth nothing, and others must not feel it. */
function spoilt(what: string): Failed {
  const message = `the attack changed what all share (${what}): nothing that it says counts`
  return { status: 'failed', error: { code: 'E_VALUE', message } }
}

/** An error with a code as a result; an interruption and what we did not foresee go on. */
function failedBy(error: unknown): Failed {
  if (error instanceof OverhearError && error.code !== 'E_INTERRUPTED') {
    return { status: 'failed', error: { code: error.code, message: error.message } }
  }
  throw error
}

/** The same where a claim was graded: what breaks over the claim of a plug-in is a fault of the claim, and the audit goes on. */
export function gradedBy(error: unknown, attack: string): Failed {
  if (error instanceof OverhearError || originOf(attacks, attack) === builtIn) return failedBy(error)
  const message = `what it claims cannot be graded: ${(error as Error).message}`
  return { status: 'failed', error: { code: 'E_VALUE', message } }
}

/** A claim with a number that is not finite is no claim: a comparison with NaN silently picks the first value. */
function finite(outcome: Claimed): Result {
  for (const claim of outcome.claims) {
    if (claim.kind !== 'model') continue
    const bad = claim.theta.findIndex((v) => !Number.isFinite(v))
    if (bad < 0) continue
    const message = `the claimed model of client "${claim.client}" holds ${claim.theta[bad]} at ${bad}`
    return { status: 'failed', error: { code: 'E_NON_FINITE', message } }
  }
  return outcome
}
