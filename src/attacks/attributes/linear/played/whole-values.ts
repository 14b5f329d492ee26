/** Whole values by few equations that are known to many digits: the points of a lattice near a target, of which few are guesses. */
import { shortBasis, shorterBasis } from '../../../../numeric/linalg/lattice-basis.js'
import { expectedBranches, nearPoints } from '../../../../numeric/linalg/lattice-points.js'
import { type Matrix, matrix } from '../../../../numeric/linalg/matrix.js'
import { ridge } from '../../../../numeric/linalg/ridge.js'
import { exp } from '../../../../numeric/special/elementary-functions.js'

export interface WholeValues {
  /** The value of each record by every point that was found, the likeliest first. */
  readonly points: readonly { readonly guesses: Int32Array; readonly cost: number }[]
  /** Whether no others are as likely. */
  readonly complete: boolean
}

/** Beyond so many unknowns a basis takes longer than it is worth. */
const mostUnknowns = 128
/** Branches that a search may take, and be expected to: next to none of the expected ones hold whole values, and the nearest come first. */
const [mostBranches, mostExpected] = [2e6, 1e9]
/** A shorter basis makes a search so much shorter, at best. */
const fewerBy = 1e3
const nothing: WholeValues = { points: [], complete: false }
/** Twice the log odds by which points may be less likely than the best one. */
const span = 30
/** What an equation may leave, noise being 1, and shares of the values that may be other than they seem. */
const [leavesSquare, moreShares] = [0.25, 0.01]

/** Weight of |p|^2 beside equations in units of noise. */
const slightly = 1e-6

export const fewEnough = (unknowns: number): boolean => unknowns > 0 && unknowns <= mostUnknowns

/**
 * Who has value v + 1, where A p = y with unit noise, p being 1 at v n + i for those and 0 else. With a place for every unknown beside the
 * equations, weighed by how common its value seems, guesses are points at a distance that is known beforehand.
 */
export function wholeValues({
  A,
  y,
  n,
}: {
  readonly A: Matrix
  readonly y: Float64Array
  readonly n: number
}): WholeValues {
  const { rows, cols: N } = A
  const shares = sharesOf(A, y, n)
  const weights = shares.map((p) => 1 / Math.sqrt(p * (1 - p)))
  const width = rows + N
  const vectors = matrix(N, width)
  const target = new Float64Array(width)
  target.set(y)
  for (let c = 0; c < N; c++) {
    for (let e = 0; e < rows; e++) vectors.data[c * width + e] = A.data[e * N + c]!
    vectors.data[c * width + rows + c] = weights[c]!
    target[rows + c] = weights[c]! * shares[c]!
  }
  const within = (1 + moreShares) * N + leavesSquare * (rows + 4)
  const short = shortBasis(vectors)
  if (expectedBranches(short, within) > fewerBy * mostExpected) return nothing
  const basis = shorterBasis(short)
  if (expectedBranches(basis, within) > mostExpected) return nothing
  const points: { guesses: Int32Array; cost: number }[] = []
  const { complete } = nearPoints(basis, target, {
    within,
    mostBranches,
    found(whole, cost) {
      const guesses = guessesIn(whole, n)
      if (guesses === undefined) return undefined
      points.push({ guesses, cost })
      return cost + span
    },
  })
  return { points: points.sort((a, b) => a.cost - b.cost), complete }
}

/** How common each value is, at every unknown: by the smallest shares that solve the equations. */
function sharesOf(A: Matrix, y: Float64Array, n: number): Float64Array {
  const N = A.cols
  const { x } = ridge(A, y, { lambda: slightly })
  const shares = new Float64Array(N)
  for (let from = 0; from < N; from += n) {
    let sum = 0
    for (let c = from; c < from + n; c++) sum += x[c]!
    const least = 0.5 / n
    shares.fill(Math.min(1 - least, Math.max(least, sum / n)), from, from + n)
  }
  return shares
}

/** Undefined where a point is no guess: every unknown is 0 or 1, and of each record one at most is 1. */
function guessesIn(whole: Float64Array, n: number): Int32Array | undefined {
  const guesses = new Int32Array(n)
  for (let c = 0; c < whole.length; c++) {
    if (whole[c] === 0) continue
    const i = c % n
    if (whole[c] !== 1 || guesses[i] !== 0) return undefined
    guesses[i] = 1 + Math.floor(c / n)
  }
  return guesses
}

/** How likely each guess of the first point is beside all points that were found. */
export function likelihoods({ points }: Pick<WholeValues, 'points'>): Float64Array {
  const [first] = points
  const own = new Float64Array(first!.guesses.length)
  let all = 0
  for (const { guesses, cost } of points) {
    const odds = exp(-Math.min(cost - first!.cost, 1400) / 2)
    all += odds
    for (let i = 0; i < own.length; i++) if (guesses[i] === first!.guesses[i]) own[i]! += odds
  }
  return own.map((x) => x / all)
}
