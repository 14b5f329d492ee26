/** Which model parameters belong to, from their names and shapes alone; what shapes cannot tell is asked. */
import type { ModelManifest } from '../model-schema.js'

export interface Shaped {
  readonly name: string
  readonly shape: readonly number[]
}

export interface Recognised {
  readonly model: ModelManifest
  readonly loss: 'mse' | 'cross-entropy'
  /** What the user should look at, as sentences. */
  readonly asks: readonly string[]
}

/** The shapes that a model has, in order. */
export type ShapesOf = (model: ModelManifest) => readonly (readonly number[])[]

export function recogniseModel(parameters: readonly Shaped[], shapesOf: ShapesOf): Recognised {
  if (parameters.some(({ name }) => /lora_[ab]/i.test(name)))
    return opaque([
      'adapters (LoRA): the model around them is not known, so attacks that evaluate it do not apply; those on sums and updates do',
    ])
  return (
    layered(parameters) ??
    pictured(parameters, shapesOf) ??
    opaque(['the model is not recognised; attacks that must evaluate it do not apply unless "model" is given'])
  )
}

const opaque = (asks: readonly string[]): Recognised => ({ model: { kind: 'opaque' }, loss: 'mse', asks })

/** Matrices [out, in], each followed by its biases or all without, each taking what the one before gives. */
function layered(parameters: readonly Shaped[]): Recognised | undefined {
  const sizes: number[] = []
  const bias = parameters.some(({ shape }) => shape.length === 1)
  const step = bias ? 2 : 1
  if (parameters.length === 0 || parameters.length % step !== 0) return undefined
  for (let i = 0; i < parameters.length; i += step) {
    const [weight, after] = [parameters[i]!.shape, parameters[i + 1]?.shape]
    if (weight.length !== 2 || (bias && (after?.length !== 1 || after[0] !== weight[0]))) return undefined
    if (sizes.length > 0 && sizes.at(-1) !== weight[1]) return undefined
    if (sizes.length === 0) sizes.push(weight[1]!)
    sizes.push(weight[0]!)
  }
  const [inputs, outputs] = [sizes[0]!, sizes.at(-1)!]
  const loss = outputs === 1 ? 'mse' : 'cross-entropy'
  const asks = [
    `the loss: ${loss} is taken, as there ${outputs === 1 ? 'is one output' : `are ${outputs} outputs`}; or mse, cross-entropy, binary-cross-entropy`,
  ]
  const without = bias ? {} : { bias: false }
  if (sizes.length === 2) {
    return { model: { kind: outputs === 1 ? 'linear' : 'softmax', inputs, outputs, ...without }, loss, asks }
  }
  const model = { kind: 'mlp', inputs, hidden: sizes.slice(1, -1), outputs, activation: 'relu', ...without }
  return { model, loss, asks: ['the activation between layers: relu is taken; or tanh, sigmoid', ...asks] }
}

function pictured(parameters: readonly Shaped[], shapesOf: ShapesOf): Recognised | undefined {
  const outputs = parameters.at(-1)?.shape[0]
  const same = (shapes: readonly (readonly number[])[]): boolean =>
    shapes.length === parameters.length && shapes.every((shape, i) => shape.join() === parameters[i]!.shape.join())
  for (const kind of ['lenet-mnist', 'lenet-cifar']) {
    const model = { kind, outputs }
    if (outputs !== undefined && same(shapesOf(model)))
      return { model, loss: 'cross-entropy', asks: ['the loss: cross-entropy is taken'] }
  }
  return undefined
}
