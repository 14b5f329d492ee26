/** DLG's problem: records (and labels) whose gradient is the one that was heard, as an objective over one flat vector. */
import type { ModelFunctions } from '../../models/functions.js'
import { type Loss, labelColumns, traceLoss } from '../../models/model.js'
import { gradient } from '../../numeric/engine/derive.js'
import type { Node } from '../../numeric/engine/graph.js'
import * as t from '../../numeric/engine/trace.js'
import { dot } from '../../numeric/linalg/vector.js'
import type { Objective } from '../../numeric/optimise/optimiser.js'
import { sigmoid } from '../../numeric/special/elementary-functions.js'

export interface MatchingProblem {
  readonly functions: ModelFunctions
  readonly loss: Loss
  readonly theta: Float64Array
  /** The mean gradient of the loss, not zero. */
  readonly grad: Float64Array
  readonly recordCount: number
  /** One row of label columns a record; without them labels are sought too. */
  readonly givenLabels?: Float64Array
}

export interface Matching {
  /** Length of what is sought: the records' features, then the labels' free numbers. */
  readonly size: number
  /** |grad(x) - grad|² / |grad|². departs: over |grad|², so that one tolerance fits all models. */
  readonly objective: Objective
  /** One row of features a record. */
  features(sought: Float64Array): Float64Array[]
  /** One row of label columns a record. */
  labels(sought: Float64Array): Float64Array
}

/** Labels as functions of free numbers: shares of classes, a share, or a number. [zhu2019] has the first. */
const free: { readonly [L in Loss]: { readonly trace: (l: Node) => Node; readonly value: (l: number) => number } } = {
  'cross-entropy': { trace: t.softmax, value: (l) => l },
  'binary-cross-entropy': { trace: t.sigmoid, value: sigmoid },
  mse: { trace: (l) => l, value: (l) => l },
}

/** [labels] Eq. (3.2), [zhu2019] Alg. 1. */
export function matchingOf(problem: MatchingProblem): Matching {
  const { functions, loss, theta, grad: target, recordCount: n, givenLabels } = problem
  const { model } = functions
  const c = labelColumns(model)
  const split = n * model.inputs
  const evaluate = functions.derive(n, (traced) => {
    const y = t.input('labels', { rows: n, cols: c })
    const labels = givenLabels === undefined ? free[loss].trace(y) : y
    const dummyLoss = traceLoss(traced, labels, { loss, lossScale: 1 })
    const [g] = gradient(dummyLoss, [traced.theta])
    const miss = t.sub(g!, t.input('target', g!))
    const distance = t.scale(t.dot(miss, miss), 1 / dot(target, target))
    return [distance, ...gradient(distance, givenLabels === undefined ? [traced.X, y] : [traced.X])]
  })
  const size = split + (givenLabels === undefined ? n * c : 0)
  const slope = new Float64Array(size)
  const labelsAt = (sought: Float64Array): Float64Array => givenLabels ?? sought.slice(split)
  return {
    size,
    objective(sought) {
      const inputs = { theta, target, X: sought.slice(0, split), labels: labelsAt(sought) }
      const [distance, dX, dLabels] = evaluate(inputs)
      slope.set(dX!)
      if (dLabels !== undefined) slope.set(dLabels, split)
      return { value: distance![0]!, gradient: slope }
    },
    features: (sought) => Array.from({ length: n }, (_, i) => sought.slice(i * model.inputs, (i + 1) * model.inputs)),
    labels: (sought) => (givenLabels === undefined ? labelsAt(sought).map(free[loss].value) : givenLabels),
  }
}
