/** PROLIN's corners: what it costs to move one client to the other side, with X solved anew but nothing factored anew. */
import { cholesky, choleskySolve } from '../../../numeric/linalg/cholesky.js'
import { solve } from '../../../numeric/linalg/lu.js'
import { type Matrix, matrix, multiply } from '../../../numeric/linalg/matrix.js'
import { multiplyVector } from '../../../numeric/linalg/matrix-vector.js'
import { dot } from '../../../numeric/linalg/vector.js'
import { log } from '../../../numeric/special/elementary-functions.js'
import { totalOf } from '../../../numeric/special/summaries.js'
import type { ProlinProblem } from './prolin-losses.js'

/** What a client gives to the objective on one side: value + (X - X0)ᵀH (X - X0) / 2, H⁻¹ = diag(spread) - k spread spreadᵀ. */
interface Side {
  readonly value: number
  readonly X0: Float64Array
  readonly spread: Float64Array
  readonly k: number
}

function sideOf(problem: ProlinProblem, { i, having }: { i: number; having: boolean }, gamma: number): Side {
  const { start, expected, plusMean, plusStd, minusMean, minusStd } = problem
  const own = (all: Float64Array): Float64Array => all.subarray(start[i]!, start[i + 1]!)
  const [mean, std] = having ? [own(plusMean), own(plusStd)] : [own(minusMean), own(minusStd)]
  const R = mean.length
  const pull = R === 0 ? 0 : (2 * gamma) / (R * R)
  const spread = std.map((s) => s * s)
  const total = totalOf(spread)
  const k = pull / (1 + pull * total)
  // Without L_reg the client's features would lie at mu; all move alike in units of their variance.
  const off = pull * R * (expected[i]! - totalOf(mean) / Math.max(1, R))
  const step = off / (1 + pull * total)
  const X0 = mean.map((m, p) => m + spread[p]! * step)
  let [value, middle] = [0, 0]
  for (let p = 0; p < R; p++) {
    value += 0.5 * spread[p]! * step * step + log(std[p]!)
    middle += X0[p]! / R
  }
  if (R > 0) value += gamma * (middle - expected[i]!) * (middle - expected[i]!)
  return { value, X0, spread, k }
}

/** S = A H⁻¹Aᵀ and what the sums miss, m = G - A X0: the least objective is the sides' values + mᵀS⁻¹m / 2. */
interface Corner {
  readonly Q: Matrix // S⁻¹
  readonly y: Float64Array // Q m
}

function cornerAt(problem: ProlinProblem, tau: Float64Array, gamma: number): Corner {
  const { clients: N, rounds: n, start, round, weight, G } = problem
  const S = matrix(n, n)
  const m = G.slice()
  for (let i = 0; i < N; i++) {
    const { X0, spread, k } = sideOf(problem, { i, having: tau[i] === 1 }, gamma)
    const from = start[i]!
    for (let p = 0; p < X0.length; p++) {
      const [r, w] = [round[from + p]!, weight[from + p]!]
      m[r]! -= w * X0[p]!
      S.data[r * n + r]! += w * w * spread[p]!
      const factor = k * w * spread[p]!
      // Rounds of a client rise: the lower triangle.
      for (let q = 0; q <= p; q++) S.data[r * n + round[from + q]!]! -= factor * weight[from + q]! * spread[q]!
    }
  }
  for (let r = 0; r < n; r++) for (let s = r + 1; s < n; s++) S.data[r * n + s] = S.data[s * n + r]!
  const one = matrix(n, n)
  for (let r = 0; r < n; r++) one.data[r * n + r] = 1
  const Q = choleskySolve(cholesky(S), one)
  return { Q, y: multiplyVector(Q, m) }
}

/**
 * Client i on the other side: m changes by d and S by Delta = diag(delta) + two rank-one terms, both on its R rounds only.
 * With Q_R the part of Q on them and z = y + Q_R d, mᵀS⁻¹m becomes + d . (y + z) - z . K z, K = (I + Delta Q_R)⁻¹Delta.
 */
interface Trial {
  readonly cost: number
  readonly d: Float64Array
  readonly Kz: Float64Array
  readonly Delta: Matrix
  readonly system: Matrix // I + Delta Q_R
}

function flipOf(problem: ProlinProblem, { Q, y }: Corner, { i, having, gamma }: FlipOptions): Trial {
  const { rounds: n, start, round, weight } = problem
  const [now, then] = [sideOf(problem, { i, having }, gamma), sideOf(problem, { i, having: !having }, gamma)]
  const [from, R] = [start[i]!, now.X0.length]
  const w = weight.subarray(from, from + R)
  const rounds = round.subarray(from, from + R)
  const d = w.map((one, p) => one * (now.X0[p]! - then.X0[p]!))
  const QR = matrix(R, R)
  for (let p = 0; p < R; p++) for (let q = 0; q < R; q++) QR.data[p * R + q] = Q.data[rounds[p]! * n + rounds[q]!]!
  const own = w.map((_, p) => y[rounds[p]!]!)
  const z = multiplyVector(QR, d).map((x, p) => x + own[p]!)
  let cost = then.value - now.value
  for (let p = 0; p < R; p++) cost += 0.5 * d[p]! * (own[p]! + z[p]!)
  const Delta = matrix(R, R)
  for (let p = 0; p < R; p++) {
    for (let q = 0; q < R; q++) {
      const ww = w[p]! * w[q]!
      const ranks = now.k * now.spread[p]! * now.spread[q]! - then.k * then.spread[p]! * then.spread[q]!
      Delta.data[p * R + q] = ww * (ranks + (p === q ? then.spread[p]! - now.spread[p]! : 0))
    }
  }
  if (Delta.data.every((x) => x === 0)) return { cost, d, Kz: new Float64Array(R), Delta, system: Delta }
  const u = (side: Side): Float64Array => w.map((one, p) => one * side.spread[p]!)
  const [uNow, uThen] = [u(now), u(then)]
  const [rowNow, rowThen] = [multiplyVector(QR, uNow), multiplyVector(QR, uThen)] // Q_R is symmetric
  const system = matrix(R, R)
  for (let p = 0; p < R; p++) {
    const delta = w[p]! * w[p]! * (then.spread[p]! - now.spread[p]!)
    const [a, b] = [now.k * uNow[p]!, then.k * uThen[p]!]
    for (let q = 0; q < R; q++) {
      const product = delta * QR.data[p * R + q]! + a * rowNow[q]! - b * rowThen[q]!
      system.data[p * R + q] = product + (p === q ? 1 : 0)
    }
  }
  const Kz = solve(system, matrix(R, 1, multiplyVector(Delta, z))).data
  return { cost: cost - 0.5 * dot(z, Kz), d, Kz, Delta, system }
}

interface FlipOptions {
  readonly i: number
  readonly having: boolean
  readonly gamma: number
}

/** Q and y after the flip: Q - V K Vᵀ and y + V (d - K z), where V are the columns of Q at the client's rounds. */
function take(problem: ProlinProblem, { Q, y }: Corner, { i, trial }: { i: number; trial: Trial }): void {
  const { rounds: n, start, round } = problem
  const rounds = round.subarray(start[i]!, start[i + 1]!)
  const R = rounds.length
  const Vt = matrix(R, n)
  for (let p = 0; p < R; p++) Vt.data.set(Q.data.subarray(rounds[p]! * n, (rounds[p]! + 1) * n), p * n)
  const step = trial.d.map((x, p) => x - trial.Kz[p]!)
  addRows(y, Vt, step)
  if (trial.Delta.data.every((x) => x === 0)) return
  const KVt = multiply(solve(trial.system, trial.Delta), Vt)
  const own = new Float64Array(R)
  for (let r = 0; r < n; r++) {
    for (let p = 0; p < R; p++) own[p] = -Vt.data[p * n + r]!
    addRows(Q.data.subarray(r * n, (r + 1) * n), KVt, own)
  }
}

/** x += sum over p of by_p row_p, four rows at a time. */
function addRows(x: Float64Array, { rows: R, cols: n, data }: Matrix, by: Float64Array): void {
  let p = 0
  for (; p + 3 < R; p += 4) {
    const [a, b, c, d] = [by[p]!, by[p + 1]!, by[p + 2]!, by[p + 3]!]
    const at = p * n
    for (let s = 0; s < n; s++) {
      const j = at + s
      x[s]! += a * data[j]! + b * data[j + n]! + c * data[j + 2 * n]! + d * data[j + 3 * n]!
    }
  }
  for (; p < R; p++) for (let s = 0; s < n; s++) x[s]! += by[p]! * data[p * n + s]!
}

export interface Flips {
  readonly tau: Float64Array
  /** What the other side of client i would cost; below 0 for those without the property. */
  readonly odds: Float64Array
}

const mostPasses = 10
/** What is gained by less is rounding. */
const least = 1e-9

/** From the nearest corner, takes flips that lower the objective until none does. */
export function flipped(
  problems: readonly ProlinProblem[],
  from: Float64Array,
  { gamma, tick }: { readonly gamma: number; tick?(done: number, total: number): void },
): Flips {
  const N = from.length
  const tau = from.map((t) => (t > 0.5 ? 1 : 0))
  const odds = new Float64Array(N)
  for (let pass = 0, taken = 1; taken > 0 && pass < mostPasses; pass++) {
    taken = 0
    const corners = problems.map((problem) => cornerAt(problem, tau, gamma))
    for (let i = 0; i < N; i++) {
      tick?.(pass * N + i, mostPasses * N)
      const trials = problems.map((one, f) => flipOf(one, corners[f]!, { i, having: tau[i] === 1, gamma }))
      const cost = trials.reduce((sum, trial) => sum + trial.cost, 0)
      if (cost < -least) {
        tau[i] = 1 - tau[i]!
        taken++
        for (const [f, trial] of trials.entries()) take(problems[f]!, corners[f]!, { i, trial })
      }
      odds[i] = tau[i] === 1 ? Math.abs(cost) : -Math.abs(cost)
    }
  }
  return { tau, odds }
}

/**
 * The same costs where S is too large to invert, each flip by itself: the multipliers y come from X, which solves the corner
 * tau, and S⁻¹ counts as 1 / S_rr on the diagonal, that is, what the others would make of the change is left out.
 */
export function nearbyOdds(
  problems: readonly ProlinProblem[],
  Xs: readonly Float64Array[],
  { tau, gamma }: { readonly tau: Float64Array; readonly gamma: number },
): Float64Array {
  const odds = new Float64Array(tau.length)
  for (const [f, problem] of problems.entries()) {
    const { clients: N, rounds: n, start, round, weight, plusMean, minusMean, plusStd, minusStd, expected } = problem
    const [y, S] = [new Float64Array(n), new Float64Array(n)]
    for (let i = 0; i < N; i++) {
      const [mean, std] = tau[i] === 1 ? [plusMean, plusStd] : [minusMean, minusStd]
      const R = start[i + 1]! - start[i]!
      let off = -expected[i]!
      for (let p = start[i]!; p < start[i + 1]!; p++) off += Xs[f]![p]! / R
      for (let p = start[i]!; p < start[i + 1]!; p++) {
        const [s, w] = [std[p]! * std[p]!, weight[p]!]
        // H (X - X0) = Aᵀy, the same y_r by every participant of the round.
        y[round[p]!] = ((Xs[f]![p]! - mean[p]!) / s + (2 * gamma * off) / R) / w
        S[round[p]!]! += w * w * s
      }
    }
    for (let i = 0; i < N; i++) {
      const having = tau[i] === 1
      const [now, then] = [sideOf(problem, { i, having }, gamma), sideOf(problem, { i, having: !having }, gamma)]
      let cost = then.value - now.value
      for (const [k, x] of now.X0.entries()) {
        const [r, w] = [round[start[i]! + k]!, weight[start[i]! + k]!]
        const d = w * (x - then.X0[k]!)
        const delta = w * w * (then.spread[k]! - now.spread[k]!)
        const z = y[r]! + d / S[r]!
        cost += 0.5 * d * (y[r]! + z) - (0.5 * z * z * delta) / (1 + delta / S[r]!)
      }
      odds[i]! += having ? cost : -cost
    }
  }
  return odds
}

/** Multiplications of one pass: an inverse, and a system of the rounds of each client. */
export function flipWork(problems: readonly ProlinProblem[]): number {
  return problems.reduce((sum, { rounds: n, clients: N, start }) => {
    let own = 0
    for (let i = 0; i < N; i++) {
      const R = start[i + 1]! - start[i]!
      own += R * R * R
    }
    return sum + n * n * n + own
  }, 0)
}
