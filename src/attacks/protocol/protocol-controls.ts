/** A world whose messages carry the training recipe beyond doubt, and recipes as details of a claim. */
import { OverhearError } from '../../errors.js'
import type { View } from '../../threat/granted-keys.js'
import type { Truth } from '../../transcript/truth-file.js'
import type { ControlInput, ControlWorld, Detail } from '../attack.js'
import type { HeardView } from '../shared/heard-protocol.js'
import { type Recipe, replayer } from '../shared/replayed-turn.js'
import { mapped, returning } from '../shared/turn-controls.js'

type Planted = HeardView & View<'target'>

/** Every message is what the true recipe gives on the client's true records. */
export async function plantedRecipe<V extends Planted>({
  view,
  truth,
  rng,
}: Pick<ControlInput<V, unknown>, 'view' | 'rng'> & { readonly truth: Truth }): Promise<ControlWorld<V>> {
  const { model, loss, target } = view
  const table = await truth.client(target)
  const settings = truth.protocol
  if (model === undefined || loss === undefined || table?.labels === undefined || settings === undefined) {
    throw new OverhearError('E_INPUT', `the truth holds no labelled records of client "${target}" or no protocol`)
  }
  const recipe = { ...view.protocol, ...settings } as Recipe
  const replay = replayer({ model, loss }, recipe)
  const records = replay.hold({ features: table.features, labels: table.labels })
  const kept = new Map<number, Float64Array>()
  for (const round of view.exchanges.rounds) {
    const { received: theta, learningRate } = await view.exchanges.read(round)
    if (theta === undefined) continue
    const rate = learningRate ?? recipe.learningRate
    const change = replay.play({ theta, records, rng: rng.fork('planted', round), learningRate: rate })
    const eta = recipe.share === 'gradient' ? (rate ?? 1) : 1
    kept.set(
      round,
      theta.map((v, j) => v + eta * change[j]!),
    )
  }
  records.release()
  replay.release()
  return {
    view: {
      ...view,
      exchanges: mapped(view.exchanges, (exchange) => {
        const returned = kept.get(exchange.round)
        return returned === undefined ? exchange : returning(exchange, returned)
      }),
    },
  }
}

/** A recipe as plain data beside a claim. */
export function asDetail(recipe: object): Detail {
  return JSON.parse(JSON.stringify(recipe)) as Detail
}
