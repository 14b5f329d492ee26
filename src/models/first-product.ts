/** How a model reads its inputs: only a product can read records that are compressed, or lie elsewhere in memory. */
import type { Node } from '../numeric/engine/graph.js'
import * as t from '../numeric/engine/trace.js'
import { type Model, parameterCount } from './model.js'

/** Whether a model reads its inputs only as the left side of products X W^T. */
export function readsByProduct(model: Model): boolean {
  // The first parameter of others is no matrix; a single column is traced as elements, which their kernels know.
  if (model.parameters[0]?.shape.length !== 2) return false
  if (model.inputs === 1) return true
  const theta = t.input('theta', { rows: 1, cols: parameterCount(model) })
  const X = t.input('X', { rows: 2, cols: model.inputs })
  const mask = model.dropout === undefined ? {} : { mask: t.input('mask', { rows: 2, cols: model.dropout.units }) }
  const reached = new Set<Node>([model.trace(theta, X, mask).output])
  for (const node of reached) {
    const fits =
      node.op === 'matmul' && node.attrs.form === 'nt' && node.inputs.indexOf(X) === node.inputs.lastIndexOf(X)
    if (node.inputs.includes(X) && !(fits && node.inputs[0] === X)) return false
    for (const one of node.inputs) reached.add(one)
  }
  return true
}
