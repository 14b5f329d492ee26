/** A planted leak for attacks on gradients: every turn is one step on all of the client's true records. */
import { createModel, type ModelSpec } from '../../models/index.js'
import { initialise } from '../../models/initialise.js'
import { parameterCount } from '../../models/model.js'
import type { Rng } from '../../numeric/random/rng.js'
import type { Channel, Exchange, View } from '../../threat/granted-keys.js'
import type { Truth } from '../../transcript/truth-file.js'
import type { ControlWorld } from '../attack.js'
import { evaluable, modelOf } from '../shared/evaluable-model.js'
import { mapped } from '../shared/turn-controls.js'
import { trueRecords } from './attribute-controls.js'

type Stepping = View<'exchanges' | 'target' | 'records' | 'records.label' | 'model' | 'loss' | 'protocol'>

/**
 * What comes back is theta - eta times the gradient of the mean loss. A model with too few parameters to tell the records
 * apart is exchanged for a wide one: a leak that cannot be certain would test nothing.
 */
export async function exactTurns<V extends Stepping>({
  view,
  truth,
  rng,
}: {
  readonly view: V
  readonly truth: Truth
  readonly rng: Rng
}): Promise<ControlWorld<V>> {
  const features = await trueRecords(view, truth, view.target)
  const model = wideEnough(view, features.rows)
  const protocol = {
    ...view.protocol,
    share: 'parameters',
    batchSize: null,
    localEpochs: 1,
    localSteps: null,
    momentum: 0,
    proxMu: 0,
    dropout: 0,
    differentialPrivacy: null,
  } as const
  const changed = { ...view, model, protocol }
  const functions = evaluable(changed)
  const step = (exchange: Exchange): Exchange => {
    const { round, received } = exchange
    const learningRate = exchange.learningRate ?? view.protocol.learningRate ?? 1
    const theta =
      model === view.model && received !== undefined
        ? received
        : initialise(functions.model, rng.fork('planted', round))
    const { grad } = functions.gradient(theta, { features, labels: view['records.label'] })
    const returned = theta.map((v, j) => v - learningRate * grad[j]!)
    return { round, received: theta, learningRate, update: { kind: 'parameters', theta: returned } }
  }
  return { view: { ...changed, exchanges: mapped(view.exchanges, step) } }
}

/** A line to a client that answers every model with one step on all of its true records. */
export async function stepsOn(view: Stepping, truth: Truth): Promise<Channel> {
  const features = await trueRecords(view, truth, view.target)
  const functions = evaluable(view)
  const eta = view.protocol.learningRate ?? 1
  return async (_client, theta) => {
    const { grad } = functions.gradient(theta, { features, labels: view['records.label'] })
    return theta.map((v, j) => v - eta * grad[j]!)
  }
}

/** Three parameters an unknown at least. */
function wideEnough(view: Stepping & Partial<View<'sensitive'>>, records: number): Stepping['model'] {
  const values = view.sensitive?.reduce(
    (product, one) => product * (one.kind === 'continuous' ? 2 : one.values.length),
    1,
  )
  const wanted = 3 * records * ((values ?? 2) - 1)
  const own = modelOf(view)
  // A rectifier at the end may be shut for a record, whose update then says nothing.
  const shut = own.outputActivation === 'relu'
  if (view.model.kind === 'mlp' && !shut && parameterCount(own) >= wanted) return view.model
  const { inputs, outputs } = own
  const outputActivation = view.loss === 'binary-cross-entropy' ? 'sigmoid' : 'identity'
  const hidden = [Math.ceil(wanted / (inputs + 1 + outputs))]
  const spec: ModelSpec = { kind: 'mlp', inputs, outputs, hidden, activation: 'relu', outputActivation, bias: true }
  createModel(spec) // refuses what cannot be
  return spec as Stepping['model']
}
