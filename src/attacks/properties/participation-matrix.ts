/** The participation matrix A seen by rounds and by clients. */
import type { SparseMatrix } from '../../numeric/linalg/sparse.js'

/** Sum of A's entries by row: the participants of a round, by weight. */
export function rowSums({ rows, rowStart, value }: SparseMatrix): Float64Array {
  const sums = new Float64Array(rows)
  for (let r = 0; r < rows; r++) for (let p = rowStart[r]!; p < rowStart[r + 1]!; p++) sums[r]! += value[p]!
  return sums
}

/** Row r times by[r]. */
export function scaledRows(A: SparseMatrix, by: Float64Array): SparseMatrix {
  const value = A.value.slice()
  for (let r = 0; r < A.rows; r++) for (let p = A.rowStart[r]!; p < A.rowStart[r + 1]!; p++) value[p]! *= by[r]!
  return { ...A, value }
}

export function firstRows(A: SparseMatrix, k: number): SparseMatrix {
  const end = A.rowStart[k]!
  return {
    rows: k,
    cols: A.cols,
    rowStart: A.rowStart.slice(0, k + 1),
    column: A.column.slice(0, end),
    value: A.value.slice(0, end),
  }
}

/** The same entries client by client: those of i lie from start[i] to start[i + 1], rounds rising. */
export interface ByClient {
  readonly clients: number
  readonly rounds: number
  readonly start: Int32Array // N + 1
  readonly round: Int32Array
  readonly weight: Float64Array
}

export function byClient({ rows, cols, rowStart, column, value }: SparseMatrix): ByClient {
  const start = new Int32Array(cols + 1)
  for (const i of column) start[i + 1]!++
  for (let i = 0; i < cols; i++) start[i + 1]! += start[i]!
  const next = start.slice(0, cols)
  const round = new Int32Array(column.length)
  const weight = new Float64Array(column.length)
  for (let r = 0; r < rows; r++) {
    for (let p = rowStart[r]!; p < rowStart[r + 1]!; p++) {
      const at = next[column[p]!]!++
      round[at] = r
      weight[at] = value[p]!
    }
  }
  return { clients: cols, rounds: rows, start, round, weight }
}
