/** Whether a client's turn is an affine map of the model it received, and what adds noise to it. */
import { recordedModel } from '../../models/index.js'
import type { View } from '../../threat/granted-keys.js'
import { Inapplicable } from '../attack.js'

type Training = View<'model' | 'loss' | 'protocol'> & Partial<View<'samples'>>

/** Why full-batch steps on this model are no affine map; undefined when they are: theta' = theta - (2 eta / m) H (theta - theta*). */
export function notAffine({ model, loss, protocol }: Omit<Training, 'samples'>): string | undefined {
  if (model.kind === 'opaque') return 'the model is opaque, so that nothing says that its updates are affine'
  if (recordedModel(model).affine !== true) {
    return `a gradient step on a ${model.kind} model is no affine map of its parameters`
  }
  const optimizer = protocol.optimizer ?? null
  if (optimizer !== null && optimizer.name !== 'sgd') {
    return `a turn of ${optimizer.name} is no affine map of the parameters; one of plain steps is`
  }
  if (loss === 'mse') return undefined
  return `a gradient step on ${loss} is no affine map of the parameters; one on the squared error is`
}

export function requireAffine(view: Omit<Training, 'samples'>): void {
  const why = notAffine(view)
  if (why !== undefined) throw new Inapplicable(['a linear model trained on squared errors by plain steps'], why)
}

/** Weight decay leaves the turns affine and moves the point where the client stays: no message tells it. */
export function decayOf({ protocol }: View<'protocol'>): string[] {
  const { weightDecay } = protocol
  if (weightDecay === 0) return []
  if (weightDecay === undefined)
    return ['weight decay is not stated: if there is any, this is the optimum with its penalty']
  return [`clients decay weights (${weightDecay}): this is the optimum with that penalty`]
}

/** Whether the point where the client stays is stated to be another than its optimum: then no error of that is told. */
export const pulledBy = ({ protocol: { weightDecay = 0 } }: View<'protocol'>): boolean => weightDecay > 0

/** What the protocol itself says of noise in the updates. */
export function noiseOf({ protocol, samples }: Omit<Training, 'model' | 'loss'>): string[] {
  const { batchSize, dropout, differentialPrivacy: privacy, clipNorm = null, compression = null } = protocol
  const noise: string[] = []
  if (batchSize !== null && !(samples !== undefined && batchSize >= samples)) {
    noise.push(`clients train on batches of ${batchSize}: each update carries the noise of its draws`)
  }
  if (dropout > 0) noise.push(`clients drop units at random (${dropout})`)
  if (clipNorm !== null)
    noise.push(`clients shorten gradients to ${clipNorm}: long ones are not what the data asked for`)
  if (compression !== null) noise.push(`changes are compressed (${compression.kind})`)
  if (protocol.mixup) noise.push('clients train on mixtures of their records, not on the records')
  if (privacy !== null)
    noise.push(`clients clip or add noise (${privacy.mechanism}): no update is what the data asked for`)
  return noise
}
