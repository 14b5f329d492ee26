/**
 * Turns of an affine map end where two moments of the records send them, and every guess moves these moments by a constant: the moments
 * that explain the messages are a small least squares, whatever the number of records, and right guesses have them, to the noise.
 */
import { leastSquares } from '../../../../numeric/linalg/least-squares.js'
import { type Matrix, matrix } from '../../../../numeric/linalg/matrix.js'
import { qr, qrPivoted } from '../../../../numeric/linalg/qr.js'
import { dot } from '../../../../numeric/linalg/vector.js'
import { totalOf } from '../../../../numeric/special/summaries.js'
import type { Problem } from '../linear-problem.js'
import { byMoments, type Heard, heardIn, turnsOf } from './replay-stage.js'

export interface MomentFit {
  /** [equations, unknowns]: what unknown c (v n + i: record i has value v + 1 and not 0) adds to each equation. */
  readonly A: Matrix
  /** What all guesses together add, in units of noise. */
  readonly y: Float64Array
  /** What the best moments leave of the messages, over what rounding explains. */
  readonly excess: number
  /** Whether messages are of single precision: of double ones other sums of the same turns differ by more than they show. */
  readonly coarse: boolean
}

/** Steps of Gauss and Newton, and halvings of one. */
const [mostSteps, mostHalvings] = [30, 12]
/** A step that gains less than this share is the last one. */
const leastGain = 1e-6
/** Where so much more than rounding is left and a few steps together gain so little, the search leads nowhere. */
const [much, few, little] = [1e4, 3, 0.02]
/** Directions in which guesses move the moments by less than this share of the most count for none. */
const leastDirection = 1e-9
/** Of a direction, to see what it moves. */
const small = 1e-6
/**
 * What noise is taken for, in units of what the best moments leave, and how many equations count as explained to their slack beside. Where
 * numbers are known to many digits some less do no harm, and guesses stand out by what is left of them.
 */
const [wider, beside] = [4, 8]
/** Times the noise that an unknown may add: more digits are more work, and tell no more. */
const mostDigits = 67108864 // 2^26

/** Undefined where the search for the moments did not end. */
export function momentFit(problem: Problem): MomentFit | undefined {
  const heard = heardIn(problem.rounds, problem)
  const turns = byMoments(problem, turnsOf(problem.rounds))
  const directions = directionsOf(problem, turns.momentsOf(new Int32Array(problem.candidates.records)))
  const leftAt = (t: Float64Array): Float64Array => heard.beside(turns.movedBy(directions.moments(t)))
  const best = descended(directions, 1 / problem.gradients.values, leftAt)
  const fit = best && equationsOf(directions, heard, best)
  turns.release()
  return fit
}

/** The moments that guesses can make, over the directions in which guesses move them. */
interface Directions {
  /** [directions, unknowns] */
  readonly byGuess: Matrix
  moments(t: Float64Array): Float64Array
}

/** Entry e of the moments, at (row, column), moves by `size` times one unit. */
interface Entry {
  readonly row: number
  readonly col: number
  readonly size: number
  readonly by: Float64Array
}

function directionsOf(problem: Problem, none: Float64Array): Directions {
  const W = Math.round(Math.sqrt(none.length))
  const entries = entriesOf(problem, W)
  const N = problem.candidates.records * (problem.gradients.values - 1)
  const E = entries.length
  const moves = matrix(E, N)
  for (const [e, { by, size }] of entries.entries()) for (let c = 0; c < N; c++) moves.data[e * N + c] = by[c]! / size
  const { Q, rank } = qrPivoted(moves, { tolerance: leastDirection })
  const byGuess = matrix(rank, N)
  for (let d = 0; d < rank; d++) {
    for (let e = 0; e < E; e++) {
      const share = Q.data[e * Q.cols + d]!
      for (let c = 0; c < N; c++) byGuess.data[d * N + c]! += share * moves.data[e * N + c]!
    }
  }
  return {
    byGuess,
    moments(t) {
      const S = none.slice()
      for (const [e, { row, col, size }] of entries.entries()) {
        let by = 0
        for (let d = 0; d < rank; d++) by += Q.data[e * Q.cols + d]! * t[d]!
        S[row * W + col]! += size * by
        if (row !== col) S[col * W + row]! += size * by
      }
      return S
    },
  }
}

/** Where rows (x, y) with other values move z z^T, and by how much each unknown does; a constant stands behind the weights. */
function entriesOf({ candidates, functions }: Problem, W: number): Entry[] {
  const { records: n, features, labels } = candidates
  const k = features[0]!.cols
  const { bias } = functions.model.dense!
  const rowOf = (v: number, i: number): Float64Array => {
    const z = new Float64Array(W)
    z.set(features[v]!.data.subarray(i * k, (i + 1) * k))
    if (bias) z[k] = 1
    z[W - 1] = labels[i]!
    return z
  }
  const N = n * (features.length - 1)
  const all = Array.from({ length: W * (W + 1) }, () => undefined as Float64Array | undefined)
  for (let c = 0; c < N; c++) {
    const [from, to] = [rowOf(0, c % n), rowOf(1 + Math.floor(c / n), c % n)]
    for (let row = 0; row < W; row++) {
      for (let col = 0; col <= row; col++) {
        const by = to[row]! * to[col]! - from[row]! * from[col]!
        if (by === 0) continue
        const at = (row * (row + 1)) / 2 + col
        all[at] ??= new Float64Array(N)
        all[at][c] = by
      }
    }
  }
  const entries: Entry[] = []
  for (let row = 0, at = 0; row < W; row++) {
    for (let col = 0; col <= row; col++, at++) {
      const by = all[at]
      if (by !== undefined) entries.push({ row, col, by, size: Math.sqrt(dot(by, by)) })
    }
  }
  return entries
}

interface Descended {
  readonly t: Float64Array
  readonly left: Float64Array
  /** [equations of the messages, directions] */
  readonly slopes: Matrix
}

/** Gauss and Newton, from all unknowns at one share; a step is halved until it gains. */
function descended(
  { byGuess }: Directions,
  share: number,
  leftAt: (t: Float64Array) => Float64Array,
): Descended | undefined {
  const { rows: r, cols: N, data } = byGuess
  let t = Float64Array.from({ length: r }, (_, d) => {
    let sum = 0
    for (let c = 0; c < N; c++) sum += share * data[d * N + c]!
    return sum
  })
  let left = leftAt(t)
  const gains: number[] = []
  for (let k = 0; k < mostSteps; k++) {
    if (!left.every(Number.isFinite)) return undefined
    const slopes = slopesAt(t, left, leftAt)
    if (!slopes.data.every(Number.isFinite)) return undefined
    const { X } = leastSquares(slopes, matrix(left.length, 1, left))
    const before = dot(left, left)
    let step = 1
    let gained = 0
    for (let h = 0; h < mostHalvings && !(gained > 0); h++, step /= 2) {
      const next = t.map((x, d) => x - step * X.data[d]!)
      const then = leftAt(next)
      gained = before - dot(then, then)
      if (gained > 0) [t, left] = [next, then]
    }
    if (!(gained > leastGain * before)) return { t, left, slopes }
    gains.push(gained / before)
    if (k >= few && before > much * much * left.length && totalOf(gains.slice(-few)) < little) return undefined
  }
  return undefined
}

function slopesAt(t: Float64Array, left: Float64Array, leftAt: (t: Float64Array) => Float64Array): Matrix {
  const r = t.length
  const slopes = matrix(left.length, r)
  for (let d = 0; d < r; d++) {
    const aside = t.slice()
    aside[d]! += small
    const then = leftAt(aside)
    for (let at = 0; at < left.length; at++) slopes.data[at * r + d] = (then[at]! - left[at]!) / small
  }
  return slopes
}

/** |slopes (byGuess p - t)|^2 is what guesses p leave beyond the best moments: as few equations as there are directions. */
function equationsOf({ byGuess }: Directions, { coarse }: Heard, { t, left, slopes }: Descended): MomentFit {
  const { R } = qr(slopes)
  const { rows, cols: r } = R
  const N = byGuess.cols
  const squares = dot(left, left)
  const free = Math.max(0, left.length - r)
  const noise = wider * Math.sqrt((squares + beside) / (free + beside))
  const A = matrix(rows, N)
  const y = new Float64Array(rows)
  for (let e = 0; e < rows; e++) {
    for (let d = e; d < r; d++) {
      const by = R.data[e * r + d]! / noise
      y[e]! += by * t[d]!
      for (let c = 0; c < N; c++) A.data[e * N + c]! += by * byGuess.data[d * N + c]!
    }
  }
  let most = 0
  for (let c = 0; c < N; c++) {
    let square = 0
    for (let e = 0; e < rows; e++) square += A.data[e * N + c]! * A.data[e * N + c]!
    most = Math.max(most, Math.sqrt(square))
  }
  const coarser = Math.min(1, mostDigits / Math.max(most, 1e-300))
  return {
    A: matrix(rows, N, A.data.map((x) => coarser * x)), // biome-ignore format: one line
    y: y.map((x) => coarser * x),
    excess: Math.sqrt(squares / left.length),
    coarse,
  }
}
