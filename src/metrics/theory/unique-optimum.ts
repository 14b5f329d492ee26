/** Whether a client's records have one best model only: a distance to it says nothing where there are many. */
import type { ModelFunctions } from '../../models/functions.js'
import { type Matrix, matrix, rowOf } from '../../numeric/linalg/matrix.js'
import { qrPivoted } from '../../numeric/linalg/qr.js'
import type { Table } from '../../transcript/encoded-table.js'

export interface Fitted {
  readonly functions: ModelFunctions
  readonly table: Table
  /** Whether the labels are classes. */
  readonly classes: boolean
  readonly optimum: Float64Array
}

/** Why there is more than one, or none; undefined where there is one. */
export function whyNotUnique({ functions, table, classes, optimum }: Fitted): string | undefined {
  const { parameters, outputs, affine = false } = functions.model
  const weights = parameters.filter(({ role }) => role === 'weight').length
  if (weights !== 1 || !(affine || classes)) return `a model of the kind ${functions.model.kind} has many optima`
  if (classes && outputs > 1) return 'a shift of all classes alike changes no prediction of a softmax model'
  const A = design(table.features, parameters.length > 1)
  const { rank } = qrPivoted(A)
  if (rank < A.cols) return `the client's records tell ${rank} of ${A.cols} directions apart`
  if (classes && separated(functions, { table, optimum })) {
    return 'the classes of the records can be separated: every model has a longer one that fits them better'
  }
  return undefined
}

/** The features, with a column of ones where the model has a bias. */
function design(features: Matrix, bias: boolean): Matrix {
  if (!bias) return features
  const { rows: n, cols: d } = features
  const A = matrix(n, d + 1)
  for (let i = 0; i < n; i++) {
    A.data.set(rowOf(features, i), i * (d + 1))
    A.data[i * (d + 1) + d] = 1
  }
  return A
}

/** Near its optimum a logistic model has every record right if any plane does. */
function separated(functions: ModelFunctions, { table, optimum }: Pick<Fitted, 'table' | 'optimum'>): boolean {
  const { data } = functions.predict(optimum, table.features)
  const even = evenOutput(functions)
  return data.every((z, i) => z > even === table.labels![i]! > 0.5)
}

/** The output of a single unit between its two classes: a half of a probability, zero of a logarithm of odds. */
export const evenOutput = ({ model }: Pick<ModelFunctions, 'model'>): number =>
  model.outputActivation === 'sigmoid' ? 0.5 : 0
