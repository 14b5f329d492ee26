/** Records that a first layer of rectifiers gives away: which of its rows are one record's, and never a mixture's. */
import type { Model } from '../../models/model.js'
import { type Matrix, matrix, transpose } from '../../numeric/linalg/matrix.js'
import { qrPivoted } from '../../numeric/linalg/qr.js'
import { dot, norm } from '../../numeric/linalg/vector.js'
import { type FirstLayer, firstRows } from '../shared/first-layer.js'
import { mostPatterns, partsOf, patternsIn, recordIn } from './unit-patterns.js'

export interface FirstLayerHeard {
  readonly model: Model
  readonly layer: FirstLayer
  readonly theta: Float64Array
  readonly grad: Float64Array
  readonly recordCount: number
  /** Relative rounding of the gradient's entries. */
  readonly rounding: number
}

export interface Isolated {
  readonly records: readonly Float64Array[]
  /** How many records the units tell apart. */
  readonly rank: number
  /** The largest that a check left, relative. */
  readonly misfit: number
}

/** Of a row whose bias moved less than this share of the largest, the quotient is rounding. */
const leastShare = 1e-7

export function isolatedRecords(heard: FirstLayerHeard): Isolated {
  const { model, layer, grad } = heard
  const { W, b } = firstRows(grad, layer)
  const largest = b.reduce((most, v) => Math.max(most, Math.abs(v)), 0)
  const least = largest * Math.max(leastShare, 1e3 * heard.rounding)
  const live = Array.from(b.keys()).filter((i) => Math.abs(b[i]!) > least)
  const oneOutput = model.dense?.hidden.length === 1 && model.outputs === 1
  return oneOutput ? byPatterns(heard, { W, b, live }) : bySpan(heard, { W, b, live })
}

interface Rows {
  readonly W: Matrix
  readonly b: Float64Array
  readonly live: readonly number[]
}

/** One hidden layer, one output: all records at once, or none. */
function byPatterns({ layer, theta, recordCount: K, rounding }: FirstLayerHeard, { W, b, live }: Rows): Isolated {
  const { units, inputs: d, biasAt } = layer
  const outgoing = (i: number): number => theta[biasAt + units + i]!
  const rows = live.filter((i) => outgoing(i) !== 0)
  const V = matrix(rows.length, d + 1)
  for (const [r, i] of rows.entries()) {
    for (let j = 0; j < d; j++) V.data[r * (d + 1) + j] = W.data[i * d + j]! / outgoing(i)
    V.data[r * (d + 1) + d] = b[i]! / outgoing(i)
  }
  const none = { records: [], rank: 0, misfit: 1 }
  if (rows.length === 0 || Math.min(K, rows.length) > mostPatterns) return none
  const { rank, choices } = patternsIn(V, Math.max(1e-9, 1e3 * rounding))
  // Fewer than there are records: some lie together in every sum, and any of the parts may be such a mixture.
  if (rank !== K) return { ...none, rank }
  for (const patterns of choices) {
    const Q = partsOf(V, patterns)
    if (Q === undefined) continue
    const found = patterns.map((_, k) => recordIn(Q, k))
    const records = found.map(({ x }) => x)
    const right = records.every((x, k) => agrees(x, { pattern: patterns[k]!, rows, layer, theta }))
    if (right) return { records, rank, misfit: leftBy(V, Q, patterns) }
  }
  return { ...none, rank }
}

interface Pattern {
  readonly pattern: Float64Array
  readonly rows: readonly number[]
  readonly layer: FirstLayer
  readonly theta: Float64Array
}

/** Whether the units that are active for a record are those in whose sums it is. */
function agrees(x: Float64Array, { pattern, rows, layer, theta }: Pattern): boolean {
  if (x.some((v) => !Number.isFinite(v))) return false
  const u = before(x, theta, layer)
  const tiny = 1e-6 * norm(u)
  return rows.every((i, r) => Math.abs(u[i]!) <= tiny || (u[i]! > 0 ? 1 : 0) === pattern[r])
}

function leftBy(V: Matrix, Q: Matrix, patterns: readonly Float64Array[]): number {
  const left = V.data.map((v, at) => {
    const [r, j] = [Math.floor(at / V.cols), at % V.cols]
    return patterns.reduce((rest, s, k) => rest - s[r]! * Q.data[k * V.cols + j]!, v)
  })
  return norm(left) / norm(V.data)
}

/** What the first layer gives before its function. */
function before(x: Float64Array, theta: Float64Array, { units, inputs: d, biasAt }: FirstLayer): Float64Array {
  return Float64Array.from({ length: units }, (_, i) => dot(theta.subarray(i * d, (i + 1) * d), x) + theta[biasAt + i]!)
}

/**
 * Deeper, or with several outputs: mixtures differ from unit to unit, and what the second layer reads for a record,
 * (a, 1), lies in the space that its gradient's rows span. A mixture's does not: it is bent at other units.
 */
function bySpan(heard: FirstLayerHeard, { W, b, live }: Rows): Isolated {
  const { layer, theta, grad, recordCount: K, rounding, model } = heard
  const { units, inputs: d, biasAt } = layer
  const next = model.parameters[2]!.shape[0]!
  const at = biasAt + units
  const S = matrix(next, units + 1)
  for (let i = 0; i < next; i++) {
    S.data.set(grad.subarray(at + i * units, at + (i + 1) * units), i * (units + 1))
    S.data[i * (units + 1) + units] = grad[at + next * units + i]!
  }
  const tolerance = Math.max(1e-9, 1e3 * rounding)
  const { Q, rank } = qrPivoted(transpose(S), { tolerance }) // [units + 1, ...]
  // As many directions as there are numbers hold every vector: nothing is told.
  if (rank > K || rank >= units) return { records: [], rank, misfit: 1 }
  const basis = Array.from({ length: rank }, (_, k) =>
    Float64Array.from({ length: units + 1 }, (_, i) => Q.data[i * Q.cols + k]!),
  )
  const allowed = Math.max(1e-7, 1e4 * rounding)
  const records: Float64Array[] = []
  let worst = 0
  for (const i of live) {
    const x = Float64Array.from({ length: d }, (_, j) => W.data[i * d + j]! / b[i]!)
    const off = outside(Float64Array.from([...before(x, theta, layer).map((u) => Math.max(0, u)), 1]), basis)
    if (!(off <= allowed)) continue
    worst = Math.max(worst, off)
    if (!records.some((one) => norm(one.map((v, j) => v - x[j]!)) <= 1e-3 * (1e-9 + norm(x)))) records.push(x)
  }
  return { records: records.slice(0, K), rank, misfit: worst }
}

/** What of a vector lies outside of an orthonormal basis, relative to its length. */
function outside(a: Float64Array, basis: readonly Float64Array[]): number {
  const left = a.slice()
  for (const q of basis) {
    const share = dot(a, q)
    for (let j = 0; j < left.length; j++) left[j]! -= share * q[j]!
  }
  return norm(left) / norm(a)
}
