/** The papers' oracle variants: attacks that are told what no attacker knows, to bound what the honest ones could reach. */
import { type About, type AnyView, type Context, Inapplicable, type Outcome } from '../../attacks/attack.js'
import { type Params, readParams, type ValuesOf } from '../../params.js'
import type { Grant, View } from '../../threat/granted-keys.js'
import type { Truth } from '../../transcript/truth-file.js'

export interface OracleDefinition<G extends Grant, O extends Grant, P extends Params> extends About<G, O, P> {
  run(
    view: View<G> & Partial<View<O>>,
    context: Context<ValuesOf<P>> & { readonly truth: Truth },
  ): Outcome | Promise<Outcome>
}

export interface Oracle extends Required<About<Grant, Grant, Params>> {
  readonly oracle: true
  run(view: AnyView, context: Context & { readonly truth: Truth }): Promise<Outcome>
}

export function defineOracle<const P extends Params, const G extends Grant, const O extends Grant = never>(
  definition: OracleDefinition<G, O, P>,
): Oracle {
  const { id, title, paper = '', where = '', target, needs, uses = [], params, effort = 1 } = definition
  return {
    oracle: true,
    id,
    title,
    paper,
    where,
    target,
    needs,
    uses,
    params,
    effort,
    async run(view, context) {
      try {
        const values = readParams(params, context.params, `oracle ${id}`)
        return await definition.run(view as View<G> & Partial<View<O>>, { ...context, params: values })
      } catch (error) {
        if (error instanceof Inapplicable) return error.outcome
        throw error
      }
    },
  }
}
