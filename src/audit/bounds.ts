/** What theory says of a claim about a linear least-squares client, beside what was measured. It needs the truth. */

import type { Detail } from '../attacks/attack.js'
import type { Claim, ModelClaim } from '../attacks/claim.js'
import { turnsOf } from '../attacks/shared/target-turns.js'
import {
  type Bound,
  inverseErrorCeiling,
  reconstructionErrorCeiling,
  reconstructionErrorFloor,
} from '../metrics/theory/lmra.js'
import { attributeAccuracyFloor } from '../metrics/theory/prop1.js'
import { functionsOf } from '../models/functions.js'
import { recordedModel } from '../models/index.js'
import { symmetricEigen } from '../numeric/linalg/eigen.js'
import { matrix } from '../numeric/linalg/matrix.js'
import { singularValues } from '../numeric/linalg/svd.js'
import { dot } from '../numeric/linalg/vector.js'
import { rangeOf } from '../numeric/special/summaries.js'
import { grant } from '../threat/grant.js'
import type { Grant } from '../threat/granted-keys.js'
import type { Table } from '../transcript/encoded-table.js'
import type { Truth } from '../transcript/truth-file.js'
import type { Evidence } from './evidence.js'

/** Figures by name, and for each what it rests on. */
export interface Bounds {
  readonly figures: Readonly<Record<string, number>>
  readonly notes: readonly string[]
}

const none: Bounds = { figures: {}, notes: [] }

/** Who made the claim, and how: a bound is of one way of estimating, from messages and nothing else. */
export interface Estimator {
  readonly needs: readonly Grant[]
  readonly details: Readonly<Record<string, Detail>>
}

/** The recording, and any truth that knows clients and optima. */
type Known = Pick<Evidence, 'sources'> & { readonly truth?: Truth }

type BoundsOf = Known & { readonly base: ModelClaim | undefined; readonly by: Estimator }

/** None for other models, when the truth lacks the client's records, or where a condition does not hold. */
export async function boundsOf(claim: Claim, { sources, truth, base, by }: BoundsOf): Promise<Bounds> {
  const { model, loss } = sources.transcript.manifest
  const client = 'client' in claim ? claim.client : undefined
  if (model.kind !== 'linear' || model.outputs !== 1 || loss !== 'mse' || client === undefined) return none
  const table = await truth?.client(client)
  if (table?.labels === undefined) return none
  if (claim.kind === 'attribute')
    return base === undefined ? none : attributeFloor(claim.name, { sources, table, base })
  return claim.kind === 'model' ? reconstructionBounds(client, { sources, truth: truth!, table, by }) : none
}

/** [aia] Prop. 1, for the model that the attack was built on. */
function attributeFloor(
  name: string,
  { sources, table, base }: { sources: Evidence['sources']; table: Table; base: ModelClaim },
): Bounds {
  const attribute = sources.knowledge?.sensitive?.find((one) => one.name === name)
  if (attribute === undefined || attribute.kind === 'continuous') return none
  const functions = functionsOf(recordedModel(sources.transcript.manifest.model), { loss: 'mse' })
  const meanSquaredError = functions.loss(base.theta, { features: table.features, labels: table.labels! })
  const weights = attribute.columns.map((column) => base.theta[table.columns.indexOf(column)]!)
  const prop1Floor = attributeAccuracyFloor({ meanSquaredError, weights, values: attribute.values })
  return { figures: { prop1Floor }, notes: [] }
}

/** What an attacker has besides the messages of training as it was. */
const besides: ReadonlySet<Grant> = new Set(['records', 'auxiliary', 'candidates', 'channel', 'tampered'])

/** Plain steps and nothing else, all of one rate: what the proofs are of. */
function plainSteps({ transcript }: Evidence['sources']): boolean {
  const { protocol } = transcript.manifest
  const { optimizer, weightDecay, momentum, proxMu, dropout, secureAggregation } = protocol
  const { clipNorm, compression, schedule, differentialPrivacy } = protocol
  // What a recording does not state is unknown, and may be otherwise.
  if (optimizer?.name !== 'sgd' || [weightDecay, momentum, proxMu, dropout].some((x) => x !== 0)) return false
  if ([clipNorm, compression, schedule, differentialPrivacy].some((x) => x !== null)) return false
  const rates = new Set(transcript.rounds().map(({ learningRate }) => learningRate ?? protocol.learningRate))
  return !secureAggregation && rates.size <= 1
}

type Needed = Required<Known> & { readonly table: Table; readonly by: Estimator }

/** [lmra] Obs. 5 and 6, corrected: between what no estimator beats and what least squares stays below; [aia] Thm. 1. */
async function reconstructionBounds(client: string, { sources, truth, table, by }: Needed): Promise<Bounds> {
  const { protocol, model } = sources.transcript.manifest
  const { learningRate, batchSize, localEpochs, localSteps, lossScale } = protocol
  if (by.needs.some((key) => besides.has(key)) || !plainSteps(sources)) return none
  const optimum = await truth.optimum(client)
  const heard = await grant(sources, 'server', ['exchanges'])
  const m = table.features.rows
  const size = batchSize ?? m
  if (optimum === undefined || heard.view === undefined || learningRate === null) return none
  const functions = functionsOf(recordedModel(model), { loss: 'mse', lossScale })
  const data = { features: table.features, labels: table.labels! }
  const each = functions.gradPerExample(optimum, data)
  // Drawn without replacement: the mean of a batch varies less than that of independent records.
  const gradientVariance = (totalVariance(each.data, m) / size) * (1 - size / m)
  const eigenvalues = symmetricEigen(hessian(table, lossScale, optimum.length)).values
  const { min, max: curvature } = rangeOf(eigenvalues)
  const length = norm(optimum)
  // The client's design has full rank, its records disagree, and a batch is not all of them: that one has no variance.
  if (!(min > 1e-12 * curvature) || !(length > 0) || !(gradientVariance > 0)) return none
  const steps = localSteps ?? Math.max(1, localEpochs ?? 1) * Math.ceil(m / size)
  const turns = await turnsOf(heard.view)
  const message = { learningRate, gradientVariance, localSteps: steps, messages: turns.length, curvature }
  const contraction = eigenvalues.map((h) => 1 - raised(1 - learningRate * h, steps)) // of W, in the Hessian's own axes
  const least = Math.min(...contraction.map(Math.abs))
  const told: Told[] = [{ name: 'obs6Floor', bound: reconstructionErrorFloor(message), power: 2, limit: 0.5 }]
  const { form, select } = by.details
  const dimension = optimum.length
  const [models, descents] = [turns.map(({ theta }) => theta), turns.map(({ descent }) => descent)]
  if (form === 'direct' && select === 'all' && leastSpread(models, -1) > 0) {
    const design = { dimension, leastSingularValue: leastSpread(models, -1), inverseNorm: 1 / least }
    const bound = reconstructionErrorCeiling({ ...message, ...design, optimumNorm: length, confidence: 0.95 })
    told.push({ name: 'obs5Ceiling', bound, power: 1, limit: 1 })
  }
  if (form === 'inverse' && select === 'all' && leastSpread(descents, 1) > 0) {
    const spread = leastSpread(descents, 1)
    const design = { dimension, leastEigenvalue: spread * spread, leastContraction: least, failure: 0.05 }
    told.push({ name: 'theorem1Ceiling', bound: inverseErrorCeiling({ ...message, ...design }), power: 1, limit: 1 })
  }
  const holding = told.filter(({ bound }) => bound.applies)
  const step = learningRate * curvature
  return {
    figures: Object.fromEntries(
      holding.map(({ name, bound: { value }, power }) => [name, (power === 2 ? Math.sqrt(value) : value) / length]),
    ),
    notes: holding.map(
      ({ name, bound, limit }) =>
        `${name} is relative to the optimum's size, for plain steps on batches and learning rate times curvature up to ` +
        `${limit} (here ${step.toPrecision(2)}), with the noise at the optimum for that everywhere; ${bound.note}`,
    ),
  }
}

interface Told {
  readonly name: string
  readonly bound: Bound
  /** Whether it is of the error, or of its square. */
  readonly power: 1 | 2
  /** What learning rate times curvature may be at most. */
  readonly limit: number
}

const norm = (v: Float64Array): number => Math.sqrt(dot(v, v))

function raised(x: number, times: number): number {
  let product = 1
  for (let i = 0; i < times; i++) product *= x
  return product
}

/** The trace of the covariance of the rows. */
function totalVariance(rows: Float64Array, m: number): number {
  const d = rows.length / m
  let total = 0
  for (let j = 0; j < d; j++) {
    let [mean, squares] = [0, 0]
    for (let i = 0; i < m; i++) mean += rows[i * d + j]! / m
    for (let i = 0; i < m; i++) squares += (rows[i * d + j]! - mean) * (rows[i * d + j]! - mean)
    total += squares / m
  }
  return total
}

/** (2 s / m) [X, 1]^T [X, 1], without the last column where the model has no bias. */
function hessian({ features }: Table, lossScale: number, d: number) {
  const { rows: m, cols, data } = features
  const at = (i: number, j: number): number => (j < cols ? data[i * cols + j]! : 1)
  const H = matrix(d, d)
  for (let i = 0; i < m; i++) {
    for (let a = 0; a < d; a++)
      for (let b = 0; b < d; b++) H.data[a * d + b]! += (2 * lossScale * at(i, a) * at(i, b)) / m
  }
  return H
}

/** rho_min: the smallest singular value of [theta, -1] / sqrt(n), one row per message; 0 with too few of them. */
function leastSpread(thetas: readonly Float64Array[], last: 1 | -1): number {
  const [n, d] = [thetas.length, thetas[0]?.length ?? 0]
  if (n < d + 1) return 0
  const A = matrix(n, d + 1)
  thetas.forEach((theta, i) => {
    A.data.set([...theta, last], i * (d + 1))
  })
  return singularValues(A).at(-1)! / Math.sqrt(n)
}
