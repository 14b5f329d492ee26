/**
 * One hidden layer of rectifiers and one output: a unit's row of the gradient over its outgoing weight is the sum of
 * q_k = e_k (x_k, 1) over the records that it is active for, whichever unit it is. The rows are a matrix of zeros and ones
 * times the q: its columns are the only vectors of zeros and ones that the rows' columns span, and they are found by trial.
 */
import { leastSquares } from '../../numeric/linalg/least-squares.js'
import { type Matrix, matrix, rowOf, rowsOf, transpose } from '../../numeric/linalg/matrix.js'
import { qrPivoted } from '../../numeric/linalg/qr.js'

/** Trials double with every record. */
export const mostPatterns = 14
const near = 0.05 // a zero or a one
const mostChoices = 500

export interface Patterns {
  /** Records that units tell apart. */
  readonly rank: number
  /** One vector of zeros and ones a record, over the rows; empty where they were not found. */
  readonly choices: readonly (readonly Float64Array[])[]
}

/** All ways to read the rows as sums of `rank` vectors; usually one. `tolerance`: relative, for the rank. */
export function patternsIn(V: Matrix, tolerance: number): Patterns {
  const { permutation, rank } = qrPivoted(transpose(V), { tolerance })
  if (rank === 0 || rank > mostPatterns) return { rank, choices: [] }
  const pivots = permutation.slice(0, rank)
  // V = C times its pivot rows: a vector over the rows that their columns span is C times its entries there.
  const C = transpose(leastSquares(transpose(rowsOf(V, pivots)), transpose(V)).X) // [rows, rank]
  const found: Float64Array[] = []
  for (let bits = 1; bits < 1 << rank; bits++) {
    const s = spanned(C, bits)
    if (s !== undefined) found.push(s)
  }
  return { rank, choices: independentChoices(found, rank) }
}

/** Undefined as soon as an entry is neither 0 nor 1. */
function spanned({ rows, cols, data }: Matrix, bits: number): Float64Array | undefined {
  const s = new Float64Array(rows)
  for (let i = 0; i < rows; i++) {
    let sum = 0
    for (let k = 0; k < cols; k++) if ((bits >> k) & 1) sum += data[i * cols + k]!
    const whole = Math.round(sum)
    if ((whole !== 0 && whole !== 1) || Math.abs(sum - whole) > near) return undefined
    s[i] = whole
  }
  return s
}

/** Sets of so many of them; more than a few are not tried. */
function independentChoices(found: readonly Float64Array[], size: number): Float64Array[][] {
  let partial: Float64Array[][] = [[]]
  for (const [at, one] of found.entries()) {
    const left = found.length - at - 1
    const grown = partial.filter((set) => set.length < size).map((set) => [...set, one])
    partial = [...partial, ...grown].filter((set) => set.length + left >= size)
    if (partial.length > mostChoices) return []
  }
  return partial.filter((set) => set.length === size)
}

/** The sums taken apart: one row q_k a record; undefined where the patterns are not independent. */
export function partsOf(V: Matrix, patterns: readonly Float64Array[]): Matrix | undefined {
  const B = matrix(V.rows, patterns.length)
  for (const [k, s] of patterns.entries()) for (let i = 0; i < V.rows; i++) B.data[i * B.cols + k] = s[i]!
  const { X, rank } = leastSquares(B, V)
  return rank === patterns.length ? X : undefined
}

/** x_k and e_k of such a row. */
export function recordIn(Q: Matrix, k: number): { x: Float64Array; scale: number } {
  const q = rowOf(Q, k)
  const scale = q.at(-1)!
  return { x: q.slice(0, -1).map((v) => v / scale), scale }
}
