/** Sums over per-record gradients, and products with them, without writing a single one down. */
import { OverhearError } from '../../../errors.js'
import { checkBatch, type Inputs, type ModelFunctions, type Traced } from '../../../models/functions.js'
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

/** The candidates as programs read them, and the programs made so far, by function and number of rows. */
interface Records {
  readonly functions: ModelFunctions
  readonly trained: TrainedLoss
  readonly n: number
  readonly X: readonly Float64Array[] // one a value
  readonly y: Float64Array
  readonly programs: Map<string, ReturnType<ModelFunctions['derive']>>
}

export function recordGradients(
  functions: ModelFunctions,
  trained: TrainedLoss,
  { records: n, features, labels }: Candidates,
): RecordGradients {
  const { model, size } = functions
  const { y } = checkBatch(model, trained.loss, { features: features[0]!, labels })
  const X = features.map((own) => checkBatch(model, trained.loss, { features: own, labels }).X)
  const records: Records = { functions, trained, n, X, y, programs: new Map() }
  const clipping = lastOf((theta) => clippingAt(records, theta))
  return {
    records: n,
    values: features.length,
    size,
    clipping,
    weighted: (theta, weights) => weightedSum(records, { theta, weights, factor: clipping(theta) }),
    along(theta, r) {
      const factor = clipping(theta)
      return perRecord(records, 'along', { theta, r }).map((x, i) => x * factor[i]!)
    },
  }
}

const builds = {
  weighted: (traced: Traced, { trained }: Records): Node[] => {
    const weights = t.input('weights', { rows: traced.X.rows, cols: 1 })
    return gradient(t.dot(weights, lossPerRecord(traced, trained)), [traced.theta])
  },
  along: (traced: Traced, { trained }: Records): Node[] => {
    return [pushforward(lossPerRecord(traced, trained), traced.theta, t.input('r', traced.theta))]
  },
  normSq: (traced: Traced, { functions, trained }: Records): Node[] => {
    return [normSqOf(traced, lossPerRecord(traced, trained), functions.model.parameters.length)]
  },
} as const

/** Runs a function on a piece, compiled if this is the first of its size. */
function run(records: Records, what: keyof typeof builds, { rows, inputs }: { rows: number; inputs: Inputs }) {
  const { functions, programs } = records
  const key = `${what} ${rows}`
  let program = programs.get(key)
  if (program === undefined) {
    program = functions.derive(rows, (traced) => builds[what](traced, records))
    programs.set(key, program)
  }
  return program(inputs)[0]!
}

interface Piece {
  readonly X: Float64Array
  readonly y: Float64Array
  readonly from: number
  readonly rows: number
}

/** Pieces of at most `mostRows` records of one value. */
function* piecesOf({ functions: { model }, n, X, y }: Records): Generator<Piece> {
  const [k, c] = [model.inputs, labelColumns(model)]
  for (const [v, own] of X.entries()) {
    for (let start = 0; start < n; start += mostRows) {
      const end = Math.min(n, start + mostRows)
      const piece = { X: own.subarray(start * k, end * k), y: y.subarray(start * c, end * c) }
      yield { ...piece, from: v * n + start, rows: end - start }
    }
  }
}

function perRecord(records: Records, what: 'along' | 'normSq', inputs: Inputs): Float64Array {
  const out = new Float64Array(records.X.length * records.n)
  for (const { from, rows, X, y } of piecesOf(records)) {
    out.set(run(records, what, { rows, inputs: { X, y, ...inputs } }), from)
  }
  return out
}

function clippingAt(records: Records, theta: Float64Array): Float64Array {
  const { maxNorm } = records.trained
  if (maxNorm === undefined) return new Float64Array(records.X.length * records.n).fill(1)
  const squares = perRecord(records, 'normSq', { theta })
  return squares.map((square) => Math.min(1, maxNorm / Math.max(Math.sqrt(square), 1e-300)))
}

interface Weighted {
  readonly theta: Float64Array
  readonly weights: Float64Array
  readonly factor: Float64Array
}

function weightedSum(records: Records, { theta, weights, factor }: Weighted): Float64Array {
  const { size } = records.functions
  const sum = new Float64Array(size)
  for (const { from, rows, X, y } of piecesOf(records)) {
    const own = weights.slice(from, from + rows)
    if (own.every((w) => w === 0)) continue
    for (let i = 0; i < rows; i++) own[i]! *= factor[from + i]!
    const part = run(records, 'weighted', { rows, inputs: { X, y, theta, weights: own } })
    for (let j = 0; j < size; j++) sum[j]! += part[j]!
  }
  return sum
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
