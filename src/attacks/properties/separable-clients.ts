/** Which clients the sums can tell apart at all, whatever they hold: a question about the participation matrix alone. */
import { symmetricEigen } from '../../numeric/linalg/eigen.js'
import { matrix } from '../../numeric/linalg/matrix.js'
import type { SparseMatrix } from '../../numeric/linalg/sparse.js'

export interface Separability {
  /** Rank of A; null where only equal columns were looked for. */
  readonly rank: number | null
  /** Columns that no combination of sums isolates. */
  readonly inseparable: readonly number[]
  /** Columns that are in the same rounds with weights in one proportion: of these only a total can be learned. */
  readonly together: readonly (readonly number[])[]
}

/** Above this many clients the null space is not computed, only equal columns are found. */
const mostClients = 600

/** e_i is isolated by some combination of rows exactly if it has no part in the null space of A. */
export function separability(A: SparseMatrix): Separability {
  const together = equalColumns(A)
  if (A.cols > mostClients) {
    return { rank: null, inseparable: together.flat().sort((i, j) => i - j), together }
  }
  const { values, vectors } = symmetricEigen(normalMatrix(A))
  const N = A.cols
  const largest = Math.max(...values, 0)
  const isNull = (value: number): boolean => !(value > N * largest * 1e-13)
  const inNull = new Float64Array(N)
  for (let k = 0; k < N; k++) {
    if (!isNull(values[k]!)) continue
    for (let i = 0; i < N; i++) inNull[i]! += vectors.data[i * N + k]! * vectors.data[i * N + k]!
  }
  return {
    rank: values.filter((value) => !isNull(value)).length,
    inseparable: Array.from(inNull.keys()).filter((i) => inNull[i]! > 1e-9),
    together,
  }
}

/** AᵀA */
function normalMatrix({ rows, cols, rowStart, column, value }: SparseMatrix) {
  const N = matrix(cols, cols)
  for (let r = 0; r < rows; r++) {
    for (let p = rowStart[r]!; p < rowStart[r + 1]!; p++) {
      for (let q = rowStart[r]!; q < rowStart[r + 1]!; q++) {
        N.data[column[p]! * cols + column[q]!]! += value[p]! * value[q]!
      }
    }
  }
  return N
}

/** Groups of two and more columns that differ by a factor only. */
export function equalColumns({ rows, cols, rowStart, column, value }: SparseMatrix): number[][] {
  const first = new Float64Array(cols)
  const keys: string[][] = Array.from({ length: cols }, () => [])
  for (let r = 0; r < rows; r++) {
    for (let p = rowStart[r]!; p < rowStart[r + 1]!; p++) {
      const i = column[p]!
      if (first[i] === 0) first[i] = value[p]!
      keys[i]!.push(`${r}:${(value[p]! / first[i]!).toFixed(9)}`)
    }
  }
  const groups = new Map<string, number[]>()
  for (const [i, key] of keys.entries()) groups.set(key.join(), [...(groups.get(key.join()) ?? []), i])
  return [...groups.values()].filter((group) => group.length > 1)
}
