/** The attack by least loss under one given model, for those that build on it. */
import type { ModelFunctions } from '../../models/functions.js'
import { labelColumns } from '../../models/model.js'
import type { View } from '../../threat/granted-keys.js'
import { type Context, Inapplicable } from '../attack.js'
import type { AttributeClaim, ModelClaim } from '../claim.js'
import { evaluable } from '../shared/evaluable-model.js'
import { energiesOf } from './record-losses.js'
import type { Belief, SearchOptions } from './search-values.js'
import type { Unknown } from './unknown-columns.js'

/** What `from=` claims, which must be a model. */
export async function modelFrom(
  { claimOf }: Pick<Context, 'claimOf'>,
  from: string,
): Promise<ModelClaim & { readonly warnings: readonly string[] }> {
  const outcome = await claimOf(from)
  if (outcome.status === 'not-applicable') throw new Inapplicable(outcome.missing, `${from} is not applicable`)
  const claim = outcome.claims.find((one): one is ModelClaim => one.kind === 'model')
  if (claim === undefined) throw new Inapplicable(['a model'], `${from} claims no model`)
  return { ...claim, warnings: outcome.warnings.map((doubt) => `${from}: ${doubt}`) }
}

/** How a search under `theta` prices records. */
export function underModel(
  view: View<'model' | 'loss' | 'protocol'>,
  theta: Float64Array,
  functions: ModelFunctions = evaluable(view),
): Pick<SearchOptions, 'energies' | 'residuals'> {
  return {
    energies: energiesOf(functions, view.loss, theta),
    residuals: view.loss === 'mse' ? labelColumns(functions.model) : null,
  }
}

export function attributeClaims(
  attributes: readonly Unknown[],
  beliefs: readonly Belief[],
  client: string,
): AttributeClaim[] {
  return attributes.map(({ sensitive }, a) => ({ kind: 'attribute', client, name: sensitive.name, ...beliefs[a]! }))
}
