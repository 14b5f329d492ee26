/** What the last layer's gradient says of each class: a few numbers that fall with the records of that class. */
import { recordedModel } from '../../../models/index.js'
import { type Matrix, matrix, rowOf } from '../../../numeric/linalg/matrix.js'
import { multiplyTransposedVector, multiplyVector } from '../../../numeric/linalg/matrix-vector.js'
import { dot, norm } from '../../../numeric/linalg/vector.js'
import { rangeOf, totalOf } from '../../../numeric/special/summaries.js'
import { choice } from '../../../params.js'
import type { View } from '../../../threat/granted-keys.js'
import { Inapplicable } from '../../attack.js'
import type { ClassHead } from './class-head.js'

export const activationsParam = choice({
  default: 'auto',
  choices: ['auto', 'positive', 'signed'],
  doc: 'whether what the last layer reads may be negative; auto: by the model, signed when that is opaque',
})

export interface Evidence {
  /** [n, columns]: what a class's records lower. */
  readonly rows: Matrix
  readonly from: 'weights' | 'bias' | 'projection'
  /** How much a record with this embedding adds to its class's sum of columns, before 1 - p. */
  weigh(embedding: Float64Array): number
  readonly warnings: readonly string[]
}

/**
 * Positive activations: the rows of the weights' gradient, as the papers have it. Else their signs say nothing.
 * departs: for signed activations the bias's gradient stands in, which is d_i itself ([labels] Eq. (3.17)); without a
 * bias, the rows' components along their common direction, turned so that few classes are low and many high.
 */
export function evidenceOf(
  head: ClassHead,
  { model }: View<'model'>,
  activations: 'auto' | 'positive' | 'signed',
): Evidence {
  const { gradW, gradB } = head
  const positive = (activations === 'auto' ? activationsOf(model) : activations) === 'positive'
  if (positive && !isZero(gradW.data)) {
    return { rows: gradW, from: 'weights', weigh: totalOf, warnings: [] }
  }
  if (gradB !== undefined && !isZero(gradB)) {
    return { rows: matrix(gradB.length, 1, gradB), from: 'bias', weigh: () => 1, warnings: [] }
  }
  if (isZero(gradW.data)) {
    throw new Inapplicable(
      ['a gradient other than zero'],
      "the last layer's gradient is zero: it says nothing of labels",
    )
  }
  if (gradW.rows === 2) {
    // d_0 = -d_1: with the sign of a unknown, either class explains the gradient.
    throw new Inapplicable(['a bias in the last layer'], 'of two classes, the signs of their gradients fit either')
  }
  return projected(gradW)
}

/** Of an opaque model nothing is known. */
const activationsOf = (model: View<'model'>['model']): 'positive' | 'signed' =>
  model.kind === 'opaque' ? 'signed' : recordedModel(model).penultimate

const isZero = (values: Float64Array): boolean => values.every((v) => v === 0)

function projected(G: Matrix): Evidence {
  let v = commonDirection(G)
  let along = multiplyVector(G, v)
  if (along.reduce((sum, u) => sum + u * u * u, 0) > 0) {
    v = v.map((x) => -x)
    along = along.map((u) => -u)
  }
  const doubt = 'activations may be negative and the last layer has no bias: the sign of the evidence is a guess'
  return { rows: matrix(G.rows, 1, along), from: 'projection', weigh: (a) => dot(a, v), warnings: [doubt] }
}

/** The first right singular vector, by power steps from the longest row. */
function commonDirection(G: Matrix): Float64Array {
  let v: Float64Array = new Float64Array(G.cols)
  for (let i = 0; i < G.rows; i++) {
    const row = rowOf(G, i)
    if (norm(row) > norm(v)) v = row
  }
  for (let step = 0; step < 100; step++) {
    const size = norm(v)
    const next = multiplyTransposedVector(
      G,
      multiplyVector(
        G,
        v.map((x) => x / size),
      ),
    )
    const turned = dot(next, v) / (norm(next) * size)
    v = next
    if (turned > 1 - 1e-14) break
  }
  const size = norm(v)
  return v.map((x) => x / size)
}

export function rowSums(A: Matrix): Float64Array {
  return Float64Array.from({ length: A.rows }, (_, i) => totalOf(rowOf(A, i)))
}

export function rowMinima(A: Matrix): Float64Array {
  return Float64Array.from({ length: A.rows }, (_, i) => rangeOf(rowOf(A, i)).min)
}
