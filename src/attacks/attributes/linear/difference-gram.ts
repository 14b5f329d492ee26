/** Sums of D^T M D over rounds, formed by layers: (delta_i . delta_j)(x_i . x_j + 1) and so on, D itself never. */
import { compile, type Program } from '../../../numeric/engine/program.js'
import * as t from '../../../numeric/engine/trace.js'
import type { Differences } from './gradient-differences.js'
import type { Candidates } from './record-gradients.js'

export interface Gram {
  /** Adds weight (D^T D - sum_k left_k right_k^T), where left_k and right_k have one entry an unknown. */
  add(at: Differences, weight: number, taken?: readonly Taken[]): void
  /** [N, N], both triangles; starts again from zero. */
  take(): Float64Array
}

/** What a change of metric takes away: a product of two vectors over the unknowns. */
export interface Taken {
  readonly left: Float64Array
  readonly right: Float64Array
}

const block = 320

interface GramOptions {
  /** The columns in which the candidates differ. */
  readonly places: readonly number[]
  /** 1 when the first layer has a bias. */
  readonly bias: number
}

export function gramOf(candidates: Candidates, options: GramOptions): Gram {
  const { records: n, features } = candidates
  const N = n * (features.length - 1)
  const S = publicProducts(candidates, options)
  const programs = new Map<string, Program>()
  let Q: Float64Array | undefined
  return {
    add({ first, rest, h, e }, weight, taken = []) {
      Q ??= new Float64Array(N * N)
      const q = e + taken.length
      const left = withTaken(rest, taken, { N, e, side: 'left' })
      const right = withTaken(rest, taken, { N, e, side: 'right' })
      for (let a = 0; a < N; a += block) {
        for (let b = a; b < N; b += block) {
          const [rows, cols] = [Math.min(block, N - a), Math.min(block, N - b)]
          const program = blockProgram(programs, { rows, cols, h, q })
          program.set('A1', first.subarray(a * h, (a + rows) * h))
          program.set('B1', first.subarray(b * h, (b + cols) * h))
          program.set('A2', left.subarray(a * q, (a + rows) * q))
          program.set('B2', right.subarray(b * q, (b + cols) * q))
          program.set('S', cut(S, n, { a, b, rows, cols }))
          program.run()
          const out = program.read(0)
          for (let i = 0; i < rows; i++) {
            const at = (a + i) * N + b
            for (let j = 0; j < cols; j++) Q[at + j]! += weight * out[i * cols + j]!
          }
        }
      }
    },
    take() {
      const whole = Q ?? new Float64Array(N * N)
      for (let i = 0; i < N; i++) for (let j = 0; j < i; j++) whole[i * N + j] = whole[j * N + i]!
      Q = undefined
      return whole
    },
  }
}

/** x_i . x_j over the public columns, plus one for the bias: what multiplies delta_i . delta_j in the first layer. */
function publicProducts({ records: n, features }: Candidates, { places, bias }: GramOptions): Float64Array {
  const k = features[0]!.cols
  const shown = features[0]!.data.slice()
  for (let i = 0; i < n; i++) for (const place of places) shown[i * k + place] = 0
  const S = new Float64Array(n * n)
  for (let from = 0; from < n; from += block) {
    const rows = Math.min(block, n - from)
    const [A, B] = [t.input('A', { rows, cols: k }), t.input('B', { rows: n, cols: k })]
    const program = compile({ outputs: [t.offset(t.matmul(A, B, 'nt'), bias)], precision: 'f64' })
    program.set('A', shown.subarray(from * k, (from + rows) * k))
    program.set('B', shown)
    program.run()
    S.set(program.read(0), from * n)
  }
  return S
}

/** The rows of `rest` with one more column for each product to take away. */
function withTaken(
  rest: Float64Array,
  taken: readonly Taken[],
  { N, e, side }: { readonly N: number; readonly e: number; readonly side: 'left' | 'right' },
): Float64Array {
  if (taken.length === 0) return rest
  const q = e + taken.length
  const out = new Float64Array(N * q)
  const sign = side === 'left' ? -1 : 1
  for (let i = 0; i < N; i++) {
    out.set(rest.subarray(i * e, (i + 1) * e), i * q)
    for (let k = 0; k < taken.length; k++) out[i * q + e + k] = sign * taken[k]![side][i]!
  }
  return out
}

interface Cut {
  readonly a: number
  readonly b: number
  readonly rows: number
  readonly cols: number
}

/** S for the records behind a block of unknowns. */
function cut(S: Float64Array, n: number, { a, b, rows, cols }: Cut): Float64Array {
  const out = new Float64Array(rows * cols)
  for (let i = 0; i < rows; i++) {
    const from = ((a + i) % n) * n
    for (let j = 0; j < cols; j++) out[i * cols + j] = S[from + ((b + j) % n)]!
  }
  return out
}

function blockProgram(
  programs: Map<string, Program>,
  { rows, cols, h, q }: { readonly rows: number; readonly cols: number; readonly h: number; readonly q: number },
): Program {
  const key = `${rows} ${cols} ${q}`
  let program = programs.get(key)
  if (program === undefined) {
    const [A1, B1] = [t.input('A1', { rows, cols: h }), t.input('B1', { rows: cols, cols: h })]
    const [A2, B2] = [t.input('A2', { rows, cols: q }), t.input('B2', { rows: cols, cols: q })]
    const S = t.input('S', { rows, cols })
    const out = t.add(t.mul(t.matmul(A1, B1, 'nt'), S), t.matmul(A2, B2, 'nt'))
    program = compile({ outputs: [out], precision: 'f64' })
    programs.set(key, program)
  }
  return program
}
