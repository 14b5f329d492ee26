/** Views of one regression client's updates, made by hand, for tests of label attacks. */
import type { Detail, Outcome } from '../src/attacks/attack.js'
import { functionsOf } from '../src/models/functions.js'
import { createModel, type ModelSpec, parametersOf } from '../src/models/index.js'
import { initialise } from '../src/models/initialise.js'
import type { Precision } from '../src/numeric/engine/kernels.js'
import { type Matrix, matrix } from '../src/numeric/linalg/matrix.js'
import { rng } from '../src/numeric/random/rng.js'
import type { Exchange } from '../src/threat/granted-keys.js'
import { manifestSchema } from '../src/transcript/schema.js'
import type { Truth } from '../src/transcript/truth-file.js'

export interface MadeUpdate {
  readonly model: Readonly<Record<string, unknown>> & { readonly kind: string }
  readonly features: Matrix
  readonly labels: Float64Array
  readonly metaclasses?: Float64Array
  readonly theta?: Float64Array
  readonly share?: 'gradient' | 'parameters' | 'delta'
  readonly protocol?: Readonly<Record<string, unknown>>
  readonly loss?: 'mse' | 'binary-cross-entropy'
  readonly precision?: Precision
  readonly seed?: number
  readonly rounds?: number
}

/** A client that takes full-batch steps on its records, as the protocol says, and what an observer sees of it. */
export function madeUpdate(made: MadeUpdate) {
  const { model: spec, features, labels, share = 'gradient', loss = 'mse', precision = 'f64', seed = 1 } = made
  const { localSteps = 1, learningRate = 0.1, ...rest } = (made.protocol ?? {}) as Record<string, number>
  const text = JSON.stringify({
    format: 'overhear-transcript/1',
    model: spec,
    loss,
    clients: [{ id: '0', samples: features.rows }],
    rounds: [],
    protocol: { share, localSteps, learningRate, ...rest },
  })
  const { protocol, ...parsed } = manifestSchema().parse(JSON.parse(text))
  const manifest = {
    ...parsed,
    model: parsed.model!,
    protocol: { ...protocol, localEpochs: null },
    parameters: parametersOf(spec),
  }
  const model = createModel(spec as ModelSpec)
  const functions = functionsOf(model, { loss, lossScale: manifest.protocol.lossScale, precision })
  const cut = precision === 'f32' ? (v: Float64Array) => v.map(Math.fround) : (v: Float64Array) => v
  const batch = { features: matrix(features.rows, features.cols, cut(features.data)), labels: cut(labels) }
  const first = cut(made.theta ?? initialise(model, rng(seed).fork('theta')))
  const { momentum, proxMu } = manifest.protocol
  const turn = (round: number, theta: Float64Array): { exchange: Exchange; end: Float64Array } => {
    let at = theta
    let velocity: Float64Array = new Float64Array(theta.length)
    let grad = velocity
    for (let s = 0; s < localSteps; s++) {
      grad = functions.gradient(at, batch).grad
      velocity = velocity.map((v, j) => momentum * v + grad[j]! + proxMu * (at[j]! - theta[j]!))
      at = cut(at.map((v, j) => v - learningRate * velocity[j]!))
    }
    const update =
      share === 'gradient'
        ? ({ kind: 'gradient', grad } as const)
        : share === 'delta'
          ? ({ kind: 'delta', dTheta: cut(at.map((v, j) => v - theta[j]!)) } as const)
          : ({ kind: 'parameters', theta: at } as const)
    return { exchange: { round, received: theta, update, learningRate }, end: at }
  }
  const exchanges: Exchange[] = []
  for (let round = 0, theta = first; round < (made.rounds ?? 1); round++) {
    const { exchange, end } = turn(round, theta)
    exchanges.push(exchange)
    theta = end
  }
  const view = {
    model: manifest.model,
    loss: manifest.loss,
    protocol: manifest.protocol,
    target: '0',
    round: 0,
    batchSize: features.rows,
    samples: features.rows,
    exchanges: { rounds: exchanges.map(({ round }) => round), read: async (round: number) => exchanges[round]! },
  }
  return { view, theta: first, functions, truth: truthOf(made) }
}

function truthOf({ features, labels, metaclasses }: MadeUpdate): Truth {
  const columns = Array.from({ length: features.cols }, (_, j) => `x${j}`)
  return {
    warnings: [],
    client: async () => ({ columns, features, labels, ...(metaclasses !== undefined && { metaclasses }) }),
    batch: () => undefined,
    optimum: async () => undefined,
    property: () => undefined,
  }
}

/** The figures beside a claim. */
export function detailsOf(outcome: Outcome): Readonly<Record<string, Detail>> {
  if (outcome.status !== 'claimed') throw new Error(`nothing was claimed: ${JSON.stringify(outcome)}`)
  return outcome.details
}
