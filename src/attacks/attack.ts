/** What an attack is: from a view to a claim, with what it needs, its parameters, and the worlds that test it. */
import { OverhearError } from '../errors.js'
import type { Rng } from '../numeric/random/rng.js'
import type { Cited } from '../papers.js'
import { type Params, readParams, type ValuesOf } from '../params.js'
import type { Grant, View } from '../threat/granted-keys.js'
import type { Truth } from '../transcript/truth-file.js'
import type { Claim, ClaimKind, OwnClaim } from './claim.js'
import type { Derive } from './derivation.js'
import type { Workings } from './workings.js'

/** A figure or words beside a claim: a condition number, the digits to trust, what was tuned. */
export type Detail = number | string | boolean | null | readonly Detail[] | { readonly [key: string]: Detail }

/** How well the protocol that an attack believes in explains the messages. */
export interface ProtocolFit {
  /** What the recording says. */
  readonly stated: Readonly<Record<string, unknown>>
  /** What explains the messages best. */
  readonly heard: Readonly<Record<string, unknown>>
  /** How likely messages as far off are where the statement is true; null where that could not be told. */
  readonly p: number | null
  /** Of messages that were looked at: how far each is from what is stated, squared, over what is expected: about 1 where it is true. */
  readonly byRound?: readonly { readonly round: number; readonly misfit: number }[]
}

export interface Claimed {
  readonly status: 'claimed'
  /** One; several when several attributes were inferred at once. */
  readonly claims: readonly Claim[]
  /** Why the claim may be worth less than it looks. */
  readonly warnings: readonly string[]
  readonly details: Readonly<Record<string, Detail>>
  readonly fit?: ProtocolFit
  readonly workings?: Workings
}

/** Something the attack needs is not there: grants by their names, or other facts in words. */
export interface NotApplicable {
  readonly status: 'not-applicable'
  readonly missing: readonly string[]
  readonly why?: string
}

export type Outcome = Claimed | NotApplicable

/** What every attack is handed beside its view. */
export interface Context<P = Readonly<Record<string, unknown>>> {
  readonly params: P
  /** The attack's own stream: the same bits whatever ran before. */
  readonly rng: Rng
  /** Tells how far a long attack is; throws when it was interrupted or its time is up. Call it in every long loop. */
  tick(done: number, total: number): void
  /** What another attack claims from the same place (`from=`), with its default parameters unless told. */
  claimOf(id: string, params?: Readonly<Record<string, unknown>>): Promise<Outcome>
  /** Makes what is derived of a part of a view, or has it from another attack, control or observer who had the same part. */
  readonly derive?: Derive
}

/** A view changed for a control, and what `claimOf` answers there. */
export interface ControlWorld<V> {
  readonly view: V
  readonly claims?: Readonly<Record<string, Outcome>>
  /** Parameters that are otherwise there: what nobody reads of a control need not be computed. */
  readonly params?: Readonly<Record<string, unknown>>
}

/** Why a control makes no sense for an attack. */
export interface NoControl {
  readonly none: string
}

/** What a control is made from. The truth is for the one who plants, never for the attack. */
export interface ControlInput<V, P> {
  readonly view: V
  readonly params: P
  readonly truth: Truth
  readonly rng: Rng
  readonly derive?: Derive
}

type Awaitable<T> = T | Promise<T>

/** What an attack (or an oracle) says of itself. */
export interface About<G extends Grant, O extends Grant, P extends Params> {
  readonly id: string
  readonly title: string
  /** A key of the bibliography; a plug-in may leave it out, or cite something of its own. */
  readonly paper?: Cited
  /** Where in the paper: "Eq. (3)". */
  readonly where?: string
  readonly target: ClaimKind | OwnClaim['kind']
  /** All of these are granted, or the attack is not applicable. */
  readonly needs: readonly G[]
  /** Granted where the observer may have them and the sources hold them; else undefined. */
  readonly uses?: readonly O[]
  readonly params: P
  /** How long it takes beside others, by guess: 1 unless told; the longest are begun first. Changes no result. */
  readonly effort?: number
}

export interface AttackDefinition<G extends Grant, O extends Grant, P extends Params> extends About<G, O, P> {
  /** True for a method of our own. */
  readonly beyond?: boolean
  /**
   * True where what is claimed of a record follows from that record and the messages alone, whatever other records it is
   * asked about with: then one run over many records stands for a run over any of them.
   */
  readonly perRecord?: boolean
  run(view: View<G> & Partial<View<O>>, context: Context<ValuesOf<P>>): Awaitable<Outcome>
  /**
   * A world in which the leak is certain: the messages are changed so that they carry the truth, which stays as it is.
   * The attack must find it, else it is broken.
   */
  readonly plant:
    | ((
        input: ControlInput<View<G> & Partial<View<O>>, ValuesOf<P>>,
      ) => Awaitable<ControlWorld<View<G> & Partial<View<O>>>>)
    | NoControl
  /**
   * A world in which what is heard has nothing to do with the truth, which stays as it is (records in another order,
   * coordinates permuted). The attack must fall to chance there, else it reads the truth. Gets no truth to look at.
   */
  readonly shuffle:
    | ((
        input: Omit<ControlInput<View<G> & Partial<View<O>>, ValuesOf<P>>, 'truth'>,
      ) => Awaitable<ControlWorld<View<G> & Partial<View<O>>>>)
    | NoControl
}

/** An attack as the table holds it: parameters are read by `run`, `plant` and `shuffle` themselves. */
export interface Attack extends Required<About<Grant, Grant, Params>> {
  readonly beyond: boolean
  readonly perRecord: boolean
  run(view: AnyView, context: Context): Promise<Outcome>
  readonly plant: ((input: ControlInput<AnyView, Given>) => Promise<ControlWorld<AnyView>>) | NoControl
  readonly shuffle: ((input: Omit<ControlInput<AnyView, Given>, 'truth'>) => Promise<ControlWorld<AnyView>>) | NoControl
}
export type AnyView = Partial<View<Grant>>
type Given = Readonly<Record<string, unknown>>

export function defineAttack<const P extends Params, const G extends Grant, const O extends Grant = never>(
  definition: AttackDefinition<G, O, P>,
): Attack {
  type V = View<G> & Partial<View<O>>
  const {
    id,
    title,
    paper = '',
    where = '',
    target,
    needs,
    uses = [],
    params,
    beyond = false,
    perRecord = false,
    effort = 1,
  } = definition
  const { plant, shuffle } = definition
  if (plant === undefined || shuffle === undefined) {
    const found = `attack ${id} has no ${plant === undefined ? 'plant' : 'shuffle'}`
    throw new OverhearError('E_INPUT', found, "a function that makes the control's world is needed, or { none: 'why' }")
  }
  const read = (given: Given): ValuesOf<P> => readParams(params, given, `attack ${id}`)
  return {
    id,
    title,
    paper,
    where,
    target,
    needs,
    uses,
    params,
    effort,
    beyond,
    perRecord,
    async run(view, context) {
      try {
        return await definition.run(view as V, { ...context, params: read(context.params) })
      } catch (error) {
        if (error instanceof Inapplicable) return error.outcome
        throw error
      }
    },
    plant:
      'none' in plant ? plant : async (input) => plant({ ...input, view: input.view as V, params: read(input.params) }),
    shuffle:
      'none' in shuffle
        ? shuffle
        : async (input) => shuffle({ ...input, view: input.view as V, params: read(input.params) }),
  }
}

/** Thrown from any depth of an attack that finds that something it needs is not there. */
export class Inapplicable extends Error {
  readonly outcome: NotApplicable

  constructor(missing: readonly string[], why?: string) {
    super(why ?? `missing: ${missing.join(', ')}`)
    this.outcome = { status: 'not-applicable', missing, ...(why !== undefined && { why }) }
  }
}

/** What an attack returns that believes something. */
export function claimed(
  claims: Claim | OwnClaim | readonly (Claim | OwnClaim)[],
  {
    warnings = [],
    details = {},
    fit,
    workings,
  }: Partial<Pick<Claimed, 'warnings' | 'details' | 'fit' | 'workings'>> = {},
): Claimed {
  const list = 'kind' in claims ? [claims] : claims
  return {
    status: 'claimed',
    claims: list as readonly Claim[],
    warnings,
    details,
    ...(fit !== undefined && { fit }),
    ...(workings !== undefined && { workings }),
  }
}
