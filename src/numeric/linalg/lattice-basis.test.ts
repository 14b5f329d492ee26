import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rng } from '../random/rng.js'
import { type LatticeBasis, shortBasis, shorterBasis } from './lattice-basis.js'
import { type Matrix, matrix, matrixOf } from './matrix.js'

/** The vectors of a basis, from the multiples that they are made of. */
function vectorsOf({ count, width, whole }: LatticeBasis, { data }: Matrix): number[][] {
  return Array.from({ length: count }, (_, i) =>
    Array.from({ length: width }, (_, j) => {
      let sum = 0
      for (let c = 0; c < count; c++) sum += whole[i * count + c]! * data[c * width + j]!
      return sum
    }),
  )
}

/** The determinant of whole numbers, exactly: Bareiss's elimination. */
function exactDeterminant(whole: Float64Array, n: number): bigint {
  const a = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => BigInt(whole[i * n + j]!)))
  let [sign, before] = [1n, 1n]
  for (let k = 0; k < n - 1; k++) {
    const pivot = a.findIndex((row, i) => i >= k && row[k] !== 0n)
    if (pivot < 0) return 0n
    if (pivot !== k) {
      ;[a[k], a[pivot]] = [a[pivot]!, a[k]!]
      sign = -sign
    }
    for (let i = k + 1; i < n; i++) {
      for (let j = k + 1; j < n; j++) a[i]![j] = (a[i]![j]! * a[k]![k]! - a[i]![k]! * a[k]![j]!) / before
    }
    before = a[k]![k]!
  }
  return sign * a[n - 1]![n - 1]!
}

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, x, j) => sum + x * b[j]!, 0)

/** What the numbers of a basis must be, by the plain rules of Gram and Schmidt. */
function checked(basis: LatticeBasis, vectors: Matrix): number[][] {
  const { count: n, width, mu, q, squares } = basis
  const own = vectorsOf(basis, vectors)
  const parts: number[][] = []
  for (const [i, b] of own.entries()) {
    let part = [...b]
    for (const [j, other] of parts.entries()) {
      const along = dot(b, other) / dot(other, other)
      expect(mu[i * n + j]).toBeCloseTo(along, 6)
      part = part.map((x, at) => x - along * other[at]!)
    }
    parts.push(part)
    const size = Math.sqrt(dot(part, part))
    expect(Math.sqrt(squares[i]!) / size).toBeCloseTo(1, 6)
    for (let at = 0; at < width; at++) expect(q[i * width + at]! / size).toBeCloseTo(part[at]! / size, 5)
  }
  return parts
}

const drawn = (seed: number, count: number, extra: number, spread: number): Matrix => {
  const r = rng(seed).fork('lattice')
  const A = matrix(count, count + extra)
  for (let i = 0; i < count; i++) {
    A.data[i * A.cols + i] = 1
    for (let e = 0; e < extra; e++) A.data[i * A.cols + count + e] = spread * r.normal()
  }
  return A
}

test('another basis of the same lattice, short and nearly at right angles, of any size and however unlike the lengths', () => {
  const size = fc.integer({ min: 1, max: 9 })
  fc.assert(
    fc.property(
      fc.integer(),
      size,
      fc.integer({ min: 0, max: 3 }),
      fc.integer({ min: -3, max: 7 }),
      (seed, n, extra, digits) => {
        const vectors = drawn(seed, n, extra, Number(`1e${digits}`))
        const short = shortBasis(vectors)
        for (const basis of [short, shorterBasis(short)]) {
          const determinant = exactDeterminant(basis.whole, n)
          expect(determinant === 1n || determinant === -1n).toBe(true)
          checked(basis, vectors)
          for (let i = 0; i < n; i++)
            for (let j = 0; j < i; j++) expect(Math.abs(basis.mu[i * n + j]!)).toBeLessThan(0.51)
        }
        // No vector is shorter, beside those before it, than the one that stands before it; of the shorter basis than any.
        const { mu, squares } = shorterBasis(short)
        for (let k = 1; k < n; k++) {
          for (let i = 0; i < k; i++) {
            let rest = squares[k]!
            for (let j = i; j < k; j++) rest += mu[k * n + j]! * mu[k * n + j]! * squares[j]!
            expect(rest).toBeGreaterThan(0.98 * squares[i]!)
          }
        }
        for (let k = 1; k < n; k++) {
          const along = short.mu[k * n + k - 1]!
          expect(short.squares[k]! + along * along * short.squares[k - 1]!).toBeGreaterThan(
            0.98 * short.squares[k - 1]!,
          )
        }
      },
    ),
    { numRuns: 60 },
  )
})

test('what goes into it is left alone, and a shorter basis leaves the short one as it was', () => {
  const vectors = drawn(5, 8, 1, 1e6)
  const before = vectors.data.slice()
  const short = shortBasis(vectors)
  const kept = { whole: short.whole.slice(), mu: short.mu.slice(), q: short.q.slice(), squares: short.squares.slice() }
  const shorter = shorterBasis(short)
  expect(vectors.data).toEqual(before)
  expect({ whole: short.whole, mu: short.mu, q: short.q, squares: short.squares }).toEqual(kept)
  expect(shorter.squares[0]).toBeLessThanOrEqual(short.squares[0]!)
})

test('the shortest vector of a plane is found, whatever spans it', () => {
  // (1, 0) and (0, 3), by vectors that are 1000 times as long.
  const vectors = matrixOf([
    [1001, 3000],
    [1000, 2997],
  ])
  const short = vectorsOf(shortBasis(vectors), vectors)
  expect(short.map((b) => Math.hypot(...b)).sort((a, b) => a - b)).toEqual([1, 3])
})

test('whole numbers of which sums vanish: thirty that add up to nothing in a known way', () => {
  const r = rng(8).fork('sums')
  const n = 30
  const numbers = Array.from({ length: n }, () => r.integer(1_000_000_000) - 500_000_000)
  const chosen = Array.from({ length: n }, (_, i) => (i < n - 1 ? r.integer(2) : 1))
  numbers[n - 1] = -numbers.slice(0, -1).reduce((sum, x, i) => sum + chosen[i]! * x, 0)
  const vectors = matrix(n, n + 1)
  for (let i = 0; i < n; i++) {
    vectors.data[i * (n + 1) + i] = 1
    vectors.data[i * (n + 1) + n] = 1000 * numbers[i]!
  }
  const first = vectorsOf(shorterBasis(shortBasis(vectors)), vectors)[0]!
  expect(first.at(-1)).toBe(0)
  expect(dot(first, first)).toBeLessThanOrEqual(chosen.reduce((sum, x) => sum + x, 0))
})

test('no vector, one, and vectors that depend on each other', () => {
  expect(shortBasis(matrix(0, 3)).count).toBe(0)
  const one = shortBasis(matrixOf([[3, 4]]))
  expect([...one.whole, ...one.squares]).toEqual([1, 25])
  expect(() => shortBasis(matrixOf([[1, 2], [2, 4]]))).toThrow('vector 1 of a lattice depends on others') // biome-ignore format: a line
  // 1e17 times the first are taken off the second, which is no whole number in doubles any more.
  expect(() => shortBasis(matrixOf([[1, 0], [1e17, 1e10]]))).toThrow("a lattice's basis takes -100000000000000000 times a vector") // biome-ignore format: a line
  expect(() => shortBasis(matrixOf([[0, 0]]))).toThrow('vector 0')
  expect(() => shortBasis(matrixOf([[Number.NaN, 0]]))).toThrow('vector 0')
})
