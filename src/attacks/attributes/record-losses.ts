/** The loss of each record by itself, many records in one pass. */
import { type Batch, checkBatch, type ModelFunctions, type Traced } from '../../models/functions.js'
import { type Loss, labelColumns } from '../../models/model.js'
import type { Node } from '../../numeric/engine/graph.js'
import * as t from '../../numeric/engine/trace.js'
import { matrix } from '../../numeric/linalg/matrix.js'

/** Energies of records: twice the negative log-likelihood at unit variance for a square, else once. */
export type Energies = (batch: Batch) => Float64Array

const mostRows = 4096

/**
 * What each record would cost under one model, free of the loss's scale: the sum of squared errors over the outputs, or
 * the cross-entropy. The programs are compiled once per number of rows.
 */
export function energiesOf(functions: ModelFunctions, loss: Loss, theta: Float64Array): Energies {
  const { model } = functions
  const [k, c] = [model.inputs, labelColumns(model)]
  const programs = new Map<number, ReturnType<ModelFunctions['derive']>>()
  functions.predict(theta, matrix(0, k)) // refuses a theta that does not fit or is not finite
  const run = (X: Float64Array, y: Float64Array, rows: number): Float64Array => {
    let program = programs.get(rows)
    if (program === undefined) {
      program = functions.derive(rows, (traced) => [energyOf(traced, loss)])
      programs.set(rows, program)
    }
    return program({ theta, X, y })[0]!
  }
  return (batch) => {
    const { X, y } = checkBatch(model, loss, batch)
    const n = batch.features.rows
    const out = new Float64Array(n)
    for (let from = 0; from < n; from += mostRows) {
      const to = Math.min(n, from + mostRows)
      out.set(run(X.subarray(from * k, to * k), y.subarray(from * c, to * c), to - from), from)
    }
    return out
  }
}

/** Twice the negative log-likelihood at unit variance of a square, once that of a cross-entropy: [n, 1]. */
export function energyOf({ logit, output, y }: Traced, loss: Loss): Node {
  switch (loss) {
    case 'mse': {
      const e = t.sub(output, y)
      return t.rowDot(e, e)
    }
    case 'cross-entropy':
      return t.sub(t.logSumExp(logit), t.rowDot(y, logit))
    case 'binary-cross-entropy':
      return t.sub(t.sumCols(t.softplus(logit)), t.rowDot(y, logit))
  }
}
