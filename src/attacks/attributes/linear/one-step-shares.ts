/** One step on all records: the message is the sum of gradients itself, and a linear system gives the shares. */
import { leastSquares } from '../../../numeric/linalg/least-squares.js'
import { matrix } from '../../../numeric/linalg/matrix.js'
import { norm } from '../../../numeric/linalg/vector.js'
import { nearby, polish } from './flip-guesses.js'
import { allShares, type Problem } from './linear-problem.js'
import { gradientOf } from './written-columns.js'

export interface Exact {
  /** Shares as the system has them, not yet within 0 and 1. */
  readonly p: Float64Array
  readonly guesses: Int32Array
  /** Unknowns that the equations leave open. */
  readonly open: number
  /** By round: the factor between message and gradients. */
  readonly rate: number
  readonly condition: number
  readonly trustedDigits: number
  readonly equations: number
  /** |message - sum of gradients at the guesses| / |message|: near the rounding of the messages if all are right. */
  readonly misfit: number
  /** What is left of the equations, over what rounding explains: about 1 if all are right. */
  readonly excess: number
  /** For each record the probability of its guess against all that differ in it and at most one other. */
  readonly confidence: Float64Array
}

/** Most numbers in the system: 160 MB. */
const mostNumbers = 2e7
/** Share of the unknowns that must be independent; records that are alike leave only their sum to be known. */
const leastRank = 0.9

/**
 * D p = n mean - base by QR, with as many messages as it takes to have more equations than unknowns. Undefined when they
 * leave many records open. Normal equations would square a condition number that is
 * already large.
 */
export function solveExactly(problem: Problem): Exact | undefined {
  const { rounds, gradients, rate } = problem
  const { records: n, values, size: P } = gradients
  const N = n * (values - 1)
  const extra = rate === 'known' ? 0 : 1
  const perRound = Math.min(P, Math.floor(mostNumbers / (N + 1)), 4 * N + 16)
  const used = rounds.slice(0, Math.max(1, Math.ceil((1.5 * (N + extra)) / perRound)))
  const rows = perRound * used.length
  if (rows < N + extra || rows * N > 4 * mostNumbers) return undefined
  const { A, y, taus, rounding } = system(problem, used.length, perRound)
  const scales = new Float64Array(N + extra)
  const all = matrix(rows, N + extra)
  for (let c = 0; c < N + extra; c++) {
    const column = c < N ? A[c]! : taus
    scales[c] = norm(column) || 1
    for (let r = 0; r < rows; r++) all.data[r * (N + extra) + c] = ((c < N ? 1 : -1) * column[r]!) / scales[c]!
  }
  const solved = leastSquares(all, matrix(rows, 1, y))
  if (solved.rank < leastRank * (N + extra)) return undefined
  const p = Float64Array.from({ length: N }, (_, c) => solved.X.data[c]! / scales[c]!)
  const factor = extra === 0 ? 1 : solved.X.data[N]! / scales[N]!
  const guesses = nearestCorners(p, n)
  for (let r = 0; r < rows; r++) y[r]! += extra * factor * taus[r]!
  const slack = slackOf(rounding, { y, taus })
  polish(guesses, { columns: A, y, p, n })
  return {
    ...nearby(guesses, { columns: A, y, n, slack }),
    p,
    guesses,
    rate: factor,
    equations: rows,
    open: N + extra - solved.rank,
    condition: solved.conditionEstimate,
    trustedDigits: solved.trustedDigits,
    misfit: misfitOf(problem, guesses, factor),
  }
}

/** Columns of D, y = [n mean] - base and tau = n mean, over evenly spread coordinates of the first rounds. */
function system(problem: Problem, turns: number, perRound: number) {
  const { rounds, gradients, samples, rate } = problem
  const { records: n, values, size: P } = gradients
  const A = Array.from({ length: n * (values - 1) }, () => new Float64Array(perRound * turns))
  const [y, taus, rounding] = [0, 1, 2].map(() => new Float64Array(perRound * turns)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ]
  const place = (r: number): number => Math.floor((r * P) / perRound)
  for (let t = 0; t < turns; t++) {
    const { at, mean, rounding: own } = rounds[t]!
    const one = gradientOf(problem, at)
    const from = t * perRound
    for (let r = 0; r < perRound; r++) {
      taus[from + r] = samples * mean[place(r)]!
      rounding[from + r] = samples * own[place(r)]!
      y[from + r] = rate === 'known' ? taus[from + r]! : 0
    }
    for (let i = 0; i < n; i++) {
      const zero = one(0, i)
      for (let r = 0; r < perRound; r++) y[from + r]! -= zero[place(r)]!
      for (let v = 1; v < values; v++) {
        const own = one(v, i)
        const column = A[(v - 1) * n + i]!
        for (let r = 0; r < perRound; r++) column[from + r] = own[place(r)]! - zero[place(r)]!
      }
    }
  }
  return { A, y, taus, rounding }
}

/** Roundings that a gradient gathers on its way, in units of the message's own: sums over records, layers and steps. */
const gathered = 32

/** By equation: the deviation that rounding explains, of the message and of the sums behind it. */
function slackOf(rounding: Float64Array, { y, taus }: { readonly y: Float64Array; readonly taus: Float64Array }) {
  const size = (norm(y) + norm(taus)) / Math.sqrt(y.length)
  let unit = 1 / 9007199254740992 // 2^-53
  for (const [r, x] of rounding.entries()) if (x > Math.abs(taus[r]!) / 1073741824) unit = 1 / 16777216
  const least = gathered * unit * size
  return rounding.map((x) => Math.sqrt((x * x) / 3 + least * least))
}

/** The value whose corner of the simplex is nearest. */
function nearestCorners(p: Float64Array, n: number): Int32Array {
  const shares = allShares(p, n)
  const m = p.length / n
  return Int32Array.from({ length: n }, (_, i) => {
    // |p - u_v|^2 = |p|^2 + 1 - 2 p_v for v > 0, and |p|^2 for v = 0
    let best = 0
    let most = 0.5
    for (let v = 1; v <= m; v++) {
      if (shares[v * n + i]! <= most) continue
      most = shares[v * n + i]!
      best = v
    }
    return best
  })
}

function misfitOf({ rounds, gradients, samples }: Problem, guesses: Int32Array, factor: number): number {
  const { records: n, values } = gradients
  const shares = new Float64Array(n * values)
  for (let i = 0; i < n; i++) shares[guesses[i]! * n + i] = 1
  const { at, mean } = rounds[0]!
  const sum = gradients.weighted(at, shares)
  const r = mean.map((x, j) => factor * samples * x - sum[j]!)
  return norm(r) / Math.max(norm(mean) * samples * Math.abs(factor), 1e-300)
}
