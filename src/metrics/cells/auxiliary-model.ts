/** The model that somebody would have who trained it on auxiliary data and heard nothing. */
import type { Batch, ModelFunctions } from '../../models/functions.js'
import { initialise } from '../../models/initialise.js'
import { rowsOf } from '../../numeric/linalg/matrix.js'
import { dot } from '../../numeric/linalg/vector.js'
import { lbfgs } from '../../numeric/optimise/lbfgs.js'
import { minimise } from '../../numeric/optimise/optimiser.js'
import { rng } from '../../numeric/random/rng.js'
import type { Table } from '../../transcript/encoded-table.js'

/** The most auxiliary records that a network is fitted to: more cost time and hardly improve a guess. */
const mostRecords = 1024

const fitted = new WeakMap<ModelFunctions, WeakMap<Table, Float64Array>>()

/** Undefined where the auxiliary data have no labels or other columns than the model reads. Fitted once for each pair. */
export function auxiliaryModel(functions: ModelFunctions, auxiliary: Table): Float64Array | undefined {
  const { features, labels } = auxiliary
  const { model } = functions
  if (labels === undefined || features.rows === 0 || features.cols !== model.inputs) return undefined
  if (!features.data.every(Number.isFinite) || !labels.every(Number.isFinite)) return undefined
  const kept = fitted.get(functions) ?? new WeakMap<Table, Float64Array>()
  fitted.set(functions, kept)
  const known = kept.get(auxiliary)
  if (known !== undefined) return known
  const weights = model.parameters.filter(({ role }) => role === 'weight')
  const theta =
    weights.length <= 1 ? fitFlat(functions, { features, labels }) : fitNetwork(functions, { features, labels })
  kept.set(auxiliary, theta)
  return theta
}

/** One layer: a convex loss, with a penalty of |W|^2 / 2 on the summed loss, from zero. */
function fitFlat(functions: ModelFunctions, batch: Batch): Float64Array {
  const penalty = 1 / batch.features.rows
  const { parameters } = functions.model
  const weights = parameters[0]!.shape.reduce((n, s) => n * s, 1) // the biases, which follow, are free
  const objective = (theta: Float64Array) => {
    const { loss, grad } = functions.gradient(theta, batch)
    const W = theta.subarray(0, weights)
    const gradient = grad.slice()
    for (let i = 0; i < weights; i++) gradient[i]! += penalty * W[i]!
    return { value: loss + (penalty / 2) * dot(W, W), gradient }
  }
  return minimise(lbfgs(), objective, new Float64Array(functions.size), { maxIterations: 500, gradientTolerance: 1e-8 })
    .x
}

const iterations = 300
const patience = 20

/** Several layers: from a seeded start, and of all places on the way the one that does best on a fifth held out. */
function fitNetwork(functions: ModelFunctions, { features, labels }: Batch): Float64Array {
  const stream = rng('metrics').fork('auxiliary model')
  const order = stream.fork('rows').sample(features.rows, Math.min(features.rows, mostRecords))
  const theta0 = initialise(functions.model, stream.fork('start'))
  const each = labels.length / features.rows
  const part = (rows: Int32Array): Batch => ({
    features: rowsOf(features, rows),
    labels: Float64Array.from(
      { length: rows.length * each },
      (_, k) => labels[rows[Math.floor(k / each)]! * each + (k % each)]!,
    ),
  })
  const fifth = Math.floor(order.length / 5)
  const train = part(order.subarray(fifth))
  const check = fifth === 0 ? train : part(order.subarray(0, fifth))
  let [best, least, idle] = [theta0.slice(), functions.loss(theta0, check), 0]
  let last = theta0
  const objective = (theta: Float64Array) => {
    const { loss, grad } = functions.gradient(theta, train)
    last = theta
    return { value: loss, gradient: grad }
  }
  // A line search ends at the point that it accepts: the one that the objective was last asked about.
  const aborted = (): boolean => {
    const loss = functions.loss(last, check)
    idle = loss < least ? 0 : idle + 1
    if (loss < least) [best, least] = [last.slice(), loss]
    return idle >= patience
  }
  minimise(lbfgs(), objective, theta0, { maxIterations: iterations, gradientTolerance: 1e-8, aborted })
  return best
}
