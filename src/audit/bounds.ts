/** What theory says of a claim about a linear least-squares client, beside what was measured. It needs the truth. */

import type { Claim, ModelClaim } from '../attacks/claim.js'
import { turnsOf } from '../attacks/shared/target-turns.js'
import { reconstructionErrorCeiling, reconstructionErrorFloor } from '../metrics/theory/lmra.js'
import { attributeAccuracyFloor } from '../metrics/theory/prop1.js'
import { functionsOf } from '../models/functions.js'
import { recordedModel } from '../models/index.js'
import { symmetricEigen } from '../numeric/linalg/eigen.js'
import { matrix } from '../numeric/linalg/matrix.js'
import { singularValues } from '../numeric/linalg/svd.js'
import { dot } from '../numeric/linalg/vector.js'
import { rangeOf } from '../numeric/special/summaries.js'
import { grant } from '../threat/grant.js'
import type { Table } from '../transcript/encoded-table.js'
import type { Evidence } from './evidence.js'

/** Figures by name; none for other models, or when the truth lacks the client's records. */
export async function boundsOf(
  claim: Claim,
  { sources, truth, base }: Evidence & { readonly base: ModelClaim | undefined },
): Promise<Readonly<Record<string, number>>> {
  const { model, loss } = sources.transcript.manifest
  const client = 'client' in claim ? claim.client : undefined
  if (model.kind !== 'linear' || model.outputs !== 1 || loss !== 'mse' || client === undefined) return {}
  const table = await truth?.client(client)
  if (table?.labels === undefined) return {}
  if (claim.kind === 'attribute') return base === undefined ? {} : attributeFloor(claim.name, { sources, table, base })
  return claim.kind === 'model' ? reconstructionBounds(client, { sources, truth: truth!, table }) : {}
}

/** [aia] Prop. 1, for the model that the attack was built on. */
function attributeFloor(
  name: string,
  { sources, table, base }: { sources: Evidence['sources']; table: Table; base: ModelClaim },
): Readonly<Record<string, number>> {
  const attribute = sources.knowledge?.sensitive?.find((one) => one.name === name)
  if (attribute === undefined || attribute.kind === 'continuous') return {}
  const functions = functionsOf(recordedModel(sources.transcript.manifest.model), { loss: 'mse' })
  const meanSquaredError = functions.loss(base.theta, { features: table.features, labels: table.labels! })
  const weights = attribute.columns.map((column) => base.theta[table.columns.indexOf(column)]!)
  return { prop1Floor: attributeAccuracyFloor({ meanSquaredError, weights, values: attribute.values }) }
}

/** [lmra] Obs. 5 and 6, corrected: between what no estimator beats and what least squares stays below. */
async function reconstructionBounds(
  client: string,
  { sources, truth, table }: Required<Evidence> & { readonly table: Table },
): Promise<Readonly<Record<string, number>>> {
  const { protocol, model } = sources.transcript.manifest
  const { learningRate, batchSize, localEpochs, localSteps, lossScale } = protocol
  const optimum = await truth.optimum(client)
  const heard = await grant(sources, 'server', ['exchanges'])
  const m = table.features.rows
  const size = batchSize ?? m
  if (optimum === undefined || heard.view === undefined || learningRate === null || size >= m) return {}
  const functions = functionsOf(recordedModel(model), { loss: 'mse', lossScale })
  const data = { features: table.features, labels: table.labels! }
  const each = functions.gradPerExample(optimum, data)
  // Drawn without replacement: the mean of a batch varies less than that of independent records.
  const gradientVariance = (totalVariance(each.data, m) / size) * (1 - size / m)
  const H = hessian(table, lossScale, optimum.length)
  const eigenvalues = symmetricEigen(H).values
  const steps = localSteps ?? Math.max(1, localEpochs ?? 1) * Math.ceil(m / size)
  const turns = await turnsOf(heard.view)
  const message = {
    learningRate,
    gradientVariance,
    localSteps: steps,
    messages: turns.length,
    curvature: Math.max(0, rangeOf(eigenvalues).max),
  }
  const length = norm(optimum)
  const floor = reconstructionErrorFloor(message)
  const contraction = eigenvalues.map((h) => 1 - raised(1 - learningRate * h, steps)) // of W, in the Hessian's own axes
  const least = Math.min(...contraction.map(Math.abs))
  const rho = leastSpread(turns.map(({ theta }) => theta))
  if (!(length > 0)) return {}
  const relative = { obs6Floor: Math.sqrt(floor.value) / length }
  if (!(least > 0) || !(rho > 0)) return relative
  const confidence = 0.95
  const design = { dimension: optimum.length, leastSingularValue: rho, inverseNorm: 1 / least }
  const ceiling = reconstructionErrorCeiling({ ...message, ...design, optimumNorm: length, confidence })
  return { ...relative, obs5Ceiling: ceiling.value / length }
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
function leastSpread(thetas: readonly Float64Array[]): number {
  const [n, d] = [thetas.length, thetas[0]?.length ?? 0]
  if (n < d + 1) return 0
  const A = matrix(n, d + 1)
  thetas.forEach((theta, i) => {
    A.data.set([...theta, -1], i * (d + 1))
  })
  return singularValues(A).at(-1)! / Math.sqrt(n)
}
