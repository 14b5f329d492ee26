/** How good a global model is: loss, and accuracy or R2, on training and held-out records. */
import type { Records } from '../data/records.js'
import { OverhearError } from '../errors.js'
import { functionsOf, type ModelFunctions } from '../models/functions.js'
import type { Loss } from '../models/model.js'
import { columnAt, type Matrix, matrix, perRecord } from '../numeric/linalg/matrix.js'
import { meanOf, squaresAbout } from '../numeric/special/summaries.js'
import type { Population } from './population.js'
import { type FederationSpec, settle } from './spec.js'

export interface Figures {
  /** The trained loss, lossScale included. */
  readonly loss: number
  /** Share of records whose class is right; for classification. */
  readonly accuracy?: number
  /** 1 - squared error over a label's own variance, the mean over the labels; null where all values are equal. */
  readonly r2?: number | null
}

export interface Utility {
  readonly train?: Figures
  readonly heldOut?: Figures
}

type Measure = (functions: ModelFunctions, theta: Float64Array, records: Records) => Omit<Figures, 'loss'>

/** Records that go through the model at once. */
const rowsAtOnce = 2048

/** A function that measures models of a federation, in the precision that it trains with. */
export function utilityOf(
  spec: FederationSpec,
  records: { readonly train?: Records; readonly heldOut?: Records },
): (theta: Float64Array) => Utility {
  const { model, precision, loss, lossScale } = settle(spec)
  const functions = functionsOf(model, { precision, loss, lossScale })
  const measure = loss === 'mse' ? rSquared : accuracyOf(loss)
  const figures = (theta: Float64Array, own: Records): Figures => {
    if (own.features.rows === 0) throw new OverhearError('E_SHAPE', 'utility on 0 records', 'give at least one')
    return { loss: meanLoss(functions, theta, own), ...measure(functions, theta, own) }
  }
  const { train, heldOut } = records
  return (theta) => ({
    ...(train !== undefined && { train: figures(theta, train) }),
    ...(heldOut !== undefined && { heldOut: figures(theta, heldOut) }),
  })
}

/** The records of all clients, but for one that stays away, as one set, up to a number of them, in the population's order. */
export function pooledRecords(population: Population, most = 100_000, without?: string): Records {
  const parts: Records[] = []
  let rows = 0
  for (let k = 0; k < population.count && rows < most; k++) {
    if (population.id(k) === without) continue
    const own = population.records(k)
    parts.push(rows + own.features.rows <= most ? own : rowsOf(own, 0, most - rows))
    rows += parts.at(-1)!.features.rows
  }
  const features = matrix(rows, population.inputs)
  const labels = new Float64Array(parts.reduce((n, own) => n + own.labels.length, 0))
  let [at, label] = [0, 0]
  for (const own of parts) {
    features.data.set(own.features.data, at)
    labels.set(own.labels, label)
    at += own.features.data.length
    label += own.labels.length
  }
  return { features, labels }
}

function rowsOf({ features, labels }: Records, start: number, end: number): Records {
  const { cols, data, rows } = features
  const c = labels.length / rows
  return {
    features: matrix(end - start, cols, data.subarray(start * cols, end * cols)),
    labels: labels.subarray(start * c, end * c),
  }
}

function* pieces(records: Records): Generator<Records> {
  const n = records.features.rows
  for (let start = 0; start < n; start += rowsAtOnce) yield rowsOf(records, start, Math.min(n, start + rowsAtOnce))
}

function meanLoss(functions: ModelFunctions, theta: Float64Array, records: Records): number {
  let sum = 0
  for (const piece of pieces(records)) sum += functions.loss(theta, piece) * piece.features.rows
  return sum / records.features.rows
}

function predictions(functions: ModelFunctions, theta: Float64Array, records: Records): Matrix {
  const n = records.features.rows
  const c = functions.model.outputs
  const Z = matrix(n, c)
  let at = 0
  for (const { features } of pieces(records)) {
    const { data } = functions.predict(theta, features)
    Z.data.set(data, at)
    at += data.length
  }
  return Z
}

const rSquared: Measure = (functions, theta, records) => {
  const Z = predictions(functions, theta, records)
  const Y = perRecord(records.labels, Z.rows)
  const each = Array.from({ length: Z.cols }, (_, j) => {
    const [z, y] = [columnAt(Z, j), columnAt(Y, j)]
    let error = 0
    for (let i = 0; i < y.length; i++) error += (z[i]! - y[i]!) * (z[i]! - y[i]!)
    const spread = squaresAbout(y, meanOf(y))
    return spread > 0 ? [1 - error / spread] : []
  }).flat()
  return { r2: each.length > 0 ? meanOf(each) : null }
}

/** The class is the largest output; without classes, each output is on the side of its label or not. */
function accuracyOf(loss: Loss): Measure {
  return (functions, theta, records) => {
    const { rows: n, cols: c, data } = predictions(functions, theta, records)
    const { labels } = records
    let right = 0
    if (loss === 'cross-entropy') {
      const classes = labels.length === n ? labels : Float64Array.from({ length: n }, (_, i) => largest(labels, i, c))
      for (let i = 0; i < n; i++) if (largest(data, i, c) === classes[i]) right++
      return { accuracy: right / n }
    }
    const middle = functions.model.outputActivation === 'sigmoid' ? 0.5 : 0
    for (let i = 0; i < n * c; i++) if (data[i]! > middle === labels[i]! > 0.5) right++
    return { accuracy: right / (n * c) }
  }
}

/** The first of the largest values in row i of c columns. */
function largest(values: Float64Array, i: number, c: number): number {
  let best = 0
  for (let k = 1; k < c; k++) if (values[i * c + k]! > values[i * c + best]!) best = k
  return best
}
