/** Which k of n messages (rows of a design with k columns) make the best-conditioned square system. */
import { OverhearError } from '../../errors.js'
import { conditionNumber, conditionNumbers } from '../../numeric/linalg/condition.js'
import { solve } from '../../numeric/linalg/lu.js'
import { identity, type Matrix, rowsOf, transpose } from '../../numeric/linalg/matrix.js'
import { qrPivoted } from '../../numeric/linalg/qr.js'
import { dot, norm } from '../../numeric/linalg/vector.js'
import type { Rng } from '../../numeric/random/rng.js'

export interface Selection {
  /** Rows of the design, rising. */
  readonly rows: Int32Array
  /** Condition number of the square system that they make. */
  readonly condition: number
}

function selection(A: Matrix, rows: Int32Array): Selection {
  const sorted = rows.slice().sort()
  return { rows: sorted, condition: conditionNumber(rowsOf(A, sorted)) }
}

/**
 * Without a draw: pivoted QR of the transpose, then exchanges that lower the Frobenius condition number, one row for
 * another, as long as one is found. About n k operations an exchange.
 */
export function selectByCondition(A: Matrix): Selection {
  requireEnough(A)
  const start = selection(A, qrPivoted(transpose(A)).permutation.slice(0, A.cols))
  if (A.rows === A.cols || !(start.condition < 1e14)) return start // nothing to exchange, or no inverse to judge by
  const better = selection(A, exchanged(A, start.rows))
  return better.condition < start.condition ? better : start
}

const LEAST_PIVOT = 1e-3 // a smaller coefficient would make the updated inverse worthless
const LEAST_GAIN = 0.01
const LEAST_SHARE = 0.05 // of the worst direction in a place, to be worth an exchange

/**
 * With B the chosen rows, P = B^-1, C = A P and K = P^T P, putting row q in place p gives
 *   |P'|^2 = |P|^2 - 2 (K_p c_q - K_pp) / c_qp + K_pp |c_q - e_p|^2 / c_qp^2,
 * so that every exchange is judged without forming it. K_p c_q is taken from K's leading eigenvector alone, which is what
 * counts when B is ill-conditioned, and made exact for the best row of each place; once, when that finds nothing more, all
 * products are formed.
 */
function exchanged(A: Matrix, start: Int32Array): Int32Array {
  const k = A.cols
  const rows = start.slice()
  const P = solve(rowsOf(A, rows), identity(k)).data
  const C = productOf(A.data, P, k)
  const sizes = squaresOf(A.data, k)
  const K = new Float64Array(k * k)
  let thorough = false
  for (let swaps = 0; swaps < 4 * k; swaps++) {
    gramInto(K, P, k)
    const [total, inverse] = [sumAt(sizes, rows), trace(K, k)]
    const standing = { C, K, sizes, rows, lengths: squaresOf(C, k), total, inverse }
    let found = likelyExchange(standing)
    if (found === undefined && !thorough) {
      thorough = true // a second look at all pairs gained 1 % on average, for a third of the time
      found = bestExchange(standing, productOf(C, K, k))
    }
    if (found === undefined) break
    rows[found.place] = found.row
    exchangeInto({ P, C, k }, found)
  }
  return rows
}

interface Standing {
  readonly C: Float64Array
  readonly K: Float64Array
  readonly sizes: Float64Array // |a_q|^2
  readonly lengths: Float64Array // |c_q|^2
  readonly rows: Int32Array
  readonly total: number // |B|^2
  readonly inverse: number // |P|^2
}

interface Exchange {
  readonly place: number
  readonly row: number
}

/** The best exchange by the leading eigenvector, if it is one. */
function likelyExchange(standing: Standing): Exchange | undefined {
  const { C, K, rows } = standing
  const k = rows.length
  const u = leadingVector(K, k)
  const along = timesVector(C, u)
  let best: (Exchange & { value: number }) | undefined
  for (const [p, share] of u.vector.entries()) {
    if (share * share < LEAST_SHARE) continue
    const found = bestAt(p, standing, { products: along, from: 0, step: 1, times: u.value * share })
    if (found === undefined) continue
    const exact = dot(K.subarray(p * k, (p + 1) * k), C.subarray(found.row * k, (found.row + 1) * k))
    const { value } = bestAt(p, standing, { products: Float64Array.of(exact), from: 0, step: 0, times: 1 }, found.row)!
    if (best === undefined || value < best.value) best = { ...found, value }
  }
  return worthwhile(best, standing)
}

/** The best exchange of all; `E` holds K_p c_q at [q, p]. */
function bestExchange(standing: Standing, E: Float64Array): Exchange | undefined {
  const k = standing.rows.length
  let best: (Exchange & { value: number }) | undefined
  for (let p = 0; p < k; p++) {
    const found = bestAt(p, standing, { products: E, from: p, step: k, times: 1 })
    if (found !== undefined && (best === undefined || found.value < best.value)) best = found
  }
  return worthwhile(best, standing)
}

function worthwhile(found: (Exchange & { value: number }) | undefined, { total, inverse }: Standing) {
  return found !== undefined && found.value < total * inverse * (1 - LEAST_GAIN) ? found : undefined
}

/** Where K_p c_q stands for row q: times products[from + step q]. */
interface Products {
  readonly products: Float64Array
  readonly from: number
  readonly step: number
  readonly times: number
}

/** The row that gives the least |B|^2 |P|^2 at place p, or the value of the row that is named. */
function bestAt(
  p: number,
  standing: Standing,
  at: Products,
  only?: number,
): (Exchange & { value: number }) | undefined {
  const { C, K, sizes, lengths, rows, total, inverse } = standing
  const { products, from, step, times } = at
  const k = rows.length
  const kpp = K[p * k + p]!
  const rest = total - sizes[rows[p]!]!
  let least = Number.POSITIVE_INFINITY
  let row = -1
  for (let q = only ?? 0; q < (only === undefined ? sizes.length : only + 1); q++) {
    const c = C[q * k + p]! // 0 for the rows at other places, 1 for the row that is here
    if (c < LEAST_PIVOT && c > -LEAST_PIVOT) continue
    const scale = 1 / c
    const shift = kpp * (lengths[q]! + 1 - 2 * c) * scale - 2 * (times * products[from + step * q]! - kpp)
    const value = (rest + sizes[q]!) * (inverse + scale * shift)
    if (value < least) {
      least = value
      row = q
    }
  }
  return row < 0 ? undefined : { place: p, row, value: least }
}

/** By a few power steps from the longest row: a rough one does. */
function leadingVector(K: Float64Array, k: number): { vector: Float64Array; value: number } {
  let start = 0
  for (let p = 1; p < k; p++) if (K[p * k + p]! > K[start * k + start]!) start = p
  let vector: Float64Array = K.slice(start * k, (start + 1) * k)
  let value = 0
  for (let step = 0; step < 4; step++) {
    const size = norm(vector)
    for (let r = 0; r < k; r++) vector[r]! /= size
    const next = timesVector(K, { vector })
    value = dot(vector, next)
    vector = next
  }
  const size = norm(vector)
  return { vector: vector.map((x) => x / size), value }
}

/** Rows of X times a vector. */
function timesVector(X: Float64Array, { vector }: { vector: Float64Array }): Float64Array {
  const k = vector.length
  const out = new Float64Array(X.length / k)
  for (let i = 0, at = 0; i < out.length; i++) {
    let sum = 0
    for (let r = 0; r < k; r++, at++) sum += X[at]! * vector[r]!
    out[i] = sum
  }
  return out
}

function squaresOf(X: Float64Array, k: number): Float64Array {
  const out = new Float64Array(X.length / k)
  for (let i = 0, at = 0; i < out.length; i++) {
    let sum = 0
    for (let r = 0; r < k; r++, at++) sum += X[at]! * X[at]!
    out[i] = sum
  }
  return out
}

const sumAt = (values: Float64Array, rows: Int32Array): number => rows.reduce((sum, i) => sum + values[i]!, 0)

function trace(K: Float64Array, k: number): number {
  let sum = 0
  for (let p = 0; p < k; p++) sum += K[p * k + p]!
  return sum
}

/** P' = P - P_p (c_q - e_p)^T / c_qp, and C' = A P' likewise. */
function exchangeInto(
  { P, C, k }: { P: Float64Array; C: Float64Array; k: number },
  { place: p, row: q }: { place: number; row: number },
): void {
  const step = C.slice(q * k, (q + 1) * k)
  const pivot = step[p]!
  step[p]! -= 1
  for (const X of [P, C]) {
    for (let i = 0; i < X.length; i += k) {
      const factor = X[i + p]! / pivot
      for (let r = 0; r < k; r++) X[i + r]! -= factor * step[r]!
    }
  }
}

/** X [n, k] times P [k, k]. */
function productOf(X: Float64Array, P: Float64Array, k: number): Float64Array {
  const C = new Float64Array(X.length)
  for (let i = 0; i < X.length; i += k) {
    for (let j = 0; j < k; j++) {
      const a = X[i + j]!
      for (let r = 0; r < k; r++) C[i + r]! += a * P[j * k + r]!
    }
  }
  return C
}

function gramInto(K: Float64Array, P: Float64Array, k: number): void {
  K.fill(0)
  for (let j = 0; j < k; j++) {
    for (let p = 0; p < k; p++) {
      const x = P[j * k + p]!
      for (let r = 0; r < k; r++) K[p * k + r]! += x * P[j * k + r]!
    }
  }
}

export interface RandomOptions {
  readonly draws: number
  readonly rng: Rng
  tick?(done: number, total: number): void
}

const BATCH = 1000

/** The best of many random sets, as [aia] App. C.1 has it. */
export function selectAtRandom(A: Matrix, { draws, rng, tick }: RandomOptions): Selection {
  requireEnough(A)
  const { rows: n, cols: k, data } = A
  let best: Selection = { rows: new Int32Array(0), condition: Number.POSITIVE_INFINITY }
  for (let done = 0; done < draws; done += BATCH) {
    const count = Math.min(BATCH, draws - done)
    const sets = Array.from({ length: count }, () => rng.sample(n, k))
    const batch = new Float64Array(count * k * k)
    for (const [b, set] of sets.entries()) {
      for (let p = 0; p < k; p++) batch.set(data.subarray(set[p]! * k, (set[p]! + 1) * k), (b * k + p) * k)
    }
    const conditions = conditionNumbers(batch, { count, rows: k, cols: k })
    for (const [b, set] of sets.entries()) {
      if (best.rows.length === 0 || conditions[b]! < best.condition) {
        best = { rows: set.slice().sort(), condition: conditions[b]! }
      }
    }
    tick?.(done + count, draws)
  }
  return best
}

function requireEnough({ rows: n, cols: k }: Matrix): void {
  if (n >= k && k > 0) return
  throw new OverhearError('E_SHAPE', `${n} messages of ${k} columns`, `a square system needs at least ${k}`)
}
