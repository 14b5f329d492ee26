/** Views of one update made by hand, and the truth behind them, for tests of attacks on labels. */

import type { Claimed, Outcome } from '../src/attacks/attack.js'
import type { Batch } from '../src/models/functions.js'
import { functionsOf } from '../src/models/functions.js'
import { createModel, type ModelSpec } from '../src/models/index.js'
import type { MlpOptions } from '../src/models/mlp.js'
import { type Matrix, matrixOf } from '../src/numeric/linalg/matrix.js'
import type { Exchange, Series, View } from '../src/threat/granted-keys.js'
import type { ModelManifest, ParameterShape, Protocol } from '../src/transcript/manifest.js'
import type { Truth } from '../src/transcript/truth-file.js'

export type UpdateViewForTest = View<
  'exchanges' | 'target' | 'round' | 'protocol' | 'batchSize' | 'model' | 'loss' | 'parameters'
> &
  Partial<View<'samples' | 'auxiliary' | 'auxiliary.label'>>

/** An MLP as a manifest has it. */
export const mlpSpec = (options: MlpOptions & { readonly hidden: readonly number[] }) => ({
  ...({ kind: 'mlp', activation: 'relu', outputActivation: 'identity', bias: true } as const),
  ...options,
})

export const protocolOf = (change: Partial<Protocol> = {}): Protocol => ({
  algorithm: 'fedsgd',
  share: 'gradient',
  localEpochs: 1,
  localSteps: null,
  batchSize: null,
  learningRate: null,
  momentum: 0,
  proxMu: 0,
  dropout: 0,
  lossScale: 1,
  aggregateWeights: 'one',
  aggregation: 'weighted-mean',
  secureAggregation: false,
  differentialPrivacy: null,
  ...change,
})

const seriesOf = (exchange: Exchange): Series<Exchange> => ({ rounds: [exchange.round], read: async () => exchange })

export interface HeadForTest {
  readonly gradW: readonly (readonly number[])[]
  readonly gradB?: readonly number[]
  readonly W?: readonly (readonly number[])[]
  readonly b?: readonly number[]
  readonly K: number
}

/** An opaque model of which nothing is known but that it ends in this layer. */
export function headView({ gradW, gradB, W, b, K }: HeadForTest): UpdateViewForTest {
  const bias = gradB === undefined ? [] : [{ name: 'fc.bias', shape: [gradB.length] }]
  const parameters: ParameterShape[] = [{ name: 'fc.weight', shape: [gradW.length, gradW[0]!.length] }, ...bias]
  const flat = (weights: typeof gradW, biases: readonly number[] = []) =>
    Float64Array.from([...weights.flat(), ...biases])
  const exchange: Exchange = {
    round: 3,
    learningRate: null,
    received: W && flat(W, b),
    update: { kind: 'gradient', grad: flat(gradW, gradB) },
  }
  return {
    exchanges: seriesOf(exchange),
    target: 'a',
    round: 3,
    protocol: protocolOf(),
    batchSize: K,
    model: { kind: 'opaque' },
    loss: 'cross-entropy',
    parameters,
  }
}

export interface ModelForTest {
  readonly model: ModelManifest
  readonly theta: Float64Array
  readonly batch: Batch
  readonly loss?: View<'loss'>['loss']
  /** A step of this size as the changed parameters, instead of the gradient. */
  readonly step?: { readonly kind: 'parameters' | 'delta'; readonly learningRate: number }
}

/** One FedSGD update of a model that the attacker knows. */
export function modelView({ model, theta, batch, loss = 'cross-entropy', step }: ModelForTest): UpdateViewForTest {
  const made = createModel(model as ModelSpec)
  const { grad } = functionsOf(made, { loss }).gradient(theta, batch)
  const learningRate = step?.learningRate ?? null
  const dTheta = grad.map((g) => -(learningRate ?? 0) * g)
  const update =
    step === undefined
      ? ({ kind: 'gradient', grad } as const)
      : step.kind === 'delta'
        ? ({ kind: 'delta', dTheta } as const)
        : ({ kind: 'parameters', theta: theta.map((v, j) => v + dTheta[j]!) } as const)
  return {
    exchanges: seriesOf({ round: 3, received: theta, update, learningRate }),
    target: 'a',
    round: 3,
    model,
    loss,
    protocol: protocolOf({ share: update.kind, learningRate }),
    batchSize: batch.features.rows,
    parameters: made.parameters.map(({ name, shape }) => ({ name, shape })),
  }
}

/** The truth of a client with these records, all of them in the attacked batch. */
export function truthOf({ features, labels }: { readonly features: Matrix; readonly labels: Float64Array }): Truth {
  const columns = Array.from({ length: features.cols }, (_, j) => `x${j}`)
  return {
    warnings: [],
    client: async (id) => (id === 'a' ? { columns, features, labels } : undefined),
    batch: () => undefined,
    optimum: async () => undefined,
    property: () => undefined,
  }
}

export const countsOf = (labels: Iterable<number>, classes: number): number[] => {
  const counts = new Array<number>(classes).fill(0)
  for (const label of labels) counts[label]! += 1
  return counts
}

/** Records of the multiset that are claimed, of all: [labels] Table 3.2, iAcc. */
export const instanceAccuracy = (claim: readonly number[], truth: readonly number[]): number =>
  truth.reduce((sum, k, i) => sum + Math.min(k, claim[i]!), 0) / truth.reduce((sum, k) => sum + k, 0)

export const rowsOf = (...rows: number[][]): Matrix => matrixOf(rows)

/** The figures beside a claim. */
export function detailsOf(outcome: Outcome): Claimed['details'] {
  if (outcome.status !== 'claimed') throw new Error(`nothing was claimed: ${JSON.stringify(outcome)}`)
  return outcome.details
}
