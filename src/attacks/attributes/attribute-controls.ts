/** Controls for attacks on attributes: records in another order, and a model that fits the true ones alone. */
import { OverhearError } from '../../errors.js'
import { functionsOf, type ModelFunctions } from '../../models/functions.js'
import { initialise } from '../../models/initialise.js'
import { type Matrix, matrix, rowsOf } from '../../numeric/linalg/matrix.js'
import type { Rng } from '../../numeric/random/rng.js'
import { largestMagnitude, rangeOf, totalOf } from '../../numeric/special/summaries.js'
import type { View } from '../../threat/granted-keys.js'
import type { Truth } from '../../transcript/truth-file.js'
import type { ControlWorld } from '../attack.js'
import { modelOf } from '../shared/evaluable-model.js'

type Records = View<'records' | 'records.label'>

/** The same records and labels, one order for both, so that what is claimed of a row is about another person. */
export function shuffledRecords<V extends Records>({ view, rng }: { view: V; rng: Rng }): ControlWorld<V> {
  const { columns, features } = view.records
  const { rows: n } = features
  const order = rng.permutation(n)
  const labels = view['records.label']
  const c = labels.length / n
  const moved = new Float64Array(labels.length)
  for (const [i, from] of order.entries()) {
    moved.set(labels.subarray(from * c, (from + 1) * c), i * c)
  }
  return { view: { ...view, records: { columns, features: rowsOf(features, order) }, 'records.label': moved } }
}

/** The target's records with nothing missing, columns in the order of the known ones. */
export async function trueRecords(view: View<'records'>, truth: Truth, client: string): Promise<Matrix> {
  const table = await truth.client(client)
  if (table === undefined) throw new OverhearError('E_INPUT', `the truth holds no records of client "${client}"`)
  const { columns, features } = view.records
  const places = columns.map((name) => table.columns.indexOf(name))
  const absent = places.indexOf(-1)
  if (absent >= 0) throw new OverhearError('E_INPUT', `the truth lacks the column "${columns[absent]}"`)
  if (table.features.rows !== features.rows) {
    const found = `the truth has ${table.features.rows} records of client "${client}"`
    throw new OverhearError('E_SHAPE', found, `the attacker was given ${features.rows}`)
  }
  const { rows, cols } = features
  const whole = matrix(rows, cols)
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < cols; j++) whole.data[i * cols + j] = table.features.data[i * table.features.cols + places[j]!]!
  return whole
}

/**
 * Labels that a model explains exactly by the true attributes. All weights are positive and every rectifier open, so the
 * prediction rises with each column and no other value explains a label as well; a bounded output is kept where it rises.
 */
export function explained(
  view: View<'model' | 'loss' | 'protocol'>,
  records: Matrix,
  rng: Rng,
): { readonly theta: Float64Array; readonly labels: Float64Array } {
  const model = modelOf(view)
  const theta = initialise(model, rng).map((v) => Math.abs(v) + 0.01)
  const largest = Math.max(1, largestMagnitude(records.data))
  const open = model.dense?.activation === 'relu'
  const ends = model.outputActivation
  let offset = 0
  for (const { shape, role, fanIn } of model.parameters) {
    const size = shape.reduce((product, s) => product * s, 1)
    const last = offset + size === theta.length
    if (role === 'bias' && (last ? ends === 'relu' : open))
      for (let j = 0; j < size; j++) theta[offset + j]! += 2 * fanIn * largest
    offset += size
  }
  const functions = functionsOf(model, { loss: view.loss })
  if (view.loss === 'mse' && (ends === 'sigmoid' || ends === 'tanh')) centreLogits(functions, theta, records)
  return { theta, labels: functions.predict(theta, records).data }
}

/** Shifts and scales the last layer so that what it gives lies between -1 and 1 for all records. */
function centreLogits({ model, derive }: ModelFunctions, theta: Float64Array, records: Matrix): void {
  const logits = derive(records.rows, ({ logit }) => [logit])({ theta, X: records.data })[0]!
  const biased = model.parameters.at(-1)!.role === 'bias'
  const { min, max } = rangeOf(logits)
  const middle = biased ? (min + max) / 2 : 0
  const half = Math.max(max - middle, middle - min)
  if (!(half > 0)) return
  const last = model.parameters.slice(biased ? -2 : -1)
  const sizes = last.map(({ shape }) => shape.reduce((product, s) => product * s, 1))
  const from = theta.length - totalOf(sizes)
  for (let j = from; j < theta.length; j++) {
    theta[j] = (theta[j]! - (biased && j >= from + sizes[0]! ? middle : 0)) / half
  }
}
