/** The last layer of a regression model: where it lies in a flat theta, and how its gradient carries the errors. */
import type { Model } from '../../../models/model.js'
import { sigmoid, softplus, tanh } from '../../../numeric/special/elementary-functions.js'
import type { View } from '../../../threat/granted-keys.js'
import { Inapplicable } from '../../attack.js'
import { modelOf } from '../../shared/evaluable-model.js'

/** An output function: its value, its derivative and the derivative of that. */
export interface Output {
  value(u: number): number
  slope(u: number): number
  bend(u: number): number
}

const tanhSlope = (u: number): number => 4 * sigmoid(2 * u) * sigmoid(-2 * u)

export const outputs = {
  identity: { value: (u) => u, slope: () => 1, bend: () => 0 },
  // sigma(-u) and not 1 - sigma(u), which is 0 from u = 37 on
  sigmoid: {
    value: sigmoid,
    slope: (u) => sigmoid(u) * sigmoid(-u),
    bend: (u) => sigmoid(u) * sigmoid(-u) * (sigmoid(-u) - sigmoid(u)),
  },
  relu: { value: (u) => Math.max(0, u), slope: (u) => (u > 0 ? 1 : 0), bend: () => 0 },
  // tanh' = 4 sigma'(2u), which is not 0 as long as a double can tell
  tanh: { value: tanh, slope: tanhSlope, bend: (u) => -2 * tanh(u) * tanhSlope(u) },
  softplus: { value: softplus, slope: sigmoid, bend: (u) => sigmoid(u) * sigmoid(-u) },
} as const satisfies Record<string, Output>

/** Of one record: dL/db = factor * (value(u) - y) * gain(u), dL/dw = a times that, u = w . a + b. */
export interface Carrier {
  readonly output: Output
  /** 2 lossScale for a squared error, lossScale for the binary cross-entropy. */
  readonly factor: number
  /** Whether the output's slope enters; the cross-entropy cancels it. */
  readonly sloped: boolean
}

export const gainOf = ({ output, sloped }: Carrier, u: number): number => (sloped ? output.slope(u) : 1)

export interface RegressionHead extends Carrier {
  readonly model: Model
  /** How many labels a record has. */
  readonly outputs: number
  /** Length M of the embedding. */
  readonly width: number
  /** Where w begins in theta. */
  readonly weightAt: number
  /** Where b lies; undefined for a model without biases. */
  readonly biasAt: number | undefined
  /** Whether the gradient is linear in the error: no slope of the output in between. */
  readonly plain: boolean
}

/** Of several outputs, w and b are those of all, one after the other. */
export function regressionHead(view: View<'model' | 'loss' | 'protocol'>): RegressionHead {
  const model = modelOf(view)
  if (view.loss === 'cross-entropy' || model.outputActivation === 'softmax') {
    throw new Inapplicable(['a regression loss'], `the model is trained with ${view.loss} over classes`)
  }
  if (model.outputs !== 1 && view.loss !== 'mse') {
    const why = `the model has ${model.outputs} outputs under ${view.loss}: of several, those of a squared error are told`
    throw new Inapplicable(['one output'], why)
  }
  const d = model.parameters.reduce((n, { shape }) => n + size(shape), 0)
  const last = model.parameters.at(-1)!
  const biased = last.role === 'bias'
  const width = size((biased ? model.parameters.at(-2)! : last).shape)
  const squared = view.loss === 'mse'
  const { lossScale } = view.protocol
  const { outputs: c } = model
  return {
    model,
    width,
    outputs: c,
    weightAt: d - width - (biased ? c : 0),
    biasAt: biased ? d - c : undefined,
    // The cross-entropy reads the logit, whatever the model predicts.
    output: squared ? outputs[model.outputActivation] : outputs.sigmoid,
    factor: (squared ? 2 * lossScale : lossScale) / c,
    sloped: squared,
    plain: !squared || model.outputActivation === 'identity',
  }
}

/** Of a relu below zero nothing of the error comes back. */
export const flatOutput = (where: string): Inapplicable =>
  new Inapplicable(['a slope of the output'], `the output is flat for all ${where}: no error is seen through it`)

const size = (shape: readonly number[]): number => shape.reduce((n, s) => n * s, 1)
