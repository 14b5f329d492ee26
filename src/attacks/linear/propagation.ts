/** Probabilities of each record's values by expectation propagation: what a Gaussian likelihood over all records leaves open. */
import { exp } from '../../numeric/scalar.js'
import { steadyInverse } from './steady-inverse.js'

/** exp(-1/2 p^T Q p + b^T p) times, for each record, a prior over the corners of its simplex. */
export interface Propagated {
  readonly Q: Float64Array // [N, N]
  readonly b: Float64Array
  readonly records: number
  /** [values][records]: log prior weights of each value, value 0 included. */
  readonly logPrior: readonly Float64Array[]
}

export interface Propagation {
  /** [values][records] */
  readonly shares: readonly Float64Array[]
  /** To start another run from, when little has changed. */
  readonly sites: readonly Site[]
  readonly sweeps: number
  readonly settled: boolean
}

const mostSweeps = 30
const damping = 0.6
const tolerance = 2e-3
/** Least variance of a share that is as good as decided. */
const leastVariance = 1e-5

/**
 * Each record's prior is stood for by a Gaussian that gives the marginal the right mean and covariance once the others'
 * Gaussians are in place; repeated until nothing moves. Shares of value v > 0 are the unknowns, as elsewhere.
 */
export function propagate({ Q, b, records: n, logPrior }: Propagated, start?: readonly Site[]): Propagation {
  const N = b.length
  const m = N / n
  const sites = start?.slice() ?? Array.from({ length: n }, (_, i) => moments(softmaxOf(logPrior, i)))
  let shares = logPrior.map((_, v) => Float64Array.from({ length: n }, (_, i) => softmaxOf(logPrior, i)[v]!))
  let sweeps = 0
  let moved = Number.POSITIVE_INFINITY
  while (sweeps < mostSweeps && moved > tolerance) {
    const joint = gaussian(Q, b, sites, n)
    if (joint === undefined) return { shares, sites, sweeps, settled: false }
    const { blocks, mean } = joint
    moved = 0
    const next = shares.map((one) => one.slice())
    for (let i = 0; i < n; i++) {
      const own = Array.from({ length: m }, (_, v) => v * n + i)
      const precision = inverse(blocks[i]!)
      const natural = times(
        precision,
        own.map((a) => mean[a]!),
      )
      const site = sites[i]!
      // The cavity: everything but this record's own site.
      const P = precision.map((row, a) => row.map((x, c) => x - site.P[a]![c]!))
      const h = natural.map((x, a) => x - site.h[a]!)
      if (P.some((row, a) => !(row[a]! > 0))) continue
      const score = logPrior.map((prior, v) => prior[i]! + (v === 0 ? 0 : h[v - 1]! - P[v - 1]![v - 1]! / 2))
      const q = softmax(score)
      for (let v = 0; v <= m; v++) {
        moved = Math.max(moved, Math.abs(q[v]! - shares[v]![i]!))
        next[v]![i] = q[v]!
      }
      const target = moments(q)
      const wanted = {
        P: target.P.map((row, a) => row.map((x, c) => x - P[a]![c]!)),
        h: target.h.map((x, a) => x - h[a]!),
      }
      sites[i] = blend(site, wanted)
    }
    shares = next
    sweeps++
  }
  return { shares, sites, sweeps, settled: moved <= tolerance }
}

/** What stands for one record's prior: exp(-1/2 p^T P p + h^T p). */
export interface Site {
  readonly P: readonly (readonly number[])[]
  readonly h: readonly number[]
}

function gaussian(Q: Float64Array, b: Float64Array, sites: readonly Site[], n: number) {
  const N = b.length
  const m = N / n
  const A = Q.slice()
  const rhs = b.slice()
  for (const [i, { P, h }] of sites.entries()) {
    for (let a = 0; a < m; a++) {
      rhs[a * n + i]! += h[a]!
      for (let c = 0; c < m; c++) A[(a * n + i) * N + c * n + i]! += P[a]![c]!
    }
  }
  const X = steadyInverse(A, N) // the covariance is X^T X
  if (X === undefined) return undefined // sites may take more away than the messages gave
  const blocks = Array.from({ length: n }, () => Array.from({ length: m }, () => new Array<number>(m).fill(0)))
  const half = new Float64Array(N)
  for (let k = 0; k < N; k++) {
    let sum = 0
    for (let c = 0; c <= k; c++) sum += X[k * N + c]! * rhs[c]!
    half[k] = sum
    for (let a = 0; a < m; a++)
      for (let c = 0; c < m; c++)
        for (let i = 0; i < n; i++) blocks[i]![a]![c]! += X[k * N + a * n + i]! * X[k * N + c * n + i]!
  }
  const mean = new Float64Array(N)
  for (let k = 0; k < N; k++) for (let c = 0; c <= k; c++) mean[c]! += X[k * N + c]! * half[k]!
  return { blocks, mean }
}

/** A Gaussian with the mean and covariance of a draw among the values, in natural parameters. */
function moments(q: readonly number[]): Site {
  const m = q.length - 1
  // The inverse of diag(q) - q q^T over values 1 .. m is diag(1/q) + 1/q_0.
  const floor = leastVariance
  const safe = q.map((x) => Math.max(x, floor))
  const P = Array.from({ length: m }, (_, a) =>
    Array.from({ length: m }, (_, c) => (a === c ? 1 / safe[a + 1]! : 0) + 1 / safe[0]!),
  )
  return { P, h: times(P, q.slice(1)) }
}

/** A step towards what is wanted; precision that would turn negative stays at none. */
function blend(now: Site, wanted: Site): Site {
  const mix = (a: number, c: number): number => (1 - damping) * a + damping * c
  const P = now.P.map((row, a) => row.map((x, c) => mix(x, wanted.P[a]![c]!)))
  const h = now.h.map((x, a) => mix(x, wanted.h[a]!))
  const sound = P.every((row, a) => row[a]! > 0)
  return sound ? { P, h } : now
}

function softmaxOf(logPrior: readonly Float64Array[], i: number): number[] {
  return softmax(logPrior.map((one) => one[i]!))
}

function softmax(scores: readonly number[]): number[] {
  const high = Math.max(...scores)
  const terms = scores.map((x) => exp(x - high))
  const sum = terms.reduce((total, x) => total + x, 0)
  return terms.map((x) => x / sum)
}

function times(A: readonly (readonly number[])[], x: readonly number[]): number[] {
  return A.map((row) => row.reduce((sum, a, j) => sum + a * x[j]!, 0))
}

/** Of a small matrix, by elimination with row exchanges. */
function inverse(A: readonly (readonly number[])[]): number[][] {
  const m = A.length
  if (m === 1) return [[1 / A[0]![0]!]]
  const rows = A.map((row, i) => [...row, ...row.map((_, j) => Number(i === j))])
  for (let c = 0; c < m; c++) {
    let top = c
    for (let r = c + 1; r < m; r++) if (Math.abs(rows[r]![c]!) > Math.abs(rows[top]![c]!)) top = r
    ;[rows[c], rows[top]] = [rows[top]!, rows[c]!]
    const pivot = rows[c]![c]!
    for (let j = 0; j < 2 * m; j++) rows[c]![j]! /= pivot
    for (let r = 0; r < m; r++) {
      if (r === c) continue
      const by = rows[r]![c]!
      for (let j = 0; j < 2 * m; j++) rows[r]![j]! -= by * rows[c]![j]!
    }
  }
  return rows.map((row) => row.slice(m))
}
