/** What an entry of the table of defences is: parameters, and how a defence is made from them. */

import type { ClientSide } from '../federation/exchange.js'
import type { Defence, Hooks, Plain } from '../federation/hooks.js'
import type { Cited } from '../papers.js'
import type { Params, ValuesOf } from '../params.js'
import type { Entry } from '../registry.js'
import type { Primitives } from './secure-aggregation/primitives.js'

export interface DefenceEntry<P extends Params = Params> extends Entry<P> {
  readonly paper?: Cited
  create(values: ValuesOf<P>): Defence
  /** The client's side of its exchange, where it has one: what a worker thread plays, by the policy of the exchange. */
  clientSide?(primitives: Primitives, policy: Plain): ClientSide
}

/** An entry as it is written: a defence is called like its entry unless told. */
export interface DefenceDefinition<P extends Params> extends Omit<DefenceEntry<P>, 'create'> {
  create(values: ValuesOf<P>): Hooks & Partial<Pick<Defence, 'name'>>
}

export const defineDefence = <const I extends string, const P extends Params>(
  definition: DefenceDefinition<P> & { readonly id: I },
): DefenceEntry<P> & { readonly id: I } => ({
  ...definition,
  create: (values) => ({ name: definition.id, ...definition.create(values) }),
})
