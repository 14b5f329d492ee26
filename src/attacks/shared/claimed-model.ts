/** The model that another attack claims, for attacks that build on it, and what a model's output says as a label. */
import { OverhearError } from '../../errors.js'
import type { Model } from '../../models/model.js'
import type { Matrix } from '../../numeric/linalg/matrix.js'
import type { View } from '../../threat/granted-keys.js'
import { type Context, Inapplicable } from '../attack.js'

export interface ClaimedModel {
  readonly theta: Float64Array
  /** The other attack's doubts, with its name. */
  readonly warnings: readonly string[]
}

export async function claimedModel({ claimOf }: Pick<Context, 'claimOf'>, id: string): Promise<ClaimedModel> {
  const outcome = await claimOf(id)
  if (outcome.status === 'not-applicable') {
    throw new Inapplicable(
      outcome.missing,
      `${id} is not applicable${outcome.why === undefined ? '' : `: ${outcome.why}`}`,
    )
  }
  const claim = outcome.claims.find(({ kind }) => kind === 'model')
  if (claim?.kind !== 'model') {
    throw new OverhearError('E_INPUT', `${id} claims no model`, 'name an attack that does, such as last-returned')
  }
  return { theta: claim.theta, warnings: outcome.warnings.map((why) => `${id}: ${why}`) }
}

/** Whether labels are classes: of several outputs the largest, of one the more likely side. */
export function classifies({ outputs }: Pick<Model, 'outputs'>, { loss }: View<'loss'>): boolean {
  return loss === 'cross-entropy' || (loss === 'binary-cross-entropy' && outputs === 1)
}

/** One label per record from a model's outputs. */
export function labelsOf(output: Matrix, model: Model, view: View<'loss'>): Float64Array {
  const { rows: n, cols: c, data } = output
  const labels = new Float64Array(n)
  const even = model.outputActivation === 'sigmoid' ? 0.5 : 0
  for (let i = 0; i < n; i++) {
    if (c === 1) {
      const z = data[i]!
      labels[i] = classifies(model, view) ? (z > even ? 1 : 0) : z
      continue
    }
    let best = 0
    for (let k = 1; k < c; k++) if (data[i * c + k]! > data[i * c + best]!) best = k
    labels[i] = best
  }
  return labels
}
