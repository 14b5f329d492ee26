/** A Gaussian whose precision is a Gram matrix and something more for each record: its mean, and every record's covariance. */
import { OverhearError } from '../../../errors.js'
import { engine } from '../../../numeric/engine/engine.js'
import { inverse } from './small-inverse.js'

export interface Gaussian {
  /** Undefined when the precision is far from positive definite. */
  solve(added: Added): Solution | undefined
  /**
   * The same where most records are as good as decided: the others' Gaussian with those at their means, and for each of
   * those what the others and its own addition leave of it, one step from where it was.
   */
  solveOpen(added: Added, pinned: Pinned): Solution | undefined
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

export interface Pinned {
  /** Records that are open. */
  readonly open: readonly number[]
  /** Means of all unknowns, as they were. */
  readonly mean: Float64Array
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
  /** Puts Q / dispersion over the records into A, or a part of it. */
  const place = (dispersion: number, records: readonly number[] | undefined): void => {
    if (records === undefined) {
      dense.divideInto(A, q, N * N, dispersion)
      return
    }
    const size = records.length
    const view = host.view('f64', A, size * m * size * m)
    for (let u = 0; u < size * m; u++) {
      const row = unknownAt(records, u, n) * N
      for (let w = 0; w <= u; w++) view[u * size * m + w] = Q[row + unknownAt(records, w, n)]! / dispersion
    }
  }
  /** The factor of the precision of some records, or of all, is left in A and its inverse in X. */
  const inverted = ({ dispersion, blocks }: Added, records?: readonly number[]): boolean => {
    const size = records?.length ?? n
    const U = size * m
    for (let raise = 0; raise <= mostRaise * 1.001; raise = raise === 0 ? leastRaise : raise * 10) {
      place(dispersion, records)
      const view = host.view('f64', A, U * U)
      for (let k = 0; k < size; k++) {
        const i = records?.[k] ?? k
        for (let a = 0; a < m; a++)
          for (let c = 0; c < m; c++) view[(a * size + k) * U + c * size + k]! += blocks[(i * m + a) * m + c]!
      }
      let largest = 1e-300
      for (let c = 0; c < U; c++) largest = Math.max(largest, view[c * U + c]!)
      if (raise > 0) for (let c = 0; c < U; c++) view[c * U + c]! += raise * largest
      if (dense.factorCholesky(A, U) >= 0) continue
      dense.invertLower(X, A, U, work)
      return true
    }
    return false
  }
  /** From what is in X, for some records or for all: means, and covariances into `blocks`. */
  const solved = (rhs: Float64Array, blocks: Float64Array, records?: readonly number[]) => {
    const size = records?.length ?? n
    const U = size * m
    host.view('f64', vector, U).set(rhs)
    const square = dense.throughInverse(out, X, U, vector)
    const mean = Float64Array.from(host.view('f64', out, U))
    for (let a = 0; a < m; a++) {
      for (let c = 0; c <= a; c++) {
        dense.columnProducts(out, X, U, a * size, c * size, size)
        const view = host.view('f64', out, size)
        for (let k = 0; k < size; k++) {
          const at = (records?.[k] ?? k) * m
          blocks[(at + a) * m + c] = blocks[(at + c) * m + a] = view[k]!
        }
      }
    }
    return { mean, square }
  }
  const times = (x: Float64Array): Float64Array => {
    host.view('f64', vector, N).set(x)
    f64.gemv(out, q, vector, N, N)
    return Float64Array.from(host.view('f64', out, N))
  }
  /** L^-1 Q_US / dispersion, [U, S], over open unknowns and pinned ones. */
  const throughOpen = (pinned: readonly number[], of: { open: readonly number[]; dispersion: number }) => {
    const [U, S] = [of.open.length * m, pinned.length * m]
    const view = host.view('f64', A, U * S)
    for (let u = 0; u < U; u++) {
      const row = unknownAt(of.open, u, n) * N
      for (let w = 0; w < S; w++) view[u * S + w] = Q[row + unknownAt(pinned, w, n)]! / of.dispersion
    }
    const to = A + 8 * U * S
    f64.gemm(to, X, A, U, S, U, U, 1, S, 1, 0, 0, 0)
    return host.view('f64', to, U * S)
  }
  return {
    times,
    solve(added) {
      if (!inverted(added)) return undefined
      const blocks = new Float64Array(n * m * m)
      return { ...solved(added.rhs, blocks), blocks }
    },
    solveOpen(added, { open, mean: before }) {
      if (!inverted(added, open)) return undefined
      const { dispersion, rhs } = added
      const U = open.length * m
      const mean = before.slice()
      for (let u = 0; u < U; u++) mean[unknownAt(open, u, n)] = 0
      const fromPinned = times(mean)
      const blocks = new Float64Array(n * m * m)
      const own = Float64Array.from({ length: U }, (_, u) => {
        const c = unknownAt(open, u, n)
        return rhs[c]! - fromPinned[c]! / dispersion
      })
      const { mean: found, square } = solved(own, blocks, open)
      for (let u = 0; u < U; u++) mean[unknownAt(open, u, n)] = found[u]!
      const image = times(mean)
      const among = new Set(open)
      const pinned = Array.from({ length: n }, (_, i) => i).filter((i) => !among.has(i))
      const Y = throughOpen(pinned, { open, dispersion })
      const S = pinned.length * m
      for (const [k, i] of pinned.entries()) {
        // What the others leave of record i: the cavity, C p^2 / 2 - ..., and its own addition on top.
        const C = new Float64Array(m * m)
        for (let a = 0; a < m; a++) {
          for (let c = 0; c < m; c++) {
            let sum = Q[(a * n + i) * N + c * n + i]! / dispersion
            const [ya, yc] = [a * pinned.length + k, c * pinned.length + k]
            for (let u = 0; u < U; u++) sum -= Y[u * S + ya]! * Y[u * S + yc]!
            C[a * m + c] = sum
          }
        }
        const linear = Float64Array.from({ length: m }, (_, a) => {
          const at = a * n + i
          let sum = rhs[at]! - image[at]! / dispersion
          for (let c = 0; c < m; c++) sum += C[a * m + c]! * before[c * n + i]!
          return sum
        })
        const covariance = inverse(
          C.map((x, at) => x + added.blocks[i * m * m + at]!),
          m,
        )
        blocks.set(covariance, i * m * m)
        for (let a = 0; a < m; a++) {
          let sum = 0
          for (let c = 0; c < m; c++) sum += covariance[a * m + c]! * linear[c]!
          mean[a * n + i] = sum
        }
      }
      return { mean, blocks, square }
    },
    release: () => buffers.splice(0).forEach(host.release),
  }
}

/** Among the unknowns of some records, value after value: the u-th among all. */
const unknownAt = (records: readonly number[], u: number, n: number): number =>
  Math.floor(u / records.length) * n + records[u % records.length]!

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
