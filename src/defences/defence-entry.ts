/** What an entry of the table of defences is: parameters, and how a defence is made from them. */

import type { ClientSide } from '../federation/exchange.js'
import type { Defence } from '../federation/hooks.js'
import type { papers } from '../papers.js'
import type { Params, ValuesOf } from '../params.js'
import type { Entry } from '../registry.js'
import type { Primitives } from './secure-aggregation/primitives.js'

export interface DefenceEntry<P extends Params = Params> extends Entry<P> {
  readonly paper?: keyof typeof papers
  create(values: ValuesOf<P>): Defence
  /** The client's side of its exchange, where it has one: what a worker thread plays. */
  clientSide?(primitives: Primitives): ClientSide
}

export const defineDefence = <const I extends string, const P extends Params>(
  entry: DefenceEntry<P> & { readonly id: I },
): DefenceEntry<P> & { readonly id: I } => entry
