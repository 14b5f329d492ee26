/** Probabilities of each record's values by expectation propagation: what a Gaussian likelihood over all records leaves open. */
import { exp } from '../../../numeric/special/elementary-functions.js'
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
  readonly sweeps: number
  readonly settled: boolean
  /** How many times larger squared errors are than Q says, at least 1: what makes data and posterior agree. */
  readonly dispersion: number
}

/** Sweeps at most, of few unknowns and of many: each costs the cube of their number. */
const [mostSweeps, fewSweeps, many] = [60, 25, 1000]
const damping = 0.5
const tolerance = 5e-3
/** Errors are taken for so many times their size at first: records that are sure even then lead the others. */
const warmest = 30
/** Sweeps before the dispersion is fitted, and by how much a sweep may change it. */
const [warmSweeps, cooling, heating] = [3, 0.7, 1.4]
/** Least variance of a share that is as good as decided. */
const leastVariance = 1e-5

/**
 * Each record's prior is stood for by a Gaussian that gives the marginal the right mean and covariance once the others'
 * Gaussians are in place; repeated until nothing moves. Shares of value v > 0 are the unknowns, as elsewhere. All sites
 * move at once, which overshoots where the likelihood is sharp: it is warmed first and cools as far as its own misfit
 * allows (the dispersion, by expectation maximisation).
 */
export function propagate({ Q, b, records: n, logPrior }: Propagated): Propagation {
  const N = b.length
  const sites = Array.from({ length: n }, (_, i) => moments(softmaxOf(logPrior, i)))
  let shares = logPrior.map((_, v) => Float64Array.from({ length: n }, (_, i) => softmaxOf(logPrior, i)[v]!))
  const misfit = misfitIn(Q, b)
  let dispersion = misfit === undefined ? 1 : warmest
  const most = N > many ? fewSweeps : mostSweeps
  let sweeps = 0
  let moved = Number.POSITIVE_INFINITY
  let steady = misfit === undefined
  while (sweeps < most && (moved > tolerance || !steady)) {
    const joint = gaussian(Q, b, { sites, n, dispersion })
    if (joint === undefined) return { shares, sweeps, settled: false, dispersion }
    const next = shares.map((one) => one.slice())
    moved = 0
    for (let i = 0; i < n; i++) {
      const q = updated(sites, i, { joint, logPrior, n })
      if (q === undefined) continue
      for (const [v, share] of q.entries()) {
        moved = Math.max(moved, Math.abs(share - shares[v]![i]!))
        next[v]![i] = share
      }
    }
    shares = next
    sweeps++
    if (misfit === undefined || sweeps <= warmSweeps) continue
    const fitted = Math.max(1, misfit(joint, dispersion))
    const step = fitted / dispersion
    const by = Math.min(heating, Math.max(cooling, step * step)) // twice the way: the steps of the method shrink slowly
    steady = by > 0.95 && by < 1.05
    dispersion = Math.max(1, dispersion * by)
  }
  return { shares, sweeps, settled: moved <= tolerance, dispersion }
}

interface Joint {
  readonly blocks: readonly (readonly (readonly number[])[])[]
  readonly mean: Float64Array
  /** tr(Q covariance): unknowns that the likelihood and not the sites decide. */
  readonly free: number
}

/** Of E (p - x)^T Q (p - x) over the rank of Q, where x solves Q x = b: 1 if errors are as large as Q says. */
function misfitIn(Q: Float64Array, b: Float64Array) {
  const N = b.length
  let ridge = 0
  for (let i = 0; i < N; i++) ridge += (1e-9 * Q[i * N + i]!) / N
  const A = Q.slice()
  for (let i = 0; i < N; i++) A[i * N + i]! += ridge
  const X = ridge > 0 ? steadyInverse(A, N) : undefined
  if (X === undefined) return undefined
  let [least, trace] = [0, 0] // b^T Q^-1 b and tr Q^-1
  for (let k = 0; k < N; k++) {
    let sum = 0
    for (let c = 0; c <= k; c++) {
      sum += X[k * N + c]! * b[c]!
      trace += X[k * N + c]! * X[k * N + c]!
    }
    least += sum * sum
  }
  const rank = N - ridge * trace
  if (!(rank > 1)) return undefined
  return ({ mean, free }: Joint, dispersion: number): number => {
    let square = least
    for (let i = 0; i < N; i++) {
      let sum = -2 * b[i]!
      for (let j = 0; j < N; j++) sum += Q[i * N + j]! * mean[j]!
      square += mean[i]! * sum
    }
    return (Math.max(0, square) + dispersion * free) / rank
  }
}

/** Moves record i's site towards what its prior asks for; its shares, unless the others leave it no proper Gaussian. */
function updated(
  sites: Site[],
  i: number,
  { joint, logPrior, n }: { readonly joint: Joint; readonly logPrior: readonly Float64Array[]; readonly n: number },
): number[] | undefined {
  const block = joint.blocks[i]!
  const precision = inverse(block)
  const natural = times(
    precision,
    block.map((_, v) => joint.mean[v * n + i]!),
  )
  const site = sites[i]!
  // The cavity: everything but this record's own site.
  const P = precision.map((row, a) => row.map((x, c) => x - site.P[a]![c]!))
  const h = natural.map((x, a) => x - site.h[a]!)
  if (!positive(P)) return undefined
  const q = softmax(logPrior.map((prior, v) => prior[i]! + (v === 0 ? 0 : h[v - 1]! - P[v - 1]![v - 1]! / 2)))
  const target = moments(q)
  const wanted = {
    P: target.P.map((row, a) => row.map((x, c) => x - P[a]![c]!)),
    h: target.h.map((x, a) => x - h[a]!),
  }
  sites[i] = blend(site, wanted)
  return q
}

/** What stands for one record's prior: exp(-1/2 p^T P p + h^T p). */
interface Site {
  readonly P: readonly (readonly number[])[]
  readonly h: readonly number[]
}

function gaussian(
  Q: Float64Array,
  b: Float64Array,
  { sites, n, dispersion }: { readonly sites: readonly Site[]; readonly n: number; readonly dispersion: number },
): Joint | undefined {
  const N = b.length
  const m = N / n
  const A = Q.map((x) => x / dispersion)
  const rhs = b.map((x) => x / dispersion)
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
  let free = N
  for (const [i, { P }] of sites.entries())
    for (let a = 0; a < m; a++) for (let c = 0; c < m; c++) free -= P[a]![c]! * blocks[i]![c]![a]!
  return { blocks, mean, free: Math.max(0, free) }
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

/** A step towards what is wanted; a precision that would not be positive stays as it was. */
function blend(now: Site, wanted: Site): Site {
  const mix = (a: number, c: number): number => (1 - damping) * a + damping * c
  const P = now.P.map((row, a) => row.map((x, c) => mix(x, wanted.P[a]![c]!)))
  const h = now.h.map((x, a) => mix(x, wanted.h[a]!))
  return positive(P) ? { P, h } : now
}

/** Whether a small symmetric matrix is positive definite, by its pivots. */
function positive(A: readonly (readonly number[])[]): boolean {
  const rows = A.map((row) => [...row])
  for (let c = 0; c < rows.length; c++) {
    const pivot = rows[c]![c]!
    if (!(pivot > 1e-12 * A[c]![c]!)) return false
    for (let r = c + 1; r < rows.length; r++) {
      const by = rows[r]![c]! / pivot
      for (let j = c; j < rows.length; j++) rows[r]![j]! -= by * rows[c]![j]!
    }
  }
  return true
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
