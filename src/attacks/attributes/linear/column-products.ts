/** Products of directions in parameter space with the columns of D, from its factors. */
import { compile, type Program } from '../../../numeric/engine/program.js'
import * as t from '../../../numeric/engine/trace.js'
import type { Differences, DifferencesInput, LayerPlan } from './gradient-differences.js'

/** For each direction u the vector <u, d> over the unknowns. */
export type Projection = (at: Differences, directions: readonly Float64Array[]) => Float64Array[]

/** Millions of numbers up to which the columns of D are written down. */
const mostDense = 8

/** Rows of the public columns, compressed: one-hot records are mostly zero. */
interface Rows {
  readonly starts: Int32Array
  readonly columns: Int32Array
  readonly values: Float64Array
}

export function projectionOf(
  { candidates, functions, places }: DifferencesInput,
  { bias, widths }: LayerPlan,
  options: { readonly dense?: boolean } = {},
): Projection {
  const { records: n, features } = candidates
  const k = functions.model.inputs
  const hidden = new Set(places)
  const rows = compressed(features[0]!.data, { n, k, hidden })
  const shape = { n, k, h: widths[0]!.out, bias, places }
  const { dense = (n * shape.h * k) / 1e6 < mostDense } = options
  return dense ? denseProjection(rows, shape) : sparseProjection(rows, shape)
}

interface Shape {
  readonly n: number
  readonly k: number
  readonly h: number
  readonly bias: number
  readonly places: readonly number[]
}

/** Directions cut like `rest`: the sensitive columns of the first layer, then the later layers. */
function onRest(u: Float64Array, columns: Float64Array, { k, h, bias, places }: Shape): Float64Array {
  const after = h * k + bias * h
  const out = new Float64Array(places.length * h + u.length - after)
  for (const [p, place] of places.entries()) out.set(columns.subarray(place * h, (place + 1) * h), p * h)
  out.set(u.subarray(after), places.length * h)
  return out
}

/** Writes each column's part in the public columns down as well, and multiplies at once. */
function denseProjection({ starts, columns: places, values }: Rows, shape: Shape): Projection {
  const { n, k, h, bias } = shape
  const programs = new Map<string, Program>()
  return ({ first, rest, e }, directions) => {
    const N = first.length / h
    const [q, K] = [h * (k + bias) + e, directions.length]
    const left = new Float64Array(N * q)
    for (let at = 0; at < N; at++) {
      for (let s = starts[at % n]!; s < starts[(at % n) + 1]!; s++) {
        const [x, to] = [values[s]!, at * q + places[s]! * h]
        for (let a = 0; a < h; a++) left[to + a] = first[at * h + a]! * x
      }
      left.set(rest.subarray(at * e, (at + 1) * e), at * q + (k + bias) * h)
      if (bias === 1) left.set(first.subarray(at * h, (at + 1) * h), at * q + k * h)
    }
    const right = new Float64Array(K * q)
    for (const [d, u] of directions.entries()) {
      const columns = transposed(u, h, k)
      right.set(columns, d * q)
      right.set(onRest(u, columns, shape), d * q + (k + bias) * h)
      if (bias === 1) right.set(u.subarray(h * k, h * k + h), d * q + k * h)
    }
    const key = `${N} ${K}`
    const program = programs.get(key) ?? productProgram(K, N, q)
    programs.set(key, program)
    program.set('U', right)
    program.set('D', left)
    program.run()
    const out = program.read(0)
    return directions.map((_, d) => out.slice(d * N, (d + 1) * N))
  }
}

function productProgram(K: number, N: number, q: number): Program {
  const [U, D] = [t.input('U', { rows: K, cols: q }), t.input('D', { rows: N, cols: q })]
  return compile({ outputs: [t.matmul(U, D, 'nt')], precision: 'f64' })
}

function sparseProjection(rows: Rows, shape: Shape): Projection {
  const { n, k, h, bias } = shape
  return ({ first, rest, e }, directions) => {
    const N = first.length / h
    const y = new Float64Array(h)
    return directions.map((u) => {
      const columns = transposed(u, h, k)
      const uRest = onRest(u, columns, shape)
      const z = new Float64Array(N)
      for (let i = 0; i < n; i++) {
        // y = U x_i + u_b over the public columns; it serves every value of record i.
        if (bias === 1) y.set(u.subarray(h * k, h * k + h))
        else y.fill(0)
        for (let s = rows.starts[i]!; s < rows.starts[i + 1]!; s++) {
          const x = rows.values[s]!
          const from = rows.columns[s]! * h
          for (let a = 0; a < h; a++) y[a]! += x * columns[from + a]!
        }
        for (let at = i; at < N; at += n) {
          let sum = 0
          for (let a = 0; a < h; a++) sum += first[at * h + a]! * y[a]!
          for (let j = 0; j < e; j++) sum += rest[at * e + j]! * uRest[j]!
          z[at] = sum
        }
      }
      return z
    })
  }
}

/** The first layer's part of u, [h, k], as [k, h]. */
function transposed(u: Float64Array, h: number, k: number): Float64Array {
  const out = new Float64Array(h * k)
  for (let a = 0; a < h; a++) for (let j = 0; j < k; j++) out[j * h + a] = u[a * k + j]!
  return out
}

function compressed(
  data: Float64Array,
  { n, k, hidden }: { readonly n: number; readonly k: number; readonly hidden: ReadonlySet<number> },
): Rows {
  const starts = new Int32Array(n + 1)
  const columns: number[] = []
  const values: number[] = []
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < k; j++) {
      const x = data[i * k + j]!
      if (x === 0 || hidden.has(j)) continue
      columns.push(j)
      values.push(x)
    }
    starts[i + 1] = columns.length
  }
  return { starts, columns: Int32Array.from(columns), values: Float64Array.from(values) }
}
