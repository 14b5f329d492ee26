import { describe, expect, test } from 'vitest'
import { conditionNumber } from '../../numeric/linalg/condition.js'
import { solve } from '../../numeric/linalg/lu.js'
import { identity, type Matrix, matrix, multiply, rowOf, rowsOf, transpose } from '../../numeric/linalg/matrix.js'
import { qrPivoted } from '../../numeric/linalg/qr.js'
import { dot, norm } from '../../numeric/linalg/vector.js'
import { rng } from '../../numeric/random/rng.js'
import { selectByCondition } from './select-messages.js'

const squares = (A: Matrix) => dot(A.data, A.data)

interface Standing {
  readonly A: Matrix
  readonly rows: readonly number[]
  /** The chosen rows' inverse, A times it, and the inverse's products of columns. */
  readonly P: Matrix
  readonly C: Matrix
  readonly K: Matrix
}

function standingOf(A: Matrix, rows: readonly number[]): Standing {
  const P = solve(rowsOf(A, rows), identity(A.cols))
  return { A, rows, P, C: multiply(A, P), K: multiply(transpose(P), P) }
}

/** |B|^2 |P|^2 with row q in place p, where K_p c_q is `product`; that of rows which cannot stand there is infinite. */
function costOf({ A, rows, P, C, K }: Standing, p: number, q: number, product: number): number {
  const k = A.cols
  const c = rowOf(C, q)
  if (Math.abs(c[p]!) < 1e-3) return Number.POSITIVE_INFINITY
  const off = c.map((v, j) => v - (j === p ? 1 : 0))
  const kpp = K.data[p * k + p]!
  const inverse = squares(P) - (2 * (product - kpp)) / c[p]! + (kpp * dot(off, off)) / c[p]! ** 2
  const chosen = rows.map((row, at) => (at === p ? q : row))
  return squares(rowsOf(A, chosen)) * inverse
}

interface Found {
  readonly p: number
  readonly q: number
  readonly value: number
}

/** The least of some, the first of equal ones. */
const least = (tried: readonly Found[]): Found | undefined =>
  tried.reduce<Found | undefined>((best, one) => (best === undefined || one.value < best.value ? one : best), undefined)

const all = (n: number) => Array.from({ length: n }, (_, q) => q)

/** By the leading eigenvector of K from four power steps, made exact for the best row of each place where it is long. */
function likely(standing: Standing): Found | undefined {
  const { A, C, K } = standing
  const k = A.cols
  const longest = all(k).reduce((a, b) => (K.data[b * k + b]! > K.data[a * k + a]! ? b : a))
  let u = rowOf(K, longest)
  let value = 0
  for (let step = 0; step < 4; step++) {
    const size = norm(u)
    const unit = u.map((v) => v / size)
    u = Float64Array.from(all(k), (p) => dot(rowOf(K, p), unit))
    value = dot(unit, u)
  }
  const size = norm(u)
  const shares = u.map((v) => v / size)
  const tried = all(k).flatMap((p) => {
    if (shares[p]! ** 2 < 0.05) return []
    const rough = least(
      all(A.rows).map((q) => ({ p, q, value: costOf(standing, p, q, value * shares[p]! * dot(rowOf(C, q), shares)) })),
    )!
    if (rough.value === Number.POSITIVE_INFINITY) return []
    return [{ ...rough, value: costOf(standing, p, rough.q, dot(rowOf(K, p), rowOf(C, rough.q))) }]
  })
  return least(tried)
}

/** By all products. */
function best(standing: Standing): Found | undefined {
  const { A, C, K } = standing
  return least(
    all(A.cols).flatMap((p) =>
      all(A.rows).map((q) => ({ p, q, value: costOf(standing, p, q, dot(rowOf(K, p), rowOf(C, q))) })),
    ),
  )
}

/** The rows by exchanges that gain a hundredth at least, everything formed anew after each of them. */
function exchanged(A: Matrix): { rows: number[]; swaps: number } {
  const rows = [...qrPivoted(transpose(A)).permutation.slice(0, A.cols)].sort((a, b) => a - b)
  let thorough = false
  let swaps = 0
  for (; swaps < 4 * A.cols; swaps++) {
    const standing = standingOf(A, rows)
    const now = squares(rowsOf(A, rows)) * squares(standing.P)
    const worth = (found: Found | undefined) => (found !== undefined && found.value < 0.99 * now ? found : undefined)
    let found = worth(likely(standing))
    if (found === undefined && !thorough) {
      thorough = true
      found = worth(best(standing))
    }
    if (found === undefined) break
    rows[found.p] = found.q
  }
  return { rows: rows.sort((a, b) => a - b), swaps }
}

/** What messages look like: columns of different spread about different means, and ones. */
function design(n: number, k: number, seed: number, spread = 4): Matrix {
  const A = matrix(n, k, rng(seed).normals(n * k))
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < k - 1; j++) A.data[i * k + j] = (A.data[i * k + j]! + j) * spread ** -j
    A.data[i * k + k - 1] = -1
  }
  return A
}

describe('messages by exchange', () => {
  test.each([
    [6, 2],
    [9, 3],
    [30, 4],
    [40, 7],
    [25, 12],
  ])('of %d messages of %d columns those that exchanges formed anew find', (n, k) => {
    let swapped = 0
    for (let seed = 0; seed < 8; seed++) {
      const A = design(n, k, seed, 1 + seed)
      const { rows, swaps } = exchanged(A)
      swapped += swaps
      const start = [...qrPivoted(transpose(A)).permutation.slice(0, k)].sort((a, b) => a - b)
      const better = conditionNumber(rowsOf(A, rows)) < conditionNumber(rowsOf(A, start))
      expect([...selectByCondition(A).rows], `seed ${seed}`).toEqual(better ? rows : start)
    }
    expect(swapped).toBeGreaterThan(4)
  })

  test('nothing is exchanged where there is nothing, or where no inverse can be judged by', () => {
    const square = design(4, 4, 1)
    expect([...selectByCondition(square).rows]).toEqual([0, 1, 2, 3])
    const singular = design(8, 3, 1)
    for (let i = 0; i < 8; i++) singular.data[3 * i + 1] = 2 * singular.data[3 * i]!
    const { rows } = selectByCondition(singular)
    expect([...rows]).toEqual([...qrPivoted(transpose(singular)).permutation.slice(0, 3)].sort((a, b) => a - b))
  })
})
