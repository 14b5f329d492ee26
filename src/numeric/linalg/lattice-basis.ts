/**
 * Short bases of lattices, [lenstra1982] in doubles as [schnorr1994] has it: sums of whole multiples of some vectors have many
 * bases, and a search among them is quick where the vectors of the basis are short and nearly at right angles.
 */
import { OverhearError } from '../../errors.js'
import type { Matrix } from './matrix.js'

/** Basis vector b_i, its part q_i that is at right angles to the ones before, and b_i = q_i + sum over j < i of mu_ij q_j. */
export interface LatticeBasis {
  /** What was given, as rows. */
  readonly vectors: Matrix
  readonly count: number
  readonly width: number
  /** [count, count]: b_i is the sum over c of whole_ic times the c-th of `vectors`. */
  readonly whole: Float64Array
  /** [count, count], below the diagonal. */
  readonly mu: Float64Array
  /** [count, width] */
  readonly q: Float64Array
  /** |q_i|^2 */
  readonly squares: Float64Array
}

/** A vector goes before one that is longer than it is there by more than 1 / delta (squares); |mu| may exceed a half by what rounding leaves. */
const [delta, half] = [0.99, 0.501]
/** Passes over all vectors: a few are usual. */
const mostPasses = 100
/** Exchanges of neighbours after which what they updated is computed anew. */
const mostUpdates = 1000
/** Beyond, multiples are no longer whole numbers in doubles. */
export const mostWhole = 9007199254740992

/** The vectors are rows; they must not depend on each other. Neighbours are in order: quick, and good enough to tell what a search would take. */
export function shortBasis(vectors: Matrix): LatticeBasis {
  const { rows: count, cols: width } = vectors
  const whole = new Float64Array(count * count)
  for (let i = 0; i < count; i++) whole[i * count + i] = 1
  const basis = { vectors, count, width, whole, mu: new Float64Array(count * count), squares: new Float64Array(count) }
  return ordered({ ...basis, q: new Float64Array(count * width) }, 1)
}

/** A shorter one of the same lattice: a vector may go before all others that are longer than it is there ("deep insertion"). */
export function shorterBasis(basis: LatticeBasis): LatticeBasis {
  const { whole, mu, q, squares } = basis
  const copy = { ...basis, whole: whole.slice(), mu: mu.slice(), q: q.slice(), squares: squares.slice() }
  return ordered(copy, basis.count)
}

/** Passes by numbers that are updated step by step; done is what nothing is changed of by computed ones. */
function ordered(basis: LatticeBasis, reach: number): LatticeBasis {
  for (let pass = 0; pass < mostPasses; pass++) {
    orthogonalise(basis)
    if (!forward(basis, reach)) return basis
  }
  throw new OverhearError('E_VALUE', "a lattice's basis does not settle", 'scale the vectors down')
}

/** Of a vector whose square keeps so much beside the ones before, little was lost to rounding. */
const kept = 0.01

/** Gram and Schmidt, twice where much is taken off. */
function orthogonalise({ vectors, count: n, width: m, whole, mu, q, squares }: LatticeBasis): void {
  for (let i = 0; i < n; i++) {
    const own = q.subarray(i * m, (i + 1) * m).fill(0)
    for (let c = 0; c < n; c++) {
      const times = whole[i * n + c]!
      if (!(Math.abs(times) < mostWhole)) {
        throw new OverhearError('E_VALUE', `a lattice's basis takes ${times} times a vector`, 'scale the vectors down')
      }
      if (times !== 0) for (let j = 0; j < m; j++) own[j]! += times * vectors.data[c * m + j]!
    }
    const length = squareOf(own)
    mu.fill(0, i * n, (i + 1) * n)
    let before = length
    for (let again = 0; again < 2; again++) {
      for (let k = 0; k < i; k++) {
        const along = productOf(own, q, k * m) / squares[k]!
        mu[i * n + k]! += along
        for (let j = 0; j < m; j++) own[j]! -= along * q[k * m + j]!
      }
      squares[i] = squareOf(own)
      if (squares[i]! > kept * before) break
      before = squares[i]!
    }
    if (!(squares[i]! > 1e-28 * length)) {
      throw new OverhearError('E_VALUE', `vector ${i} of a lattice depends on others`, 'leave it out')
    }
  }
}

function squareOf(a: Float64Array): number {
  let sum = 0
  for (let j = 0; j < a.length; j++) sum += a[j]! * a[j]!
  return sum
}

function productOf(a: Float64Array, q: Float64Array, from: number): number {
  let sum = 0
  for (let j = 0; j < a.length; j++) sum += a[j]! * q[from + j]!
  return sum
}

/** Takes multiples of the ones before off each vector, and puts it before those that are longer, up to `reach` places on; whether anything changed. */
function forward(basis: LatticeBasis, reach: number): boolean {
  let changed = false
  let since = 0
  for (let k = 1; k < basis.count; ) {
    const first = Math.max(0, k - reach)
    for (let l = k - 1; l >= first; l--) changed = takeOff(basis, k, l) || changed
    const at = placeOf(basis, k, first)
    if (at === k) {
      for (let l = first - 1; l >= 0; l--) changed = takeOff(basis, k, l) || changed
      k++
      continue
    }
    for (let l = k; l > at; l--) swap(basis, l)
    changed = true
    since += k - at
    if (since >= mostUpdates) {
      orthogonalise(basis)
      since = 0
    }
    k = Math.max(1, at)
  }
  return changed
}

/** The first place from `from` on where b_k, less its parts along the ones before, is shorter than the one that stands there. */
function placeOf({ count: n, mu, squares }: LatticeBasis, k: number, from: number): number {
  let rest = squares[k]!
  for (let j = from; j < k; j++) rest += mu[k * n + j]! * mu[k * n + j]! * squares[j]!
  for (let j = from; j < k; j++) {
    if (rest < delta * squares[j]!) return j
    rest -= mu[k * n + j]! * mu[k * n + j]! * squares[j]!
  }
  return k
}

/** From b_k what is nearest to its part along q_l; whether there was any. */
function takeOff({ count: n, whole, mu }: LatticeBasis, k: number, l: number): boolean {
  if (Math.abs(mu[k * n + l]!) <= half) return false
  const times = Math.round(mu[k * n + l]!)
  for (let c = 0; c < n; c++) whole[k * n + c]! -= times * whole[l * n + c]!
  for (let j = 0; j < l; j++) mu[k * n + j]! -= times * mu[l * n + j]!
  mu[k * n + l]! -= times
  return true
}

/** b_k and b_(k-1). */
function swap({ count: n, whole, mu, squares }: LatticeBasis, k: number): void {
  const [own, before] = [k * n, (k - 1) * n]
  for (let c = 0; c < n; c++) [whole[own + c], whole[before + c]] = [whole[before + c]!, whole[own + c]!]
  for (let j = 0; j < k - 1; j++) [mu[own + j], mu[before + j]] = [mu[before + j]!, mu[own + j]!]
  const along = mu[own + k - 1]!
  const square = squares[k]! + along * along * squares[k - 1]!
  const back = (along * squares[k - 1]!) / square
  squares[k] = (squares[k - 1]! * squares[k]!) / square
  squares[k - 1] = square
  mu[own + k - 1] = back
  for (let i = k + 1; i < n; i++) {
    const later = mu[i * n + k]!
    mu[i * n + k] = mu[i * n + k - 1]! - along * later
    mu[i * n + k - 1] = later + back * mu[i * n + k]!
  }
}
