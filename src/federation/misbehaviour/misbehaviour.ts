/** What a misbehaviour is: what a client returns instead of an honest update. */
import type { Records } from '../../data/records.js'
import type { Rng } from '../../numeric/random/rng.js'
import type { Cited } from '../../papers.js'
import { number, type Params, type ValuesOf } from '../../params.js'
import type { Entry } from '../../registry.js'
import type { Update } from '../../transcript/round-messages.js'
import type { Share } from '../local-rules/local-rule.js'
import type { TurnFrame } from '../updates.js'

/** A turn in the hands of somebody who does not mean well. */
export interface BadTurn extends TurnFrame {
  readonly share: Share
  /**
   * What honest training would return; with `ascend` every step goes up the gradient instead of down, with `labels` they
   * stand in the place of the client's own.
   */
  train(options?: BadTraining): Update
  /** What the client trains on. */
  records(): Records
  /** Classes of the label; undefined where it is a number. */
  readonly classes: number | undefined
  /** The model it received in its turn before this one, for a misbehaviour that remembers. */
  readonly memory: Float64Array | undefined
  /** A stream of its own. */
  readonly rng: Rng
  /** Another, which is the same in every turn of this client. */
  readonly lasting: Rng
}

export interface BadTraining {
  readonly ascend?: boolean
  readonly labels?: Float64Array
}

export interface Misbehaviour<P extends Params = Params> extends Entry<P> {
  readonly paper?: Cited
  /** Whether it looks at the model of its last turn. */
  readonly remembers: boolean
  act(turn: BadTurn, values: ValuesOf<P>): Update
}

/** Every misbehaviour has it. */
const prob = number({ default: 1, min: 0, max: 1, doc: 'probability of misbehaving in a round' })

/** A misbehaviour as it is written: `prob` is added to its parameters. */
export interface MisbehaviourDefinition<P extends Params> extends Omit<Misbehaviour<P>, 'remembers'> {
  /** False unless told. */
  readonly remembers?: boolean
}

export const defineMisbehaviour = <const I extends string, const P extends Params>(
  definition: MisbehaviourDefinition<P> & { readonly id: I },
): Misbehaviour<P & { readonly prob: typeof prob }> & { readonly id: I } => ({
  remembers: false,
  ...definition,
  params: { prob, ...definition.params },
})
