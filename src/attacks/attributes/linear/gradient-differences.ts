/** The differences q_i(v) - q_i(0) that an attribute makes to per-record gradients, as factors of layers. */
import { checkBatch, type ModelFunctions, type Traced } from '../../../models/functions.js'
import { labelColumns } from '../../../models/model.js'
import { pullback } from '../../../numeric/engine/derive.js'
import type { Node } from '../../../numeric/engine/graph.js'
import * as t from '../../../numeric/engine/trace.js'
import { productsOf } from './dense-layers.js'
import { type Candidates, lossPerRecord, type RecordGradients, type TrainedLoss } from './record-gradients.js'

export interface DifferencesInput {
  readonly functions: ModelFunctions
  readonly trained: TrainedLoss
  readonly candidates: Candidates
  readonly gradients: RecordGradients
  /** The columns in which the candidates differ. */
  readonly places: readonly number[]
}

/** Layers of a fully connected model; 1 for `bias` when each has one. */
export interface LayerPlan {
  readonly bias: number
  readonly widths: readonly { readonly reads: number; readonly out: number }[]
}

/**
 * Column (v - 1) n + i of D, v = 1 .. V - 1. The first layer's part is first x^T over the public columns and the bias,
 * and `rest` over the sensitive ones; the later layers' part is written down at the end of `rest`.
 */
export interface Differences {
  readonly first: Float64Array // [N, h]
  readonly rest: Float64Array // [N, e]
  readonly h: number
  readonly e: number
}

/** Most numbers that a record's gradient has beyond the first layer for it to be written down. */
const mostExplicit = 1024
const mostRows = 2048

/** Undefined for models that are not fully connected or too wide behind their first layer. */
export function layersOf({ functions, trained }: DifferencesInput): LayerPlan | undefined {
  let widths: LayerPlan['widths'] = []
  functions.derive(1, (traced) => {
    const found = productsOf(lossPerRecord(traced, trained), traced.theta)
    widths = found.map(({ reads, at }) => ({ reads: reads.cols, out: at.cols }))
    return [traced.loss]
  })
  const weights = widths.reduce((sum, { reads, out }) => sum + reads * out, 0)
  const biases = widths.reduce((sum, { out }) => sum + out, 0)
  const bias = functions.size === weights ? 0 : 1
  if (widths.length === 0 || weights + bias * biases !== functions.size) return undefined
  const beyond = widths.slice(1).reduce((sum, { reads, out }) => sum + (reads + bias) * out, 0)
  return beyond > mostExplicit ? undefined : { bias, widths }
}

interface Factors {
  readonly first: Float64Array // [n, h]
  readonly later: Float64Array // [n, rest of the gradient]
}

/** Computes the differences at a theta; the programs are compiled once. */
export function differencesOf(input: DifferencesInput, plan: LayerPlan): (theta: Float64Array) => Differences {
  const { functions, trained, candidates, gradients, places } = input
  const { model } = functions
  const { records: n, features, labels } = candidates
  const [k, c] = [model.inputs, labelColumns(model)]
  const checked = features.map((own) => checkBatch(model, trained.loss, { features: own, labels }))
  const programs = new Map<number, ReturnType<ModelFunctions['derive']>>()
  const build = (traced: Traced): Node[] => {
    const losses = lossPerRecord(traced, trained)
    const products = productsOf(losses, traced.theta)
    const at = products.map((product) => product.at)
    const deltas = pullback(losses, t.fill(1, losses), at)
    return products.flatMap(({ reads }, l) => (l === 0 ? [deltas[l]!] : [deltas[l]!, reads]))
  }
  const factorsOf = (v: number, theta: Float64Array): Factors => {
    const clipping = gradients.clipping(theta)
    const { X, y } = checked[v]!
    const pieces: Factors[] = []
    for (let start = 0; start < n; start += mostRows) {
      const rows = Math.min(mostRows, n - start)
      const program = programs.get(rows) ?? functions.derive(rows, build)
      programs.set(rows, program)
      const part = { X: X.subarray(start * k, (start + rows) * k), y: y.subarray(start * c, (start + rows) * c) }
      const [first, ...others] = program({ theta, ...part })
      const factor = clipping.subarray(v * n + start, v * n + start + rows)
      scaleRows(first!, factor)
      pieces.push({ first: first!, later: outer(others, factor, plan.bias) })
    }
    return { first: joined(pieces.map((p) => p.first)), later: joined(pieces.map((p) => p.later)) }
  }
  return (theta) => {
    const factors = features.map((_, v) => factorsOf(v, theta))
    return subtracted(factors, { n, k, h: plan.widths[0]!.out, places, features: features.map(({ data }) => data) })
  }
}

function subtracted(
  factors: readonly Factors[],
  options: {
    readonly n: number
    readonly k: number
    readonly h: number
    readonly places: readonly number[]
    readonly features: readonly Float64Array[]
  },
): Differences {
  const { n, k, h, places, features } = options
  const zero = factors[0]!
  const later = zero.later.length / n
  const e = places.length * h + later
  const N = n * (features.length - 1)
  const [first, rest] = [new Float64Array(N * h), new Float64Array(N * e)]
  for (let v = 1; v < features.length; v++) {
    const one = factors[v]!
    for (let i = 0; i < n; i++) {
      const at = (v - 1) * n + i
      for (let a = 0; a < h; a++) first[at * h + a] = one.first[i * h + a]! - zero.first[i * h + a]!
      for (let p = 0; p < places.length; p++) {
        const [x1, x0] = [features[v]![i * k + places[p]!]!, features[0]![i * k + places[p]!]!]
        const to = at * e + p * h
        for (let a = 0; a < h; a++) rest[to + a] = one.first[i * h + a]! * x1 - zero.first[i * h + a]! * x0
      }
      const to = at * e + places.length * h
      for (let j = 0; j < later; j++) rest[to + j] = one.later[i * later + j]! - zero.later[i * later + j]!
    }
  }
  return { first, rest, h, e }
}

function scaleRows(rows: Float64Array, factor: Float64Array): void {
  const width = rows.length / factor.length
  for (let i = 0; i < factor.length; i++) for (let j = 0; j < width; j++) rows[i * width + j]! *= factor[i]!
}

/** delta (reads, 1)^T of each record, layer after layer. */
function outer(factors: readonly Float64Array[], factor: Float64Array, bias: number): Float64Array {
  const n = factor.length
  const widths = factors.map((f) => f.length / n)
  let e = 0
  for (let l = 0; l < widths.length; l += 2) e += widths[l]! * (widths[l + 1]! + bias)
  const out = new Float64Array(n * e)
  for (let i = 0; i < n; i++) {
    let at = i * e
    for (let l = 0; l < widths.length; l += 2) {
      const [p, q] = [widths[l]!, widths[l + 1]!]
      const [delta, reads] = [factors[l]!, factors[l + 1]!]
      for (let a = 0; a < p; a++) {
        const d = delta[i * p + a]! * factor[i]!
        for (let b = 0; b < q; b++) out[at++] = d * reads[i * q + b]!
      }
      if (bias === 1) for (let a = 0; a < p; a++) out[at++] = delta[i * p + a]! * factor[i]!
    }
  }
  return out
}

function joined(parts: readonly Float64Array[]): Float64Array {
  if (parts.length === 1) return parts[0]!
  const out = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}
