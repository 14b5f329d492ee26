/** The differences q_i(v) - q_i(0) that an attribute makes to per-record gradients, as factors of layers. */
import { checkBatch, type ModelFunctions, type Traced } from '../../../models/functions.js'
import { labelColumns } from '../../../models/model.js'
import { gradient, pullback } from '../../../numeric/engine/derive.js'
import { engine } from '../../../numeric/engine/engine.js'
import type { Node } from '../../../numeric/engine/graph.js'
import type { Program } from '../../../numeric/engine/program.js'
import * as t from '../../../numeric/engine/trace.js'
import type { ColumnLayout } from './column-layout.js'
import { productsOf } from './dense-layers.js'
import { type FillFactors, type Room, scratchOf } from './record-columns.js'
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

/**
 * Writes column (v - 1) n + i of D, v = 1 .. V - 1, as factors. The first layer's part is first x^T over the public columns
 * and the bias, and `rest` over the sensitive ones; the later layers' part is written down at the end of `rest`. The
 * programs are compiled once; one run has all values of its records.
 */
export function differencesOf(input: DifferencesInput, plan: LayerPlan, { h, e }: ColumnLayout): FillFactors {
  const { functions, trained, candidates, gradients } = input
  const { model } = functions
  const { records: n, features, labels } = candidates
  const V = features.length
  const c = labelColumns(model)
  const checked = features.map((own) => checkBatch(model, trained.loss, { features: own, labels }))
  const programs = new Map<number, Program>()
  const build = (traced: Traced): Node[] => {
    const losses = lossPerRecord(traced, trained)
    const products = productsOf(losses, traced.theta)
    const at = products.map((product) => product.at)
    const deltas = pullback(losses, t.fill(1, losses), at)
    const weights = t.input('weights', { rows: traced.X.rows, cols: 1 })
    const base = gradient(t.dot(weights, losses), [traced.theta])
    return [...base, ...products.flatMap(({ reads }, l) => (l === 0 ? [deltas[l]!] : [deltas[l]!, reads]))]
  }
  const perRun = Math.max(1, Math.floor(mostRows / V))
  const scratch = scratchOf(engine())
  return (theta, room) => {
    const clipping = gradients.clipping(theta)
    const sum = new Float64Array(functions.size)
    for (let start = 0; start < n; start += perRun) {
      const rows = Math.min(perRun, n - start)
      const program = programs.get(rows) ?? functions.compile(V * rows, build)
      programs.set(rows, program)
      const factor = new Float64Array(V * rows)
      for (let v = 0; v < V; v++) factor.set(clipping.subarray(v * n + start, v * n + start + rows), v * rows)
      program.set('theta', theta)
      program.set(
        'X',
        stacked(
          checked.map(({ X }) => X),
          { start, rows, width: model.inputs },
        ),
      )
      program.set(
        'y',
        stacked(
          checked.map(({ y }) => y),
          { start, rows, width: c },
        ),
      )
      program.set(
        'weights',
        factor.map((by, i) => (i < rows ? by : 0)),
      )
      program.run()
      const base = program.read(0)
      for (let j = 0; j < sum.length; j++) sum[j]! += base[j]!
      blend(input, { plan, program, factor, start, rows, h, e, room, coefficients: scratch(2 * rows) })
    }
    return sum
  }
}

interface Blend {
  readonly plan: LayerPlan
  readonly program: Program
  /** What each record's gradient is multiplied by, value after value. */
  readonly factor: Float64Array
  readonly start: number
  readonly rows: number
  readonly h: number
  readonly e: number
  readonly room: Room
  /** Where two coefficients a record may be put. */
  readonly coefficients: number
}

/** Differences between each value's factors and value 0's, for some of the records. */
function blend({ candidates, places }: DifferencesInput, options: Blend): void {
  const { plan, program, factor, start, rows, h, e, room, coefficients } = options
  const { records: n, features } = candidates
  const { host } = room
  const [ones, zeros] = [coefficients, coefficients + 8 * rows]
  const k = features[0]!.cols
  for (let v = 1; v < features.length; v++) {
    const from = (v - 1) * n + start
    const put = (to: number, of: (i: number, value: number) => number): void => {
      const view = host.view('f64', to, rows)
      const value = to === ones ? v : 0
      for (let i = 0; i < rows; i++) view[i] = factor[value * rows + i]! * of(i, value)
    }
    /** One output's rows, `wide` numbers each, times a coefficient a record. */
    const subtract = (output: number, to: number, shape: { apart: number; wide: number }): void => {
      const zero = program.address(output)
      const own = zero + 8 * v * rows * shape.wide
      host.columns.blendRows(to, shape.apart, own, ones, zero, zeros, rows, shape.wide)
    }
    for (const to of [ones, zeros]) put(to, () => 1)
    subtract(1, room.first + 8 * from * h, { apart: h, wide: h })
    for (const [p, place] of places.entries()) {
      for (const to of [ones, zeros]) put(to, (i, value) => features[value]!.data[(start + i) * k + place]!)
      subtract(1, room.rest + 8 * (from * e + p * h), { apart: e, wide: h })
    }
    // delta (reads, 1)^T of each record, layer after layer.
    let at = places.length * h
    for (const [l, { reads, out }] of plan.widths.slice(1).entries()) {
      const [deltaOf, readsOf] = [2 + 2 * l, 3 + 2 * l]
      for (let a = 0; a < out; a++) {
        const delta = host.view('f64', program.address(deltaOf), features.length * rows * out)
        for (const to of [ones, zeros]) put(to, (i, value) => delta[(value * rows + i) * out + a]!)
        subtract(readsOf, room.rest + 8 * (from * e + at), { apart: e, wide: reads })
        at += reads
      }
      if (plan.bias === 0) continue
      for (const to of [ones, zeros]) put(to, () => 1)
      subtract(deltaOf, room.rest + 8 * (from * e + at), { apart: e, wide: out })
      at += out
    }
  }
}

/** Rows start .. start + rows of each part, one part after the other. */
function stacked(
  parts: readonly Float64Array[],
  { start, rows, width }: { readonly start: number; readonly rows: number; readonly width: number },
): Float64Array {
  const out = new Float64Array(parts.length * rows * width)
  for (const [v, part] of parts.entries())
    out.set(part.subarray(start * width, (start + rows) * width), v * rows * width)
  return out
}
