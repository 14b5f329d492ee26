/** How different clients are by what each would learn alone, for any model of one layer: [lmra] Fig. 1a and Section 2. */
import { OverhearError } from '../../errors.js'
import type { Batch, ModelFunctions } from '../../models/functions.js'
import { type Matrix, matrix } from '../../numeric/linalg/matrix.js'
import { dot, norm } from '../../numeric/linalg/vector.js'
import { lbfgs } from '../../numeric/optimise/lbfgs.js'
import { minimise } from '../../numeric/optimise/optimiser.js'
import { totalOf } from '../../numeric/special/summaries.js'
import { whyNotUnique } from './unique-optimum.js'

export interface ApartOptions {
  readonly functions: ModelFunctions
  readonly clients: readonly Batch[]
  /** Whether the labels are classes. */
  readonly classes: boolean
  /** p_c, of any sum; the number of records unless told. */
  readonly weights?: readonly number[]
  /** Times |theta|^2 / 2, added to every loss: with some, every client has one optimum. 0 unless told. */
  readonly penalty?: number
}

export interface Apart {
  /** Between local optima, |a - b| / max(|a|, |b|): symmetric, 0 to 2. [clients, clients] */
  readonly distances: Matrix
  /** sum of p_c (L_c(theta*) - L_c(theta_c*)): what clients lose by sharing one model. */
  readonly excessLoss: number
  // departs: [lmra] prints sum of p_c (grad L_c(theta*) - grad L_c(theta_c*)), which is zero for any clients.
  /** sum of p_c |grad L_c(theta*)|^2: how they pull at the shared optimum. */
  readonly gradNormSq: number
  readonly localOptima: readonly Float64Array[]
  readonly globalOptimum: Float64Array
  /** Why client c has not one optimum only; undefined where it has. Distances to such a one say little. */
  readonly doubts: readonly (string | undefined)[]
}

export function optimaApart({ functions, clients, classes, weights: given, penalty = 0 }: ApartOptions): Apart {
  const weights = given ?? clients.map(({ features }) => features.rows)
  requireClients(clients, weights, functions)
  const total = totalOf(weights)
  const p = weights.map((w) => w / total)
  const lossAt = (theta: Float64Array, batch: Batch) => {
    const { loss, grad } = functions.gradient(theta, batch)
    return { value: loss + (penalty / 2) * dot(theta, theta), gradient: grad.map((g, j) => g + penalty * theta[j]!) }
  }
  const shared = (theta: Float64Array) => {
    const gradient = new Float64Array(theta.length)
    let value = 0
    for (const [c, batch] of clients.entries()) {
      const own = lossAt(theta, batch)
      value += p[c]! * own.value
      for (let j = 0; j < gradient.length; j++) gradient[j]! += p[c]! * own.gradient[j]!
    }
    return { value, gradient }
  }
  const least = (objective: typeof shared): Float64Array => {
    const from = new Float64Array(functions.size)
    const gradientTolerance = 1e-8 * norm(objective(from).gradient)
    return minimise(lbfgs({ memory: 20 }), objective, from, { maxIterations: 2000, gradientTolerance, keep: 'best' }).x
  }
  const localOptima = clients.map((batch) => least((theta) => lossAt(theta, batch)))
  const globalOptimum = least(shared)
  let [excessLoss, gradNormSq] = [0, 0]
  for (const [c, batch] of clients.entries()) {
    const { value, gradient } = lossAt(globalOptimum, batch)
    excessLoss += p[c]! * (value - lossAt(localOptima[c]!, batch).value)
    gradNormSq += p[c]! * dot(gradient, gradient)
  }
  const doubts = clients.map(({ features, labels }, c) => {
    const table = { columns: [], features, labels }
    return penalty > 0 ? undefined : whyNotUnique({ functions, table, classes, optimum: localOptima[c]! })
  })
  return { distances: distancesOf(localOptima), excessLoss, gradNormSq, localOptima, globalOptimum, doubts }
}

function distancesOf(optima: readonly Float64Array[]): Matrix {
  const K = optima.length
  const distances = matrix(K, K)
  for (const [i, a] of optima.entries()) {
    for (const [j, b] of optima.entries()) {
      const larger = Math.max(norm(a), norm(b))
      distances.data[i * K + j] = larger === 0 ? 0 : norm(a.map((x, k) => x - b[k]!)) / larger
    }
  }
  return distances
}

function requireClients(clients: readonly Batch[], weights: readonly number[], { model }: ModelFunctions): void {
  if (clients.length === 0) throw new OverhearError('E_SHAPE', 'optima of 0 clients', 'at least 1 is needed')
  if (model.parameters.filter(({ role }) => role === 'weight').length !== 1) {
    const found = `optima of a model of the kind ${model.kind}`
    throw new OverhearError('E_VALUE', found, 'a model of one layer is needed: others have many optima')
  }
  if (weights.length !== clients.length || !weights.every((w) => w > 0 && w < Number.POSITIVE_INFINITY)) {
    const found = `weights [${weights.join(', ')}] for ${clients.length} clients`
    throw new OverhearError('E_VALUE', found, 'one positive weight a client is needed')
  }
}
