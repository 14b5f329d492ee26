/** Fully connected layers over a flat theta: what linear, logistic, softmax and mlp models are made of. */
import { lookup, OverhearError } from '../errors.js'
import { type Node, sizeOf } from '../numeric/engine/graph.js'
import * as t from '../numeric/engine/trace.js'
import { flag } from '../params.js'
import type { Layers, Loss, Model, OutputActivation, Parameter, TraceOptions } from './model.js'

const activations = { relu: t.relu, sigmoid: t.sigmoid, tanh: t.tanh } as const
export type Activation = keyof typeof activations

export interface DenseOptions {
  readonly inputs: number
  readonly outputs: number
  readonly hidden?: readonly number[]
  readonly activation?: Activation
  readonly bias?: boolean
  /** Share of the units of the last hidden layer that are dropped in training. */
  readonly dropout?: number
}

/** A network without a hidden layer. */
export type FlatOptions = Pick<DenseOptions, 'inputs' | 'outputs' | 'bias'>

export const flat = ({ inputs, outputs, bias = true }: FlatOptions): DenseOptions => ({ inputs, outputs, bias })

export const biasParam = flag({ default: true, doc: 'whether layers add a constant' })

interface Head {
  readonly outputActivation: OutputActivation
  readonly defaultLoss: Loss
}

const heads = {
  identity: (z: Node) => z,
  sigmoid: t.sigmoid,
  relu: t.relu,
  tanh: t.tanh,
  softplus: t.softplus,
  softmax: t.softmax,
} as const satisfies Record<OutputActivation, (z: Node) => Node>

export function denseNetwork(kind: string, options: DenseOptions, { outputActivation, defaultLoss }: Head): Model {
  const { inputs, outputs, hidden = [], activation = 'relu', bias = true, dropout = 0 } = options
  const act = lookup(activations, activation, 'activation')
  const head = lookup(heads, outputActivation, 'output activation')
  const widths = [inputs, ...hidden, outputs]
  checkWidths(kind, widths)
  const drops = dropout > 0 && hidden.length > 0
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
    ...(drops && { dropout: { rate: dropout, units: hidden.at(-1)! } }),
    penultimate: hidden.length > 0 && activation !== 'tanh' ? 'positive' : 'signed',
    affine: hidden.length === 0 && outputActivation === 'identity',
    dense: { hidden, activation, bias },
    trace(theta, X, { mask }: TraceOptions = {}): Layers {
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
        if (mask !== undefined && l === hidden.length) penultimate = t.mul(penultimate, mask)
        const W = take(`layers.${l}.weight`, widths[l + 1]!, widths[l]!)
        z = t.matmul(penultimate, W, 'nt')
        if (bias) z = t.add(z, take(`layers.${l}.bias`, 1, widths[l + 1]!))
        t.named(`layer ${l + 1} before its function`, z)
      }
      return { penultimate, logit: z, output: t.named('prediction', head(z)) }
    },
  }
}

function checkWidths(kind: string, widths: readonly number[]): void {
  const wrong = widths.findIndex((w) => !Number.isInteger(w) || w < 1)
  if (wrong < 0) return
  const which = wrong === 0 ? 'inputs' : wrong === widths.length - 1 ? 'outputs' : `hidden[${wrong - 1}]`
  throw new OverhearError('E_VALUE', `${kind}: ${which} is ${widths[wrong]}`, 'sizes are whole numbers from 1')
}
