/** Sums over per-record gradients, and products with them, without writing a single one down. */
import { OverhearError } from '../../../errors.js'
import { checkBatch, type ModelFunctions, type Traced } from '../../../models/functions.js'
import { type Loss, labelColumns } from '../../../models/model.js'
import { gradient, pullback, pushforward } from '../../../numeric/engine/derive.js'
import type { Node } from '../../../numeric/engine/graph.js'
import * as t from '../../../numeric/engine/trace.js'
import type { Matrix } from '../../../numeric/linalg/matrix.js'
import { energyOf } from '../record-losses.js'
import { productsOf } from './dense-layers.js'

/** The records once for each value that the attribute may have. */
export interface Candidates {
  readonly records: number
  /** [records, inputs], one per value. */
  readonly features: readonly Matrix[]
  /** Labels as `records.label` has them. */
  readonly labels: Float64Array
}

export interface RecordGradients {
  readonly records: number
  readonly values: number
  readonly size: number
  /** sum over values v and records i of weights[v n + i] q_i(v), q the gradient of the record's own loss. */
  weighted(theta: Float64Array, weights: Float64Array): Float64Array
  /** <q_i(v), r> at v n + i. */
  along(theta: Float64Array, r: Float64Array): Float64Array
  /** What each q_i(v) is multiplied by before it is summed: 1, or less where the client clips. */
  clipping(theta: Float64Array): Float64Array
}

export interface TrainedLoss {
  readonly loss: Loss
  readonly lossScale: number
  /** Each record's gradient is clipped to this norm before it counts. */
  readonly maxNorm?: number | undefined
}

const mostRows = 2048

/** The mean over a batch of this is the trained loss: [n, 1]. */
export function lossPerRecord(traced: Traced, { loss, lossScale }: TrainedLoss): Node {
  const outputs = loss === 'cross-entropy' ? 1 : traced.output.cols
  return t.scale(energyOf(traced, loss), lossScale / outputs)
}

export function recordGradients(
  functions: ModelFunctions,
  trained: TrainedLoss,
  { records: n, features, labels }: Candidates,
): RecordGradients {
  const { model, size } = functions
  const [k, c, V] = [model.inputs, labelColumns(model), features.length]
  const { y } = checkBatch(model, trained.loss, { features: features[0]!, labels })
  const X = features.map((own) => checkBatch(model, trained.loss, { features: own, labels }).X)
  const programs = new Map<string, ReturnType<ModelFunctions['derive']>>()
  const builds = {
    weighted: (traced: Traced): Node[] => {
      const weights = t.input('weights', { rows: traced.X.rows, cols: 1 })
      return gradient(t.dot(weights, lossPerRecord(traced, trained)), [traced.theta])
    },
    along: (traced: Traced): Node[] => {
      return [pushforward(lossPerRecord(traced, trained), traced.theta, t.input('r', traced.theta))]
    },
    normSq: (traced: Traced): Node[] => [normSqOf(traced, lossPerRecord(traced, trained), model.parameters.length)],
  }
  const run = (what: keyof typeof builds, rows: number, inputs: Record<string, Float64Array>): Float64Array => {
    const key = `${what} ${rows}`
    let program = programs.get(key)
    if (program === undefined) {
      program = functions.derive(rows, builds[what])
      programs.set(key, program)
    }
    return program(inputs)[0]!
  }
  /** Pieces of at most `mostRows` records of one value. */
  const each = (visit: (piece: { X: Float64Array; y: Float64Array; from: number; rows: number }) => void): void => {
    for (let v = 0; v < V; v++) {
      for (let start = 0; start < n; start += mostRows) {
        const end = Math.min(n, start + mostRows)
        const piece = { X: X[v]!.subarray(start * k, end * k), y: y.subarray(start * c, end * c) }
        visit({ ...piece, from: v * n + start, rows: end - start })
      }
    }
  }
  const perRecord = (what: 'along' | 'normSq', inputs: Record<string, Float64Array>): Float64Array => {
    const out = new Float64Array(V * n)
    each(({ from, rows, ...piece }) => out.set(run(what, rows, { ...piece, ...inputs }), from))
    return out
  }
  const clipping = lastOf((theta) => {
    const { maxNorm } = trained
    if (maxNorm === undefined) return new Float64Array(V * n).fill(1)
    return perRecord('normSq', { theta }).map((square) => Math.min(1, maxNorm / Math.max(Math.sqrt(square), 1e-300)))
  })
  return {
    records: n,
    values: V,
    size,
    clipping,
    weighted(theta, weights) {
      const sum = new Float64Array(size)
      const factor = clipping(theta)
      each(({ from, rows, ...piece }) => {
        const own = weights.slice(from, from + rows)
        if (own.every((w) => w === 0)) return
        for (let i = 0; i < rows; i++) own[i]! *= factor[from + i]!
        const part = run('weighted', rows, { ...piece, theta, weights: own })
        for (let j = 0; j < size; j++) sum[j]! += part[j]!
      })
      return sum
    },
    along(theta, r) {
      const factor = clipping(theta)
      return perRecord('along', { theta, r }).map((x, i) => x * factor[i]!)
    },
  }
}

/** Remembers the answer for the last theta. */
function lastOf(compute: (theta: Float64Array) => Float64Array): (theta: Float64Array) => Float64Array {
  let last: { theta: Float64Array; value: Float64Array } | undefined
  return (theta) => {
    if (last?.theta !== theta) last = { theta, value: compute(theta) }
    return last.value
  }
}

/** Squared norms of per-record gradients from what each layer reads and what flows back: (|a|^2 + bias) |delta|^2. */
function normSqOf({ theta }: Traced, losses: Node, parameters: number): Node {
  const products = productsOf(losses, theta)
  if (products.length !== parameters && 2 * products.length !== parameters)
    throw new OverhearError('E_INPUT', 'clipping is known for fully connected models alone', 'leave maxNorm out')
  const bias = parameters === products.length ? 0 : 1
  const deltas = pullback(
    losses,
    t.fill(1, losses),
    products.map(({ at }) => at),
  )
  const squares = products.map(({ reads }, l) =>
    t.mul(t.rowDot(deltas[l]!, deltas[l]!), t.offset(t.rowDot(reads, reads), bias)),
  )
  return squares.reduce((sum, part) => t.add(sum, part))
}
