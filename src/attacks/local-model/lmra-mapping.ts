/** The client's own optimum by a learned map: a network that predicts its updates, and where those vanish. [lmra] Alg. 3 */
import { functionsOf } from '../../models/functions.js'
import { initialise } from '../../models/initialise.js'
import { mlp } from '../../models/mlp.js'
import type { Model } from '../../models/model.js'
import { trainer } from '../../models/trainer.js'
import { gradient } from '../../numeric/engine/derive.js'
import * as t from '../../numeric/engine/trace.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import { norm } from '../../numeric/linalg/vector.js'
import { adam } from '../../numeric/optimise/adam.js'
import { lbfgs } from '../../numeric/optimise/lbfgs.js'
import { type Minimum, minimise, type Objective } from '../../numeric/optimise/optimiser.js'
import { choice, number, whole } from '../../params.js'
import type { Exchange, View } from '../../threat/granted-keys.js'
import { type Context, claimed, defineAttack, Inapplicable } from '../attack.js'
import type { Fit } from '../claim.js'
import { turnOf } from '../shared/target-turns.js'
import { permutedTurns } from '../shared/turn-controls.js'
import { plantedAffine } from './affine-control.js'
import { leastSurplus, successive, unlikely } from './map-check.js'
import { type Columns, type Coordinates, coordinatesOf, scaleColumns } from './mapping-coordinates.js'
import { short } from './optimum-error.js'
import { messagesOf } from './turn-matrices.js'

const MOST_VALUES = 2e7 // parameters of G

export const lmraMapping = defineAttack({
  id: 'lmra-mapping',
  effort: 60,
  title: "The client's own optimum where a learned map of its updates vanishes",
  paper: 'lmra',
  where: 'Alg. 3',
  target: 'model',
  needs: ['exchanges', 'target'],
  params: {
    hidden: whole({ default: 1000, min: 1, max: 100_000, doc: 'units of the hidden layer, ReLU' }),
    epochs: whole({ default: 150, min: 0, max: 1e6, doc: 'steps of Adam, each on all messages' }),
    learningRate: number({ default: 1e-3, min: 1e-12, doc: 'of that Adam' }),
    scale: choice({
      default: 'each',
      choices: ['each', 'global', 'none'],
      doc: 'updates centred and scaled by dimension, with one scale, or as they are',
    }),
    inputs: choice({
      default: 'whiten',
      choices: ['whiten', 'each', 'none'],
      doc: 'models in principal directions, scaled by dimension, or as they are',
    }),
    decode: choice({
      default: 'lbfgs',
      choices: ['lbfgs', 'adam'],
      doc: 'how |G|^2 is minimised, from the last returned model',
    }),
    iterations: whole({ default: 500, min: 0, max: 1e6, doc: 'of that minimisation, at most' }),
    pull: number({ default: 1e-3, min: 0, doc: 'times the squared distance from the models heard, added to |G|^2' }),
  },
  async run(view, context) {
    const { params } = context
    const [first] = view.exchanges.rounds
    const size = first === undefined ? 0 : sizeOf(await view.exchanges.read(first))
    requireModest(params.hidden * size, size) // before all messages are read and directions looked for, which takes long
    const messages = await messagesOf(view)
    const [n, d] = [messages.rounds.length, messages.theta.cols]
    const among = coordinatesOf(messages.theta, params.inputs)
    requireSpread(messages.theta.data, n, d)
    const outputs = scaleColumns(messages.descent, params.scale)
    const G = mlp({ inputs: among.size, hidden: [params.hidden], outputs: d })
    requireModest(params.hidden * (among.size + d), d)
    const { weights, miss } = learned(G, { among, outputs, context })
    const start = await startOf(view)
    const found = decoded(G, { weights, among, outputs, start, params })
    const theta = among.from(found.x, start)
    const outside = norm(found.x) / Math.sqrt(among.size)
    const fit = fitOfMap(G, weights, { among, outputs })
    const warnings = [...messages.warnings]
    if (fit !== undefined && fit.p < unlikely) {
      warnings.push(
        `what the learned map leaves of the updates (${short(100 * fit.misfit)} %) is alike from turn to turn: they are not those of ` +
          'one map in all rounds (a changed rate, an optimiser that remembers), or it was not learned',
      )
    }
    if (n <= d)
      warnings.push(`${n} messages tell at most ${n - 1} of ${d} directions apart: the others stay as last returned`)
    if (outside > 10) {
      warnings.push(
        `the claim lies ${short(outside)} times further out than the models that were heard: the learned map is a guess there`,
      )
    }
    if (found.resting > 0.5) {
      warnings.push(
        `no resting point was found: the map still predicts ${short(100 * found.resting)} % of the last update`,
      )
    }
    return claimed(
      { kind: 'model', client: view.target, theta, ...(fit && { fit }) },
      {
        warnings,
        details: {
          messages: n,
          parameters: d,
          directions: among.size,
          mappingMiss: miss,
          updateAtClaim: found.resting,
          outside,
          decode: params.decode,
          iterations: found.iterations,
          stopped: found.reason,
          scale: params.scale,
          inputs: params.inputs,
        },
      },
    )
  },
  plant: (input) => plantedAffine({ ...input, least: (d) => 4 * (d + 2) }),
  shuffle: (input) => permutedTurns(input),
})

function requireSpread(data: Float64Array, n: number, d: number): void {
  if (n > 1 && data.some((x, i) => x !== data[i % d])) return
  const why = n === 1 ? 'the client was heard once' : `the models sent in all ${n} messages are identical`
  throw new Inapplicable(['messages that differ'], `${why}: a map cannot be learned from one point`)
}

/** How many parameters a message has. */
function sizeOf({ update }: Exchange): number {
  if (update.kind === 'parameters') return update.theta.length
  return (update.kind === 'delta' ? update.dTheta : update.grad).length
}

function requireModest(size: number, d: number): void {
  if (size <= MOST_VALUES) return
  const why = `for a model of ${d} parameters the map would have ${short(size)}, above ${short(MOST_VALUES)}`
  throw new Inapplicable(['a smaller model'], `${why}; hidden= makes it smaller`)
}

interface Fitting {
  readonly among: Coordinates
  readonly outputs: Columns
  readonly context: Context<{ readonly epochs: number; readonly learningRate: number }>
}

/** [lmra] Eq. (9). departs: inputs and outputs are scaled, each of which was measured to matter. */
function learned(G: Model, { among, outputs, context }: Fitting): { weights: Float64Array; miss: number } {
  const { params, rng, tick } = context
  const data = { features: among.rows, labels: outputs.rows.data }
  const network = trainer(G, { data, precision: 'f64', adam: {}, sparse: false })
  network.load(initialise(G, rng.fork('map')))
  const rows = Int32Array.from({ length: among.rows.rows }, (_, i) => i)
  for (let epoch = 0; epoch < params.epochs; epoch++) {
    if (epoch % 10 === 0) tick(epoch, params.epochs)
    network.step(rows, params.learningRate)
  }
  return { weights: network.theta(), miss: network.loss() }
}

/**
 * What the map leaves of the updates that it was learned from. Nothing tells how much batches should leave, so that what is
 * expected is what was found; but where one map gives all turns, the rest of one knows nothing of the next.
 */
function fitOfMap(G: Model, weights: Float64Array, { among, outputs }: Omit<Fitting, 'context'>): Fit | undefined {
  const { rows: n, cols: d, data } = outputs.rows
  const size = norm(data)
  if (n < leastSurplus || size === 0) return undefined
  const told = functionsOf(G).predict(weights, among.rows)
  const rest = data.map((v, i) => v - told.data[i]!)
  const { alikeP } = successive(matrix(n, d, rest))
  const misfit = norm(rest) / size
  return { misfit, expected: misfit, p: alikeP ?? 1 }
}

/** The last returned model; where a shared gradient has no known rate, the model it was taken at. */
async function startOf({ exchanges }: View<'exchanges'>): Promise<Float64Array> {
  for (const round of exchanges.rounds.toReversed()) {
    const exchange = await exchanges.read(round)
    if (exchange.received === undefined) continue
    const { update, learningRate, received } = exchange
    return update.kind === 'gradient' && learningRate === null ? received : turnOf(exchange).returned
  }
  throw new Inapplicable(['globals'])
}

interface Decoding {
  readonly weights: Float64Array
  readonly among: Coordinates
  readonly outputs: Columns
  readonly start: Float64Array
  readonly params: { readonly decode: 'lbfgs' | 'adam'; readonly iterations: number; readonly pull: number }
}

/** [lmra] Eq. (10) in units of the outputs' spread; `resting` is |G| there over |G| at the start. */
function decoded(G: Model, { weights, among, outputs, start, params }: Decoding): Minimum & { resting: number } {
  const { mean, scale } = outputs
  const shift = mean.map((m, j) => m / scale[j]!)
  const d = mean.length
  const squares = functionsOf(G).derive(1, ({ output, X }) => {
    const e = t.add(output, t.input('shift', { rows: 1, cols: d }))
    const value = t.dot(e, e)
    return [value, ...gradient(value, [X])]
  })
  const update = (z: Float64Array) => squares({ theta: weights, X: z, shift }) as [Float64Array, Float64Array]
  const objective: Objective = (z) => {
    const [value, slope] = update(z)
    let distance = 0
    for (let p = 0; p < z.length; p++) {
      distance += z[p]! * z[p]!
      slope[p]! += 2 * params.pull * z[p]!
    }
    return { value: value[0]! + params.pull * distance, gradient: slope }
  }
  const z0 = among.to(start)
  const stop = { maxIterations: params.iterations, gradientTolerance: 1e-10 }
  const found =
    params.decode === 'lbfgs'
      ? minimise(lbfgs(), objective, z0, stop)
      : minimise(adam({ learningRate: 0.1 }), objective, z0, stop)
  const first = update(z0)[0][0]!
  return { ...found, resting: first === 0 ? 0 : Math.sqrt(update(found.x)[0][0]! / first) }
}
