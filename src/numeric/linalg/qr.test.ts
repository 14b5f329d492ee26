import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type HardKind,
  hardMatrices,
  largest,
  randomMatrix,
  ulpsApart,
  ulpsFromOrthonormal,
} from '../../../test/linalg-checks.js'
import { referenceQr, referenceQrPivoted } from './linalg-reference.js'
import { identity, type Matrix, matrix, matrixOf, multiply, transpose } from './matrix.js'
import { leastSquaresQr, qr, qrPivoted } from './qr.js'
import { svd } from './svd.js'

const problem = fc.record({
  kind: fc.constantFrom(...(Object.keys(hardMatrices) as HardKind[])),
  rows: fc.integer({ min: 0, max: 40 }),
  cols: fc.integer({ min: 0, max: 40 }),
  seed: fc.nat(1e6),
})

const columns = (A: Matrix, order: ArrayLike<number>): Matrix =>
  matrix(
    A.rows,
    A.cols,
    A.data.map((_, at) => A.data[at - (at % A.cols) + order[at % A.cols]!]!),
  )

function expectTriangular(R: Matrix): void {
  const wrong = R.data.findIndex((x, at) => {
    const below = Math.floor(at / R.cols) - (at % R.cols)
    return below > 0 ? x !== 0 : below === 0 && !(x >= 0)
  })
  expect(wrong).toBe(-1)
}

describe('qr', () => {
  test('gives an orthonormal Q and a triangular R that multiply to A', () => {
    fc.assert(
      fc.property(problem, ({ kind, rows, cols, seed }) => {
        const A = hardMatrices[kind]({ rows, cols }, seed)
        const { Q, R } = qr(A)
        expect([Q.rows, Q.cols, R.rows, R.cols]).toEqual([rows, Math.min(rows, cols), Math.min(rows, cols), cols])
        expectTriangular(R)
        expect(ulpsFromOrthonormal(Q)).toBeLessThan(100)
        expect(ulpsApart(multiply(Q, R), A)).toBeLessThan(200)
        expect(qr(A)).toEqual({ Q, R })
      }),
      { numRuns: 200 },
    )
  })

  test.each([
    [150, 64],
    [97, 97],
    [70, 130],
    [200, 111],
  ])('holds where blocks are used: %d x %d', (rows, cols) => {
    const A = randomMatrix({ rows, cols }, 5)
    const { Q, R } = qr(A)
    expectTriangular(R)
    expect(ulpsFromOrthonormal(Q)).toBeLessThan(40)
    expect(ulpsApart(multiply(Q, R), A)).toBeLessThan(60)
    const plain = referenceQr(A)
    expect(ulpsApart(Q, plain.Q)).toBeLessThan(1e5)
    expect(ulpsApart(R, plain.R)).toBeLessThan(1e4)
  })

  test('agrees with the reference where the factors are unique', () => {
    for (const [rows, cols] of [
      [1, 1],
      [3, 3],
      [7, 4],
      [4, 7],
      [33, 20],
    ] as const) {
      const A = randomMatrix({ rows, cols }, rows + cols)
      const plain = referenceQr(A)
      const { Q, R } = qr(A)
      expect(ulpsApart(Q, plain.Q)).toBeLessThan(1e4)
      expect(ulpsApart(R, plain.R)).toBeLessThan(1e4)
    }
  })

  test('leaves a triangular matrix as it is', () => {
    const A = matrixOf([
      [2, -1, 3],
      [0, 5, 1e-200],
      [0, 0, 1e-8],
    ])
    expect(qr(A)).toEqual({ Q: identity(3), R: A })
  })

  test('names the entry that is not a number', () => {
    const A = randomMatrix({ rows: 3, cols: 4 }, 1)
    A.data[6] = Number.NaN
    expect(() => qr(A)).toThrow(
      expect.objectContaining({ code: 'E_NON_FINITE', message: expect.stringContaining('A[1, 2] is NaN') }),
    )
    A.data[6] = Number.NEGATIVE_INFINITY
    expect(() => qrPivoted(A)).toThrow('A[1, 2] is -Infinity')
  })

  test('takes the largest and the smallest doubles', () => {
    const A = matrixOf([
      [Number.MAX_VALUE / 2, -Number.MAX_VALUE / 4],
      [Number.MAX_VALUE / 2, Number.MAX_VALUE / 4],
    ])
    const { Q, R } = qr(A)
    expect(ulpsFromOrthonormal(Q)).toBeLessThan(4)
    expect(R.data[0]! / Number.MAX_VALUE).toBeCloseTo(Math.SQRT1_2, 14)
    const least = matrixOf([[Number.MIN_VALUE * 3], [Number.MIN_VALUE * 4]])
    expect(qr(least).R.data[0]).toBe(Number.MIN_VALUE * 5)
  })
})

describe('qrPivoted', () => {
  test('permutes, factors and orders the diagonal', () => {
    fc.assert(
      fc.property(problem, ({ kind, rows, cols, seed }) => {
        const A = hardMatrices[kind]({ rows, cols }, seed)
        const { Q, R, permutation, rank } = qrPivoted(A)
        expect([...permutation].sort((a, b) => a - b)).toEqual(Array.from({ length: cols }, (_, j) => j))
        expectTriangular(R)
        expect(ulpsFromOrthonormal(Q)).toBeLessThan(100)
        expect(ulpsApart(multiply(Q, R), columns(A, permutation))).toBeLessThan(200)
        for (let k = 1; k < R.rows; k++) {
          // Norms of rounding size are compared after rounding: they may be out of order by that much.
          const slack = 64 * Number.EPSILON * R.data[0]!
          expect(R.data[k * cols + k]).toBeLessThanOrEqual(R.data[(k - 1) * cols + k - 1]! + slack)
        }
        expect(rank).toBeLessThanOrEqual(Math.min(rows, cols))
        expect(qrPivoted(A)).toEqual({ Q, R, permutation, rank })
      }),
      { numRuns: 200 },
    )
  })

  test('chooses the columns that the reference chooses', () => {
    for (const [rows, cols] of [
      [5, 5],
      [9, 6],
      [6, 9],
      [40, 33],
    ] as const) {
      const A = randomMatrix({ rows, cols }, 3 * rows + cols)
      const plain = referenceQrPivoted(A)
      const { Q, R, permutation } = qrPivoted(A)
      expect(permutation).toEqual(plain.permutation)
      expect(ulpsApart(Q, plain.Q)).toBeLessThan(1e4)
      expect(ulpsApart(R, plain.R)).toBeLessThan(1e4)
    }
  })

  test('takes the first of columns that are equally long', () => {
    expect([...qrPivoted(identity(5)).permutation]).toEqual([0, 1, 2, 3, 4])
  })

  test.each([
    ['zero', 6, 4, 0],
    ['ones', 6, 4, 1],
    ['rank two', 30, 12, 2],
    ['rank two', 12, 30, 2],
    ['repeated columns', 20, 9, 5],
    ['huge', 9, 7, 7],
    ['tiny', 9, 7, 7],
    ['random', 0, 3, 0],
  ] as const)('finds the rank: %s %d x %d', (kind, rows, cols, rank) => {
    expect(qrPivoted(hardMatrices[kind]({ rows, cols }, 11)).rank).toBe(rank)
  })

  test('measures the rank against the tolerance it is given', () => {
    const A = matrixOf([
      [0, 1e-3, 0],
      [1, 0, 0],
      [0, 0, 1e-6],
    ])
    expect([...qrPivoted(A).permutation]).toEqual([0, 1, 2])
    expect([1e-2, 1e-4, 1e-7, 0].map((tolerance) => qrPivoted(A, { tolerance }).rank)).toEqual([1, 2, 3, 3])
    expect(() => qrPivoted(A, { tolerance: -1 })).toThrow('tolerance is -1')
    expect(() => qrPivoted(A, { tolerance: Number.NaN })).toThrow('tolerance is NaN')
  })
})

/** The least norm of A x - b over all x, squared, by projecting b on the span of A that counts. */
function leastResidual(A: Matrix, b: Matrix, rank: number): number {
  const { U } = svd(A)
  let sum = 0
  for (let i = 0; i < A.rows; i++) sum += b.data[i]! * b.data[i]!
  for (let k = 0; k < rank; k++) {
    let along = 0
    for (let i = 0; i < A.rows; i++) along += U.data[i * U.cols + k]! * b.data[i]!
    sum -= along * along
  }
  return Math.max(sum, 0)
}

describe('leastSquaresQr', () => {
  test('leaves a residual at right angles to A', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 12 }), fc.nat(1e6), (cols, more, seed) => {
        const A = randomMatrix({ rows: cols + more, cols }, seed)
        const B = randomMatrix({ rows: cols + more, cols: 3 }, seed + 1)
        const { X, rank, residualNormSq } = leastSquaresQr(A, B)
        expect(rank).toBe(cols)
        const fit = multiply(A, X)
        const miss = matrix(
          B.rows,
          3,
          B.data.map((b, i) => b - fit.data[i]!),
        )
        const size = largest(X.data) * largest(A.data) + largest(B.data)
        expect(largest(multiply(transpose(A), miss).data)).toBeLessThanOrEqual(
          1e-12 * (cols + more + 1) * size * largest(A.data) + 1e-300,
        )
        for (let c = 0; c < 3; c++) {
          let sum = 0
          for (let i = 0; i < B.rows; i++) sum += miss.data[i * 3 + c]! * miss.data[i * 3 + c]!
          expect(Math.abs(sum - residualNormSq[c]!)).toBeLessThanOrEqual(1e-12 * size * size)
        }
      }),
      { numRuns: 100 },
    )
  })

  test('recovers what made the right-hand side, at any scale', () => {
    for (const [a, b] of [
      [1, 1],
      [1e150, 1],
      [1e-150, 1],
      [1, 1e150],
      [1e-150, 1e150],
      [1e150, 1e-150],
    ] as const) {
      const A = randomMatrix({ rows: 60, cols: 17 }, 4)
      const truth = randomMatrix({ rows: 17, cols: 2 }, 5)
      const B = multiply(A, truth)
      const { X, rank } = leastSquaresQr(
        matrix(
          60,
          17,
          A.data.map((x) => x * a),
        ),
        matrix(
          60,
          2,
          B.data.map((x) => x * b),
        ),
      )
      expect(rank).toBe(17)
      const back = matrix(
        17,
        2,
        X.data.map((x) => (a < 1 ? (x * a) / b : (x / b) * a)),
      )
      expect(ulpsApart(back, truth)).toBeLessThan(100)
    }
  })

  test.each(['zero', 'ones', 'rank two', 'repeated columns'] as const)(
    'is still a minimiser when deficient: %s',
    (kind) => {
      for (const [rows, cols] of [
        [20, 8],
        [8, 20],
        [9, 9],
      ] as const) {
        const A = hardMatrices[kind]({ rows, cols }, 21)
        const b = randomMatrix({ rows, cols: 1 }, 22)
        const { X, rank, residualNormSq } = leastSquaresQr(A, b)
        expect(rank).toBe(qrPivoted(A).rank)
        expect(rank).toBeLessThan(cols)
        expect(X.data.every(Number.isFinite)).toBe(true)
        expect(X.data.filter((x) => x !== 0).length).toBeLessThanOrEqual(rank)
        expect(residualNormSq[0]).toBeCloseTo(leastResidual(A, b, rank), 10)
      }
    },
  )

  test('tells full rank from deficient across condition numbers', () => {
    for (let exponent = 0; exponent <= 20; exponent++) {
      const A = matrix(30, 2)
      for (let i = 0; i < 30; i++) A.data.set([1, 1 + (i % 2 === 0 ? 1 : -1) * 10 ** -exponent], 2 * i)
      expect(leastSquaresQr(A, matrix(30, 1)).rank).toBe(qrPivoted(A).rank)
      if (exponent <= 12) expect(qrPivoted(A).rank).toBe(2)
      if (exponent >= 16) expect(qrPivoted(A).rank).toBe(1)
    }
  })

  test('takes no rows, no columns and no right-hand sides', () => {
    expect(leastSquaresQr(matrix(0, 3), matrix(0, 2))).toEqual({
      X: matrix(3, 2),
      rank: 0,
      residualNormSq: new Float64Array(2),
    })
    expect(leastSquaresQr(matrix(2, 0), matrixOf([[3], [4]]))).toEqual({
      X: matrix(0, 1),
      rank: 0,
      residualNormSq: Float64Array.of(25),
    })
    expect(leastSquaresQr(identity(2), matrix(2, 0))).toEqual({
      X: matrix(2, 0),
      rank: 2,
      residualNormSq: new Float64Array(0),
    })
  })

  test('refuses right-hand sides that do not fit', () => {
    expect(() => leastSquaresQr(identity(3), matrix(2, 1))).toThrow(expect.objectContaining({ code: 'E_SHAPE' }))
    const B = matrix(3, 2)
    B.data[5] = Number.POSITIVE_INFINITY
    expect(() => leastSquaresQr(identity(3), B)).toThrow('B[2, 1] is Infinity')
  })
})
