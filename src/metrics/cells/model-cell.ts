/** A claimed model, graded on any rows: its mean loss, with accuracy or R2 beside it. */
import type { ModelFunctions } from '../../models/functions.js'
import { type Matrix, perRecord, rowOf } from '../../numeric/linalg/matrix.js'
import { type Asked, needed } from '../grading.js'
import { argmax, finiteNumbers } from '../number-lists.js'
import { evenOutput } from '../theory/unique-optimum.js'
import { finite, type Gradable, meanOn } from './gradable.js'
import { trueLabels } from './labels-cell.js'
import { determinationOn } from './number-cell.js'

export function modelCell({ theta }: { readonly theta: ArrayLike<number> }, asked: Asked): Gradable {
  const { table, known } = asked
  const [functions] = needed(['model', known.functions])
  const labels = trueLabels(asked)
  const at = finiteNumbers(theta, 'theta', functions.size)
  const batch = { features: table.features, labels }
  const empty = table.features.rows === 0
  // An overflow in the claimed model is the worst loss there is, not no loss.
  const losses = empty ? new Float64Array(0) : functions.lossPerExample(at, batch).map(orWorst)
  const beside = empty ? () => ({}) : secondary(functions, { at, asked, labels })
  return {
    metric: 'loss',
    better: 'lower',
    best: null,
    of: 'records',
    on: (rows) => Math.min(meanOn(losses, rows), Number.MAX_VALUE),
    also: (rows) => finite(beside(rows)),
  }
}

const orWorst = (loss: number): number => (Number.isFinite(loss) ? loss : Number.MAX_VALUE)

interface Predicted {
  readonly at: Float64Array
  readonly asked: Asked
  readonly labels: Float64Array
}

function secondary(functions: ModelFunctions, { at, asked: { table, known }, labels }: Predicted) {
  const outputs = functions.predict(at, table.features)
  const n = table.features.rows
  if (known.classes !== undefined && labels.length === n) {
    const even = evenOutput(functions)
    const right = Uint8Array.from(labels, (y, i) => (classOf(outputs, i, even) === y ? 1 : 0))
    return (rows: ArrayLike<number>) => ({ accuracy: meanOn(right, rows) })
  }
  const Y = perRecord(labels, n)
  if (Y.cols !== outputs.cols || Y.cols !== 1) return () => ({})
  const errors = outputs.data.map((z, i) => Math.abs(z - labels[i]!))
  return (rows: ArrayLike<number>) => ({ R2: determinationOn(errors, labels, rows), MAE: meanOn(errors, rows) })
}

/** The class that a model's outputs name: the likeliest, or the side of a single one. */
const classOf = (outputs: Matrix, i: number, even: number): number =>
  outputs.cols === 1 ? Number(outputs.data[i]! > even) : argmax(rowOf(outputs, i))
