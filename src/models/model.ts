/** What a model is: a shape of parameters over a flat theta, and the traces of its output and its loss. */
import { OverhearError } from '../errors.js'
import { type Node, sizeOf } from '../numeric/engine/graph.js'
import * as t from '../numeric/engine/trace.js'
import type { Rng } from '../numeric/random/rng.js'

/** A parameter as PyTorch lays it out: weights [out, in], row-major; theta is their concatenation in order. */
export interface Parameter {
  readonly name: string
  readonly shape: readonly number[]
  /** Numbers of values each output unit reads, and each input unit feeds: what initialisers scale by. */
  readonly fanIn: number
  readonly fanOut: number
  readonly role: 'weight' | 'bias'
}

export type Loss = 'mse' | 'cross-entropy' | 'binary-cross-entropy'

/** What stands between the last layer and what a model predicts. */
export type OutputActivation = 'identity' | 'sigmoid' | 'relu' | 'tanh' | 'softplus' | 'softmax'

/** Channels, height, width. */
export type Picture = readonly [number, number, number]

/** The layers of a model, traced: `output` is what it predicts, `logit` the same before the output's function. */
export interface Layers {
  /** What the last layer reads: [n, width]. */
  readonly penultimate: Node
  readonly logit: Node
  readonly output: Node
}

export interface Model {
  readonly kind: string
  readonly inputs: number
  readonly outputs: number
  readonly outputActivation: OutputActivation
  readonly parameters: readonly Parameter[]
  /** The loss it is usually trained with. */
  readonly defaultLoss: Loss
  /** Units of one hidden layer that training drops at random. */
  readonly dropout?: { readonly rate: number; readonly units: number }
  /** Where its inputs are the points of a picture, channel by channel. */
  readonly picture?: Picture
  /** Whether what the last layer reads is known never to be negative. */
  readonly penultimate: 'positive' | 'signed'
  /** Whether what it predicts of a record is an affine map of theta. */
  readonly affine?: boolean
  /** The layers of a fully connected network. */
  readonly dense?: {
    readonly hidden: readonly number[]
    readonly activation: 'relu' | 'sigmoid' | 'tanh'
    readonly bias: boolean
  }
  /** The layers for features X [n, inputs] and a flat theta [1, d]. */
  trace(theta: Node, X: Node, options?: TraceOptions): Layers
}

export interface TraceOptions {
  /** What the dropped layer is multiplied by in training: [n, units], 0 or 1 / (1 - rate). */
  readonly mask?: Node
}

export function parameterCount(model: Model): number {
  return model.parameters.reduce((d, { shape }) => d + shape.reduce((n, s) => n * s, 1), 0)
}

/** Columns of the label matrix a loss reads: one per class, or one per output. */
export function labelColumns(model: Model): number {
  return model.outputs
}

/**
 * A mean over the batch. `mse` is the mean of (z - y)^2 over rows and outputs with no factor 1/2; the cross-entropies
 * read the logits, so that a confident model does not overflow. `lossScale` multiplies (0.5 for a halved square).
 */
export function traceLoss(layers: Layers, y: Node, options: { readonly loss: Loss; readonly lossScale: number }): Node {
  const { logit, output } = layers
  const n = logit.rows
  const scaled = (sum: Node, count: number): Node => t.scale(sum, options.lossScale / count)
  switch (options.loss) {
    case 'mse': {
      const e = t.sub(output, y)
      return scaled(t.dot(e, e), sizeOf(e))
    }
    case 'cross-entropy':
      // sum over classes of y_c (log sum exp(z) - z_c), for labels whose rows sum to 1
      return scaled(t.sub(t.sumAll(t.logSumExp(logit)), t.dot(y, logit)), n)
    case 'binary-cross-entropy':
      // log(1 + exp(z)) - y z
      return scaled(t.sub(t.sumAll(t.softplus(logit)), t.dot(y, logit)), sizeOf(logit))
  }
}

/** The same of each record: [n, 1]. Their mean is the loss of the batch. */
export function traceLosses(
  layers: Layers,
  y: Node,
  options: { readonly loss: Loss; readonly lossScale: number },
): Node {
  const { logit, output } = layers
  const { loss, lossScale } = options
  if (loss === 'cross-entropy') return t.scale(t.sub(t.logSumExp(logit), t.rowDot(y, logit)), lossScale)
  if (loss === 'binary-cross-entropy') {
    return t.scale(t.sub(t.sumCols(t.softplus(logit)), t.rowDot(y, logit)), lossScale / logit.cols)
  }
  const e = t.sub(output, y)
  return t.scale(t.rowDot(e, e), lossScale / e.cols)
}

/** Which losses a model's output can be trained with. */
export function checkLoss(model: Model, loss: Loss): void {
  const { outputActivation: ends } = model
  // The cross-entropies read the logits: what an identity leaves, or what their own function is applied to.
  const fits = {
    mse: ends !== 'softmax',
    'cross-entropy': (ends === 'identity' || ends === 'softmax') && model.outputs > 1,
    'binary-cross-entropy': ends === 'identity' || ends === 'sigmoid',
  }
  if (fits[loss] !== true) {
    const allowed = Object.entries(fits).flatMap(([name, ok]) => (ok ? [name] : []))
    const found = `loss "${loss}" does not fit a ${model.kind} model with ${model.outputs} outputs, ${ends}`
    throw new OverhearError('E_VALUE', found, `it takes: ${allowed.join(', ')}`)
  }
}

export type Initialiser = (parameter: Parameter, rng: Rng) => Float64Array
