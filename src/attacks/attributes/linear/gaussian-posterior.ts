/** A Gaussian whose precision is a Gram matrix and something more for each record: its mean, and every record's covariance. */
import { OverhearError } from '../../../errors.js'
import { engine } from '../../../numeric/engine/engine.js'

export interface Gaussian {
  /** Undefined when the precision is far from positive definite. */
  solve(added: Added): Solution | undefined
  /** Q x. */
  times(x: Float64Array): Float64Array
  release(): void
}

/** The precision is Q / dispersion + what is added to each record's block, m by m numbers a record. */
export interface Added {
  readonly dispersion: number
  readonly blocks: Float64Array
  readonly rhs: Float64Array
}

export interface Solution {
  readonly mean: Float64Array
  /** Each record's covariance, m by m numbers a record. */
  readonly blocks: Float64Array
  /** rhs^T mean. */
  readonly square: number
}

/** Shares of the largest entry that the diagonal is raised by when rounding has cost a matrix its last positive pivots. */
const [leastRaise, mostRaise] = [1e-15, 1e-6]

/** Q [N, N] in kernel memory; unknown a n + i is value a + 1 of record i. */
export function gaussianOf(Q: Float64Array, n: number): Gaussian {
  const host = engine()
  const { dense, f64 } = host
  const N = Math.round(Math.sqrt(Q.length))
  const m = n === 0 ? 0 : N / n
  const bad = Q.findIndex((x) => x - x !== 0)
  if (bad >= 0) throw new OverhearError('E_NON_FINITE', `Q[${Math.floor(bad / N)}, ${bad % N}] is ${Q[bad]}`)
  const buffers = [N * N, N * N, N * N, 96 * N, N, N].map((doubles) => host.allocate(8 * doubles))
  const [q, A, X, work, vector, out] = buffers.map(({ address }) => address) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  host.view('f64', q, N * N).set(Q)
  const assembled = ({ dispersion, blocks }: Added, raise: number): void => {
    dense.divideInto(A, q, N * N, dispersion)
    const view = host.view('f64', A, N * N)
    for (let i = 0; i < n; i++)
      for (let a = 0; a < m; a++)
        for (let c = 0; c < m; c++) view[(a * n + i) * N + c * n + i]! += blocks[(i * m + a) * m + c]!
    let largest = 1e-300
    for (let c = 0; c < N; c++) largest = Math.max(largest, view[c * N + c]!)
    if (raise > 0) for (let c = 0; c < N; c++) view[c * N + c]! += raise * largest
  }
  const factored = (added: Added): boolean => {
    for (let raise = 0; raise <= mostRaise * 1.001; raise = raise === 0 ? leastRaise : raise * 10) {
      assembled(added, raise)
      if (dense.factorCholesky(A, N) < 0) return true
    }
    return false
  }
  return {
    solve(added) {
      if (!factored(added)) return undefined
      dense.invertLower(X, A, N, work)
      host.view('f64', vector, N).set(added.rhs)
      const square = dense.throughInverse(out, X, N, vector)
      const mean = Float64Array.from(host.view('f64', out, N))
      const blocks = new Float64Array(n * m * m)
      for (let a = 0; a < m; a++) {
        for (let c = 0; c <= a; c++) {
          dense.columnProducts(out, X, N, a * n, c * n, n)
          const view = host.view('f64', out, n)
          for (let i = 0; i < n; i++) blocks[(i * m + a) * m + c] = blocks[(i * m + c) * m + a] = view[i]!
        }
      }
      return { mean, blocks, square }
    },
    times(x) {
      host.view('f64', vector, N).set(x)
      f64.gemv(out, q, vector, N, N)
      return Float64Array.from(host.view('f64', out, N))
    },
    release: () => buffers.splice(0).forEach(host.release),
  }
}

/** The same number for each unknown, or one for each, as blocks. */
export function diagonalBlocks(of: (unknown: number) => number, n: number, m: number): Float64Array {
  const blocks = new Float64Array(n * m * m)
  for (let i = 0; i < n; i++) for (let a = 0; a < m; a++) blocks[(i * m + a) * m + a] = of(a * n + i)
  return blocks
}

/** The variance of every unknown when the precision is Q and `added` on its diagonal. */
export function variancesOf(Q: Float64Array, n: number, added: (unknown: number) => number): Float64Array | undefined {
  const N = Math.round(Math.sqrt(Q.length))
  const m = n === 0 ? 0 : N / n
  const gaussian = gaussianOf(Q, n)
  const solved = gaussian.solve({ dispersion: 1, blocks: diagonalBlocks(added, n, m), rhs: new Float64Array(N) })
  gaussian.release()
  if (solved === undefined) return undefined
  return Float64Array.from({ length: N }, (_, c) => {
    const [i, a] = [c % n, Math.floor(c / n)]
    return solved.blocks[(i * m + a) * m + a]!
  })
}
