/** The guesser who never listens: learns from auxiliary data to tell what is hidden from what is public. */
import { functionsOf } from '../models/functions.js'
import { softmaxRegression } from '../models/softmax.js'
import { columnAt, type Matrix, matrix, perRecord, rowOf } from '../numeric/linalg/matrix.js'
import { ridge } from '../numeric/linalg/ridge.js'
import { dot } from '../numeric/linalg/vector.js'
import { lbfgs } from '../numeric/optimise/lbfgs.js'
import { minimise } from '../numeric/optimise/optimiser.js'
import { columnScales } from '../numeric/special/column-scales.js'
import type { Table } from '../transcript/encoded-table.js'
import { argmax } from './number-lists.js'

/** The same standardised columns of the auxiliary data and of the target's records. */
export interface PublicInputs {
  readonly train: Matrix
  readonly test: Matrix
}

interface Choice {
  /** Columns that must not be used. */
  readonly hidden: readonly string[]
  /** Whether the label is one of the inputs, where both tables hold it. */
  readonly label: boolean
}

/** Columns that both hold in full, by name, scaled by the auxiliary data; undefined when none varies there. */
export function publicInputs(auxiliary: Table, records: Table, { hidden, label }: Choice): PublicInputs | undefined {
  const pairs: { train: Float64Array; test: Float64Array }[] = []
  for (const [j, name] of records.columns.entries()) {
    const from = auxiliary.columns.indexOf(name)
    if (from < 0 || hidden.includes(name)) continue
    pairs.push({ train: columnAt(auxiliary.features, from), test: columnAt(records.features, j) })
  }
  if (label && auxiliary.labels !== undefined && records.labels !== undefined) {
    const train = perRecord(auxiliary.labels, auxiliary.features.rows)
    const test = perRecord(records.labels, records.features.rows)
    for (let j = 0; j < Math.min(train.cols, test.cols); j++) {
      pairs.push({ train: columnAt(train, j), test: columnAt(test, j) })
    }
  }
  const scaled = pairs.flatMap(({ train, test }) => {
    const { shift, scale, min, max } = columnScales([train], 'standardise')[0]!
    if (!(min < max) || !test.every(Number.isFinite)) return []
    const scaled = (x: number): number => (x - shift) / scale
    return [{ train: train.map(scaled), test: test.map(scaled) }]
  })
  if (scaled.length === 0) return undefined
  return {
    train: besides(scaled.map(({ train }) => train)),
    test: besides(scaled.map(({ test }) => test)),
  }
}

/** The likeliest level of each record. */
export function predictLevels(inputs: PublicInputs, levels: Int32Array, count: number): Int32Array {
  return likeliest(predictProbabilities(inputs, levels, count))
}

/** The place of the largest in each row. */
export const likeliest = (P: Matrix): Int32Array => Int32Array.from({ length: P.rows }, (_, i) => argmax(rowOf(P, i)))

/** The probability of each level for each record, by softmax regression with a penalty of |W|^2 / 2 on the summed loss. */
export function predictProbabilities({ train, test }: PublicInputs, levels: Int32Array, count: number): Matrix {
  const functions = functionsOf(softmaxRegression({ inputs: train.cols, outputs: count }))
  const batch = { features: train, labels: Float64Array.from(levels) }
  const penalty = 1 / train.rows
  const weights = count * train.cols // the biases, which follow, are free
  const objective = (theta: Float64Array) => {
    const { loss, grad } = functions.gradient(theta, batch)
    const W = theta.subarray(0, weights)
    const gradient = grad.slice()
    for (let i = 0; i < weights; i++) gradient[i]! += penalty * W[i]!
    return { value: loss + (penalty / 2) * dot(W, W), gradient }
  }
  const stop = { maxIterations: 500, gradientTolerance: 1e-8 }
  const { x } = minimise(lbfgs(), objective, new Float64Array(functions.size), stop)
  return functions.predict(x, test)
}

/** The expected number of each record, by ridge regression with a penalty of |w|^2 on the summed squares. */
export function predictNumbers({ train, test }: PublicInputs, numbers: Float64Array): Float64Array {
  const { shift, scale: spread, min, max } = columnScales([numbers], 'standardise')[0]!
  if (min === max) return new Float64Array(test.rows).fill(shift)
  const { x: w } = ridge(
    train,
    numbers.map((y) => (y - shift) / spread),
    { lambda: 1 },
  )
  return Float64Array.from({ length: test.rows }, (_, i) => {
    return shift + spread * dot(rowOf(test, i), w)
  })
}

/** Columns side by side. */
function besides(columns: readonly Float64Array[]): Matrix {
  const out = matrix(columns[0]!.length, columns.length)
  columns.forEach((values, j) => {
    for (let i = 0; i < values.length; i++) out.data[i * columns.length + j] = values[i]!
  })
  return out
}
