/** Fully connected networks; linear, logistic and softmax models are those without a hidden layer. */
import { lookup, OverhearError } from '../errors.js'
import { type Node, sizeOf } from '../numeric/engine/graph.js'
import * as t from '../numeric/engine/trace.js'
import type { Layers, Loss, Model, Parameter } from './model.js'

const activations = { relu: t.relu, sigmoid: t.sigmoid, tanh: t.tanh } as const
export type Activation = keyof typeof activations

export interface MlpOptions {
  readonly inputs: number
  readonly outputs: number
  readonly hidden?: readonly number[]
  readonly activation?: Activation
  readonly outputActivation?: 'identity' | 'sigmoid'
  readonly bias?: boolean
}

export function mlp(options: MlpOptions): Model {
  const { outputActivation = 'identity' } = options
  return layered('mlp', options, { outputActivation, defaultLoss: 'mse' })
}

type WithoutHidden = Pick<MlpOptions, 'inputs' | 'outputs' | 'bias'>

const noHidden = ({ inputs, outputs, bias = true }: WithoutHidden): MlpOptions => ({ inputs, outputs, bias })

/** One affine map, squared error. */
export function linear(options: WithoutHidden): Model {
  return layered('linear', noHidden(options), { outputActivation: 'identity', defaultLoss: 'mse' })
}

/** One affine map and a sigmoid, for a label that is 0 or 1. */
export function logistic(options: Omit<WithoutHidden, 'outputs'> & { readonly outputs?: number }): Model {
  return layered(
    'logistic',
    { outputs: 1, ...options },
    { outputActivation: 'sigmoid', defaultLoss: 'binary-cross-entropy' },
  )
}

/** One affine map and a softmax over classes. */
export function softmaxRegression(options: WithoutHidden): Model {
  return layered('softmax', noHidden(options), { outputActivation: 'softmax', defaultLoss: 'cross-entropy' })
}

interface Head {
  readonly outputActivation: Model['outputActivation']
  readonly defaultLoss: Loss
}

const heads = { identity: (z: Node) => z, sigmoid: t.sigmoid, softmax: t.softmax } as const

function layered(kind: string, options: MlpOptions, { outputActivation, defaultLoss }: Head): Model {
  const { inputs, outputs, hidden = [], activation = 'relu', bias = true } = options
  const act = lookup(activations, activation, 'activation')
  const head = lookup(heads, outputActivation, 'output activation')
  const widths = [inputs, ...hidden, outputs]
  const wrong = widths.findIndex((w) => !Number.isInteger(w) || w < 1)
  if (wrong >= 0) {
    const which = wrong === 0 ? 'inputs' : wrong === widths.length - 1 ? 'outputs' : `hidden[${wrong - 1}]`
    throw new OverhearError('E_VALUE', `${kind}: ${which} is ${widths[wrong]}`, 'sizes are whole numbers from 1')
  }
  const parameters: Parameter[] = []
  for (let l = 0; l + 1 < widths.length; l++) {
    const [fanIn, fanOut] = [widths[l]!, widths[l + 1]!]
    parameters.push({ name: `layers.${l}.weight`, shape: [fanOut, fanIn], fanIn, fanOut, role: 'weight' })
    if (bias) parameters.push({ name: `layers.${l}.bias`, shape: [fanOut], fanIn, fanOut, role: 'bias' })
  }
  return {
    kind,
    inputs,
    outputs,
    outputActivation,
    defaultLoss,
    parameters,
    trace(theta, X): Layers {
      let offset = 0
      const take = (name: string, rows: number, cols: number): Node => {
        const part = t.named(name, t.slice(theta, offset, { rows, cols }))
        offset += sizeOf(part)
        return part
      }
      let penultimate = X
      let z = X
      for (let l = 0; l + 1 < widths.length; l++) {
        penultimate = l === 0 ? X : t.named(`hidden layer ${l}`, act(z))
        const W = take(`layers.${l}.weight`, widths[l + 1]!, widths[l]!)
        z = t.matmul(penultimate, W, 'nt')
        if (bias) z = t.add(z, take(`layers.${l}.bias`, 1, widths[l + 1]!))
        t.named(`layer ${l + 1} before its function`, z)
      }
      return { penultimate, logit: z, output: t.named('prediction', head(z)) }
    },
  }
}
