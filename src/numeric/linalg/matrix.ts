/** A dense matrix of doubles, row-major, and the handful of operations that need no kernel. */
import { OverhearError } from '../../errors.js'

export interface Matrix {
  readonly rows: number
  readonly cols: number
  readonly data: Float64Array // [rows, cols] row-major
}

export function matrix(rows: number, cols: number, data: Float64Array = new Float64Array(rows * cols)): Matrix {
  if (data.length !== rows * cols) {
    throw new OverhearError(
      'E_SHAPE',
      `a ${rows} x ${cols} matrix was given ${data.length} values`,
      `it needs ${rows * cols}`,
    )
  }
  return { rows, cols, data }
}

export function matrixOf(rows: readonly (readonly number[])[]): Matrix {
  const cols = rows[0]?.length ?? 0
  const odd = rows.findIndex((row) => row.length !== cols)
  if (odd >= 0) throw new OverhearError('E_SHAPE', `row ${odd} has ${rows[odd]!.length} values, row 0 has ${cols}`)
  return matrix(rows.length, cols, Float64Array.from(rows.flat()))
}

export function identity(n: number): Matrix {
  const I = matrix(n, n)
  for (let i = 0; i < n; i++) I.data[i * n + i] = 1
  return I
}

/** Row i; the values are shared. */
export function rowOf({ cols, data }: Matrix, i: number): Float64Array {
  return data.subarray(i * cols, (i + 1) * cols)
}

/** The chosen rows, in the order given. */
export function rowsOf(A: Matrix, chosen: ArrayLike<number>): Matrix {
  const out = matrix(chosen.length, A.cols)
  for (let i = 0; i < chosen.length; i++) out.data.set(rowOf(A, chosen[i]!), i * A.cols)
  return out
}

/** Values that lie record by record, one to a record or several, as the rows of a matrix; the values are shared. */
export function perRecord(values: Float64Array, records: number): Matrix {
  return matrix(records, records === 0 ? 0 : Math.floor(values.length / records), values)
}

/** A copy of column j. */
export function columnAt({ rows, cols, data }: Matrix, j: number): Float64Array {
  const values = new Float64Array(rows)
  for (let i = 0; i < rows; i++) values[i] = data[i * cols + j]!
  return values
}

/** The chosen columns, in the order given. */
export function columnsOf(A: Matrix, chosen: ArrayLike<number>): Matrix {
  const out = matrix(A.rows, chosen.length)
  for (let i = 0; i < A.rows; i++) {
    for (let j = 0; j < chosen.length; j++) out.data[i * chosen.length + j] = A.data[i * A.cols + chosen[j]!]!
  }
  return out
}

export function transpose(A: Matrix): Matrix {
  const { rows: m, cols: n } = A
  const T = matrix(n, m)
  for (let i = 0; i < m; i++) for (let j = 0; j < n; j++) T.data[j * m + i] = A.data[i * n + j]!
  return T
}

export function multiply(A: Matrix, B: Matrix): Matrix {
  if (A.cols !== B.rows) {
    throw new OverhearError(
      'E_SHAPE',
      `cannot multiply ${A.rows} x ${A.cols} by ${B.rows} x ${B.cols}`,
      'inner sizes must agree',
    )
  }
  const { rows: m, cols: k } = A
  const n = B.cols
  const C = matrix(m, n)
  for (let i = 0; i < m; i++) {
    for (let p = 0; p < k; p++) {
      const a = A.data[i * k + p]!
      for (let j = 0; j < n; j++) C.data[i * n + j]! += a * B.data[p * n + j]!
    }
  }
  return C
}
