/** Controls for attacks that rebuild records: the true gradient at a model that hides nothing, and a scrambled one. */
import type { Rng } from '../../numeric/random/rng.js'
import type { Exchange, View } from '../../threat/granted-keys.js'
import type { Truth } from '../../transcript/truth-file.js'
import type { ControlWorld } from '../attack.js'
import { attackedUpdate, carrying, type UpdateView } from '../shared/attacked-update.js'
import { batchBehind } from '../shared/batch-behind.js'
import { evaluable } from '../shared/evaluable-model.js'
import { mapped } from '../shared/turn-controls.js'

type RecordsView = UpdateView & View<'model' | 'loss'>

/** [zhu2019] The gradient of the true batch at parameters drawn from U(-0.5, 0.5), with nothing done to it. */
export async function plantedRecords<V extends RecordsView>({
  view,
  truth,
  rng,
}: {
  readonly view: V
  readonly truth: Truth
  readonly rng: Rng
}): Promise<ControlWorld<V>> {
  const functions = evaluable(view)
  const theta = rng
    .fork('theta')
    .uniforms(functions.size)
    .map((u) => u - 0.5)
  const { grad } = functions.gradient(theta, await batchBehind(truth, view))
  return heardInstead(view, (unit) => grad.map((g) => (g * unit) / view.protocol.lossScale), theta)
}

/** The same update with its coordinates in another order. */
export async function permutedUpdate<V extends RecordsView>({
  view,
  rng,
}: {
  readonly view: V
  readonly rng: Rng
}): Promise<ControlWorld<V>> {
  return heardInstead(view, (unit, grad) => {
    const order = rng.permutation(grad.length)
    return grad.map((_, j) => grad[order[j]!]! * unit)
  })
}

async function heardInstead<V extends RecordsView>(
  view: V,
  change: (unit: number, grad: Float64Array) => Float64Array,
  theta?: Float64Array,
): Promise<ControlWorld<V>> {
  const { grad, unit } = await attackedUpdate(view, { size: 'known' })
  const heard = change(unit!, grad)
  const replace = (exchange: Exchange): Exchange =>
    exchange.round === view.round ? carrying(exchange, heard, theta ?? exchange.received) : exchange
  return { view: { ...view, exchanges: mapped(view.exchanges, replace) } }
}
