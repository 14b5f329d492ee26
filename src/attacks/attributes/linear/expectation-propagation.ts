/** Probabilities of each record's values by expectation propagation: what a Gaussian likelihood over all records leaves open. */
import { exp } from '../../../numeric/special/elementary-functions.js'
import { diagonalBlocks, type Gaussian, gaussianOf, type Pinned, type Solution } from './gaussian-posterior.js'
import { inverse } from './small-inverse.js'

/** exp(-1/2 p^T Q p + b^T p) times, for each record, a prior over the corners of its simplex. */
export interface Propagated {
  readonly Q: Float64Array // [N, N]
  readonly b: Float64Array
  readonly records: number
  /** [values][records]: log prior weights of each value, value 0 included. */
  readonly logPrior: readonly Float64Array[]
  /** Where a propagation of much the same ended: this one goes on from there and needs no warmth. */
  readonly from?: Ending | undefined
}

export interface Ending {
  readonly sites: Sites
  readonly shares: readonly Float64Array[]
  readonly joint: Joint | undefined
  readonly dispersion: number
}

export interface Propagation {
  /** [values][records] */
  readonly shares: readonly Float64Array[]
  readonly sweeps: number
  readonly settled: boolean
  /** How many times larger squared errors are than Q says, at least 1: what makes data and posterior agree. */
  readonly dispersion: number
  readonly ending: Ending
}

/** Sweeps at most, of few unknowns and of many: each costs the cube of their number. */
const [mostSweeps, fewSweeps, many] = [60, 25, 1000]
const damping = 0.5
const tolerance = 5e-3
/** Errors are taken for so many times their size at first: records that are sure even then lead the others. */
const warmest = 30
/** Sweeps before the dispersion is fitted, and by how much a sweep may change it. */
const [warmSweeps, cooling, heating] = [3, 0.5, 1.4]
/** Least variance of a share that is as good as decided. */
const leastVariance = 1e-5
/** Share of a record's other values below which it is pinned, and the share of open records up to which that pays. */
const [decided, mostOpen] = [1e-6, 0.8]

/**
 * Each record's prior is stood for by a Gaussian that gives the marginal the right mean and covariance once the others'
 * Gaussians are in place; repeated until nothing moves. Shares of value v > 0 are the unknowns, as elsewhere. All sites
 * move at once, which overshoots where the likelihood is sharp: it is warmed first and cools as far as its own misfit
 * allows (the dispersion, by expectation maximisation).
 */
export function propagate({ Q, b, records: n, logPrior, from }: Propagated): Propagation {
  const N = b.length
  const K = logPrior.length
  const gaussian = gaussianOf(Q, n)
  const sites = from === undefined ? sitesOf(logPrior, n) : { P: from.sites.P.slice(), h: from.sites.h.slice() }
  const shares = logPrior.map((_, v) => from?.shares[v]?.slice() ?? new Float64Array(n))
  const q = new Float64Array(K)
  for (let i = 0; i < n && from === undefined; i++) {
    priorInto(q, logPrior, i)
    for (let v = 0; v < K; v++) shares[v]![i] = q[v]!
  }
  const misfit = misfitIn(gaussian, Q, { b, n })
  let dispersion = misfit === undefined ? 1 : Math.max(1, from?.dispersion ?? warmest)
  const most = N > many ? fewSweeps : mostSweeps
  let sweeps = 0
  let moved = Number.POSITIVE_INFINITY
  let steady = misfit === undefined
  let before = from?.joint
  while (sweeps < most && (moved > tolerance || !steady)) {
    const joint: Joint | undefined = jointOf(gaussian, b, { sites, n, dispersion, pinned: pinnedBy(shares, before) })
    if (joint === undefined) {
      gaussian.release()
      return { shares, sweeps, settled: false, dispersion, ending: { sites, shares, joint: before, dispersion } } // sites may take more away than the messages gave
    }
    before = joint
    moved = 0
    for (let i = 0; i < n; i++) {
      if (!updated(sites, i, { joint, logPrior, n, q })) continue
      for (let v = 0; v < K; v++) {
        moved = Math.max(moved, Math.abs(q[v]! - shares[v]![i]!))
        shares[v]![i] = q[v]!
      }
    }
    sweeps++
    if (misfit === undefined || (from === undefined && sweeps <= warmSweeps)) continue
    const fitted = Math.max(1, misfit(joint, dispersion))
    const step = fitted / dispersion
    const by = Math.min(heating, Math.max(cooling, step * step)) // twice the way: the steps of the method shrink slowly
    steady = by > 0.95 && by < 1.05
    dispersion = Math.max(1, dispersion * by)
  }
  gaussian.release()
  const ending = { sites, shares, joint: before, dispersion }
  return { shares, sweeps, settled: moved <= tolerance, dispersion, ending }
}

/** What stands for the records' priors: exp(-1/2 p^T P p + h^T p) each, m by m and m numbers a record. */
export interface Sites {
  readonly P: Float64Array
  readonly h: Float64Array
}

/** Puts a record of an ending where it has one value alone. */
export function decide({ sites, shares }: Pick<Ending, 'sites' | 'shares'>, i: number, value: number): void {
  const m = shares.length - 1
  for (const [v, one] of shares.entries()) one[i] = Number(v === value)
  const { P, h } = moments(Float64Array.from(shares, (one) => one[i]!))
  sites.P.set(P, i * m * m)
  sites.h.set(h, i * m)
}

export interface Joint extends Solution {
  /** tr(Q covariance): unknowns that the likelihood and not the sites decide. */
  readonly free: number
}

function sitesOf(logPrior: readonly Float64Array[], n: number): Sites {
  const m = logPrior.length - 1
  const sites = { P: new Float64Array(n * m * m), h: new Float64Array(n * m) }
  const q = new Float64Array(m + 1)
  for (let i = 0; i < n; i++) {
    priorInto(q, logPrior, i)
    const { P, h } = moments(q)
    sites.P.set(P, i * m * m)
    sites.h.set(h, i * m)
  }
  return sites
}

/** Of E (p - x)^T Q (p - x) over the rank of Q, where x solves Q x = b: 1 if errors are as large as Q says. */
function misfitIn(gaussian: Gaussian, Q: Float64Array, { b, n }: { readonly b: Float64Array; readonly n: number }) {
  const N = b.length
  const m = N / n
  let ridge = 0
  for (let i = 0; i < N; i++) ridge += (1e-9 * Q[i * N + i]!) / N
  if (!(ridge > 0)) return undefined
  const solved = gaussian.solve({ dispersion: 1, blocks: diagonalBlocks(() => ridge, n, m), rhs: b })
  if (solved === undefined) return undefined
  let trace = 0 // of Q^-1
  for (let i = 0; i < n; i++) for (let a = 0; a < m; a++) trace += solved.blocks[(i * m + a) * m + a]!
  const least = solved.square // b^T Q^-1 b
  const rank = N - ridge * trace
  if (!(rank > 1)) return undefined
  return ({ mean, free }: Joint, dispersion: number): number => {
    let square = least
    const image = gaussian.times(mean)
    for (let i = 0; i < N; i++) square += mean[i]! * (image[i]! - 2 * b[i]!)
    return (Math.max(0, square) + dispersion * free) / rank
  }
}

/** The records that are open if they are few: the others' shares are whole, and their means there. */
function pinnedBy(shares: readonly Float64Array[], joint: Joint | undefined): Pinned | undefined {
  if (joint === undefined) return undefined
  const [n, K] = [shares[0]!.length, shares.length]
  const open: number[] = []
  for (let i = 0; i < n; i++) {
    const v = shares.findIndex((one) => one[i]! >= 1 - decided)
    let away = v < 0 ? 1 : 0
    for (let u = 1; u < K; u++) away = Math.max(away, Math.abs(joint.mean[(u - 1) * n + i]! - Number(u === v)))
    if (away > 1e-3) open.push(i)
  }
  return open.length === 0 || open.length > mostOpen * n ? undefined : { open, mean: joint.mean }
}

interface State {
  readonly sites: Sites
  readonly n: number
  readonly dispersion: number
  readonly pinned: Pinned | undefined
}

function jointOf(gaussian: Gaussian, b: Float64Array, { sites, n, dispersion, pinned }: State): Joint | undefined {
  const N = b.length
  const m = N / n
  const rhs = b.map((x) => x / dispersion)
  for (let i = 0; i < n; i++) for (let a = 0; a < m; a++) rhs[a * n + i]! += sites.h[i * m + a]!
  const added = { dispersion, blocks: sites.P, rhs }
  const solved = pinned === undefined ? gaussian.solve(added) : gaussian.solveOpen(added, pinned)
  if (solved === undefined) return undefined
  let free = N
  for (let at = 0; at < sites.P.length; at++) free -= sites.P[at]! * solved.blocks[at]!
  return { ...solved, free: Math.max(0, free) }
}

interface Update {
  readonly joint: Joint
  readonly logPrior: readonly Float64Array[]
  readonly n: number
  /** Where the record's shares are put. */
  readonly q: Float64Array
}

/** Moves record i's site towards what its prior asks for; false if the others leave it no proper Gaussian. */
function updated(sites: Sites, i: number, { joint, logPrior, n, q }: Update): boolean {
  const m = q.length - 1
  const [from, square] = [i * m, i * m * m]
  const precision = inverse(joint.blocks.subarray(square, square + m * m), m)
  const P = new Float64Array(m * m)
  const h = new Float64Array(m)
  // The cavity: everything but this record's own site.
  for (let a = 0; a < m; a++) {
    let sum = 0
    for (let c = 0; c < m; c++) {
      sum += precision[a * m + c]! * joint.mean[c * n + i]!
      P[a * m + c] = precision[a * m + c]! - sites.P[square + a * m + c]!
    }
    h[a] = sum - sites.h[from + a]!
  }
  if (!positive(P, m)) return false
  for (let v = 0; v <= m; v++) q[v] = logPrior[v]![i]! + (v === 0 ? 0 : h[v - 1]! - P[(v - 1) * (m + 1)]! / 2)
  softmax(q)
  const target = moments(q)
  // A step towards what is wanted; a precision that would not be positive stays as it was.
  for (let at = 0; at < m * m; at++) P[at] = (1 - damping) * sites.P[square + at]! + damping * (target.P[at]! - P[at]!)
  for (let a = 0; a < m; a++) h[a] = (1 - damping) * sites.h[from + a]! + damping * (target.h[a]! - h[a]!)
  if (positive(P, m)) {
    sites.P.set(P, square)
    sites.h.set(h, from)
  }
  return true
}

/** A Gaussian with the mean and covariance of a draw among the values, in natural parameters. */
function moments(q: Float64Array): { readonly P: Float64Array; readonly h: Float64Array } {
  const m = q.length - 1
  // The inverse of diag(q) - q q^T over values 1 .. m is diag(1/q) + 1/q_0.
  const P = new Float64Array(m * m).fill(1 / Math.max(q[0]!, leastVariance))
  const h = new Float64Array(m)
  for (let a = 0; a < m; a++) P[a * (m + 1)]! += 1 / Math.max(q[a + 1]!, leastVariance)
  for (let a = 0; a < m; a++) for (let c = 0; c < m; c++) h[a]! += P[a * m + c]! * q[c + 1]!
  return { P, h }
}

/** Whether a small symmetric matrix is positive definite, by its pivots. */
function positive(A: Float64Array, m: number): boolean {
  if (m === 1) return A[0]! > 0
  const rows = A.slice()
  for (let c = 0; c < m; c++) {
    const pivot = rows[c * (m + 1)]!
    if (!(pivot > 1e-12 * A[c * (m + 1)]!)) return false
    for (let r = c + 1; r < m; r++) {
      const by = rows[r * m + c]! / pivot
      for (let j = c; j < m; j++) rows[r * m + j]! -= by * rows[c * m + j]!
    }
  }
  return true
}

function priorInto(q: Float64Array, logPrior: readonly Float64Array[], i: number): void {
  for (let v = 0; v < q.length; v++) q[v] = logPrior[v]![i]!
  softmax(q)
}

function softmax(scores: Float64Array): void {
  let high = Number.NEGATIVE_INFINITY
  for (let v = 0; v < scores.length; v++) high = Math.max(high, scores[v]!)
  let sum = 0
  for (let v = 0; v < scores.length; v++) sum += scores[v] = exp(scores[v]! - high)
  for (let v = 0; v < scores.length; v++) scores[v]! /= sum
}
