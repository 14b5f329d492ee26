import { cholesky, choleskySolve, lowerInverse } from '../src/numeric/linalg/cholesky.js'
import { conditionNumber, conditionNumbers, estimateCondition, trustedDigits } from '../src/numeric/linalg/condition.js'
import { conjugateGradient } from '../src/numeric/linalg/conjugate-gradient.js'
import { symmetricEigen } from '../src/numeric/linalg/eigen.js'
import { leastSquares } from '../src/numeric/linalg/least-squares.js'
import { powerOfTwo, requireSymmetric, scaleExponent, timesPowerInto } from '../src/numeric/linalg/linalg-input.js'
import {
  referenceCholesky,
  referenceQr,
  referenceQrPivoted,
  referenceSolve,
  referenceSvd,
  referenceSymmetricEigen,
} from '../src/numeric/linalg/linalg-reference.js'
import { lsqr } from '../src/numeric/linalg/lsqr.js'
import { determinant, lu, solve } from '../src/numeric/linalg/lu.js'
import {
  columnsOf,
  identity,
  type Matrix,
  matrix,
  matrixOf,
  multiply,
  perRecord,
  rowsOf,
  transpose,
} from '../src/numeric/linalg/matrix.js'
import { columnNorms, multiplyTransposedVector, multiplyVector, residual } from '../src/numeric/linalg/matrix-vector.js'
import { nnls } from '../src/numeric/linalg/nnls.js'
import { numericalRank, pseudoInverse } from '../src/numeric/linalg/pseudo-inverse.js'
import { leastSquaresQr, qr, qrPivoted } from '../src/numeric/linalg/qr.js'
import { ridge } from '../src/numeric/linalg/ridge.js'
import { simplexLeastSquares } from '../src/numeric/linalg/simplex-least-squares.js'
import {
  denseFromSparse,
  sparseFromDense,
  sparseFromTriplets,
  sparseMultiply,
  sparseMultiplyTransposed,
} from '../src/numeric/linalg/sparse.js'
import { singularValues, svd } from '../src/numeric/linalg/svd.js'
import {
  combine,
  diagonalise,
  tikhonovBetas,
  tikhonovCurve,
  tikhonovSolutions,
} from '../src/numeric/linalg/tikhonov.js'
import { cornerOfLCurve, leastCrossValidation, smallestBetaWithSlope } from '../src/numeric/linalg/tikhonov-choice.js'
import { totalLeastSquares } from '../src/numeric/linalg/total-least-squares.js'
import { solveUpper, solveUpperTransposed } from '../src/numeric/linalg/triangular.js'
import { dot, norm } from '../src/numeric/linalg/vector.js'
import { rng } from '../src/numeric/random/rng.js'
import { pinResults } from './pinned-results.js'

const normal = (rows: number, cols: number, scale = 1): Matrix =>
  matrix(rows, cols, rng(`${rows} x ${cols}`).normals(rows * cols, { std: scale }))
const vector = (n: number, scale = 1): Float64Array => normal(n, 1, scale).data
const gram = (n: number): Matrix => multiply(transpose(normal(n + 3, n)), normal(n + 3, n))
/** Of rank 2. */
const thin = (rows: number, cols: number): Matrix => multiply(normal(rows, 2), normal(2, cols))
const graded = (n: number): Matrix =>
  matrix(
    n,
    n,
    normal(n, n).data.map((x, at) => x * powerOfTwo(-3 * (at % n))),
  )

const shapes: readonly (readonly [number, number])[] = [[1, 1], [2, 1], [1, 3], [4, 4], [7, 3], [3, 7], [13, 12], [33, 9], [40, 37]] // biome-ignore format: a list
const wide: readonly Matrix[] = [
  ...shapes.map(([m, n]) => normal(m, n)),
  ...[thin(6, 5), thin(5, 8), thin(36, 34), graded(6), graded(36)],
  ...[normal(5, 4, 1e200), normal(5, 4, 1e-200), matrix(3, 2), matrix(0, 3), matrix(3, 0), identity(5)],
  ...[matrixOf([[1, Number.NaN]]), matrixOf([[Number.POSITIVE_INFINITY], [1]])],
]
const squares: readonly Matrix[] = [1, 2, 3, 5, 9, 33, 40].map((n) => normal(n, n))
const oddSquares = [...squares, graded(6), thin(5, 5), matrix(3, 3), normal(2, 3), matrix(0, 0), normal(4, 4, 1e300)]
const definite: readonly Matrix[] = [
  ...[1, 2, 3, 5, 9, 34, 100, 193].map(gram),
  thin(4, 4),
  identity(3),
  normal(3, 3),
  matrix(2, 2),
]
const sides = ({ rows }: Matrix): Matrix[] => [normal(rows, 1), normal(rows, 3), matrix(rows, 1), normal(rows + 1, 2)]
/** A function of a matrix at each of them. */
const of = (matrices: readonly Matrix[], run: (A: Matrix) => unknown) => matrices.map((A) => () => run(A))
const withSides = (matrices: readonly Matrix[], run: (A: Matrix, B: Matrix) => unknown) =>
  matrices.flatMap((A) => sides(A).map((B) => () => run(A, B)))
const withVector = (matrices: readonly Matrix[], run: (A: Matrix, b: Float64Array) => unknown) =>
  matrices.flatMap((A) => [vector(A.rows), new Float64Array(A.rows), vector(A.rows + 1)].map((b) => () => run(A, b)))
/** Many of one shape: in some of them several variables reach zero at once. */
const drawn = Array.from({ length: 40 }, (_, k) => {
  const r = rng('drawn').fork(k)
  return { A: matrix(8, 6, r.normals(48).map((x) => x + 0.7)), b: r.normals(8) } // biome-ignore format: a line
})
const problems = [normal(9, 4), normal(4, 9), thin(7, 5), graded(6), normal(12, 12)].map((A) =>
  diagonalise(A, vector(A.rows)),
)

pinResults('linalg', {
  'products of matrices and vectors': [
    ...of(wide.slice(0, 9), (A) => [multiply(A, transpose(A)), transpose(A), columnNorms(A)]),
    ...withVector(wide.slice(0, 6), (A, b) => [multiplyTransposedVector(A, b), residual(A, vector(A.cols), b)]),
    ...of(wide.slice(0, 6), (A) => [rowsOf(A, [0]), columnsOf(A, [A.cols - 1, 0]), multiplyVector(A, vector(A.cols))]),
    () => multiply(normal(2, 3), normal(2, 3)),
    ...[0, 1, 5, 64].map((n) => () => [dot(vector(n), vector(n)), norm(vector(n)), norm(vector(n, 1e200))]),
    ...[1e-300, 1e-200, 1, 3, 1e150, 1e308].map((x) => () => [
      scaleExponent(x),
      scaleExponent(x, 10),
      norm(vector(4, x)),
    ]),
    ...[-1074, -1022, -600, 0, 12, 1023].map((e) => () => [powerOfTwo(e), timesPowerInto(vector(4), e)]),
  ],
  Cholesky: [
    ...of([normal(2, 3), normal(3, 2)], (A) => [lowerInverse(A)]),
    ...of([normal(2, 3), normal(3, 2)], (A) => [choleskySolve(A, normal(2, 1))]),
    ...of(definite, cholesky),
    ...of(definite.slice(0, 8), (A) => lowerInverse(cholesky(A))),
    ...withSides(definite.slice(0, 8), (A, B) => choleskySolve(cholesky(A), B)),
  ],
  LU: [...of(oddSquares, lu), ...of(oddSquares, determinant), ...withSides(oddSquares, solve)],
  QR: [
    ...of(wide, qr),
    ...of(wide, (A) => qrPivoted(A)),
    ...of(wide.slice(0, 9), (A) => qrPivoted(A, { tolerance: 0.3 })),
    ...withSides(wide, leastSquaresQr),
  ],
  triangles: squares.slice(0, 5).map((A) => () => {
    const { R } = qr(A)
    return [
      solveUpper(R, normal(A.rows, 2)),
      solveUpperTransposed(R, normal(A.rows, 2)),
      solveUpper(R, normal(1, 2), 1),
    ]
  }),
  'singular values': [...of(wide, svd), ...of(wide, singularValues)],
  eigenvalues: [
    ...of(definite, symmetricEigen),
    ...of([normal(3, 3), normal(2, 3)], symmetricEigen),
    ...of(squares, requireSymmetric),
  ],
  'condition numbers': [
    ...of(wide, conditionNumber),
    ...of(oddSquares, estimateCondition),
    ...[1, 10, 1e8, 1e15, 1e16, 1e20, Number.POSITIVE_INFINITY].map((c) => () => trustedDigits(c)),
    ...[1, 2, 5].map((n) => () => conditionNumbers(vector(3 * n * n), { count: 3, rows: n, cols: n } as never)),
  ],
  'pseudo-inverses': [
    ...of(wide, (A) => pseudoInverse(A)),
    ...of(wide.slice(0, 8), (A) => pseudoInverse(A, { tolerance: 0.4 })),
    () => numericalRank(Float64Array.of(3, 1, 0.1), 0.1),
    () => numericalRank(Float64Array.of(3, 1, 0.3), 0.1),
    () => numericalRank(new Float64Array(0), 0.1),
  ],
  'least squares': [
    ...withSides(wide, (A, B) => leastSquares(A, B)),
    ...withSides(wide.slice(0, 8), (A, B) => leastSquares(A, B, { tolerance: 0.4 })),
    () => leastSquares(normal(2, 2), normal(2, 1), { tolerance: -1 }),
    () => leastSquares(normal(2, 2), normal(2, 1), { tolerance: 1 }),
  ],
  'total least squares': withSides(wide, totalLeastSquares),
  'ridge regression': [
    ...withVector(wide, (A, b) => ridge(A, b, { lambda: 0.5 })),
    ...withVector(wide.slice(3, 8), (A, b) => ridge(A, b, { lambda: 2, weights: vector(A.rows).map((x) => x * x) })),
    ...[-1, 0, Number.NaN, 1e-300].map((lambda) => () => ridge(normal(4, 2), vector(4), { lambda })),
    ...[[1, -1, 1, 1], [1, 1, 1], [0, 0, 0, 1]].map((w) => () => ridge(normal(4, 2), vector(4), { lambda: 1, weights: Float64Array.from(w) })), // biome-ignore format: a list
  ],
  'non-negative least squares': [
    ...drawn.map(
      ({ A, b }) =>
        () =>
          nnls(A, b),
    ),
    ...withVector(wide, (A, b) => nnls(A, b)),
    ...[0, 1, 2].map((maxIterations) => () => nnls(normal(9, 6), vector(9), { maxIterations })),
  ],
  'least squares over shares': [
    ...drawn.map(
      ({ A, b }) =>
        () =>
          simplexLeastSquares(A, b, { total: 1 }),
    ),
    ...withVector(wide, (A, b) => simplexLeastSquares(A, b, { total: 1 })),
    ...[0, -1, 5, Number.NaN].map((total) => () => simplexLeastSquares(normal(9, 4), vector(9), { total })),
    ...[0, 1, 2].map(
      (maxIterations) => () => simplexLeastSquares(normal(9, 6), vector(9), { total: 3, maxIterations }),
    ),
  ],
  'Tikhonov regularisation': problems.flatMap((problem) => {
    const betas = tikhonovBetas(problem, { from: 1e-6, to: 10, points: 9 })
    const curve = tikhonovCurve(problem, betas)
    return [
      () => [betas, curve, tikhonovSolutions(problem, betas)],
      () => [cornerOfLCurve(curve), leastCrossValidation(curve), combine(problem, vector(problem.s.length))],
      ...[-0.01, -1, -1e9, 0].map((slope) => () => smallestBetaWithSlope(curve, slope)),
      ...[{ from: 0 }, { points: 1 }, { from: 2, to: 1 }, { points: 2 }].map(
        (grid) => () => tikhonovBetas(problem, grid),
      ),
    ]
  }),
  'conjugate gradients': [
    ...withVector(definite, (A, b) => conjugateGradient(A, b)),
    ...withVector(definite.slice(2, 6), (A, b) =>
      conjugateGradient(A, b, { maxIterations: 2, precondition: (r) => r.map((x) => x / 2) }),
    ),
    () => conjugateGradient(normal(3, 4), vector(3)),
    () => conjugateGradient(sparseFromDense(gram(4)), vector(4), { tolerance: 0.1 }),
  ],
  LSQR: [
    ...withVector(wide.slice(0, 17), (A, b) => lsqr(A, b)),
    ...withVector(wide.slice(3, 8), (A, b) => lsqr(sparseFromDense(A), b, { beta: 0.3, tolerance: 1e-4 })),
    ...withVector(wide.slice(3, 8), (A, b) => lsqr(A, b, { maxIterations: 2 })),
    ...withVector([graded(6), thin(6, 5)], (A, b) => lsqr(A, b, { conditionLimit: 100 })),
    ...[{ beta: -1 }, { tolerance: 0 }, { maxIterations: 0 }].map(
      (options) => () => lsqr(normal(3, 2), vector(3), options),
    ),
  ],
  'sparse matrices': [
    ...of(wide.slice(0, 8), (A) => {
      const S = sparseFromDense(A)
      return [S, denseFromSparse(S), sparseMultiply(S, vector(A.cols)), sparseMultiplyTransposed(S, vector(A.rows))]
    }),
    ...[[[0, 1, 2], [1, 0, 3], [0, 1, -2]], [[2, 0, 1]], [[0, 3, 1]], [[-1, 0, 1]], [[0, 0, Number.NaN]], []].map((triplets) => () => sparseFromTriplets({ rows: 2, cols: 3 }, triplets as never)), // biome-ignore format: a list
  ],
  'edges of the doors': [
    ...[() => matrix(2, 2, vector(3)), () => perRecord(vector(7), 2), () => perRecord(vector(0), 0)],
    ...[[], [[1, 2], [3]], [[]], [[1], [2, 3]]].map((rows) => () => matrixOf(rows)), // biome-ignore format: a list
    () => perRecord(vector(6), 3),
    ...of(wide.slice(0, 14), lu),
    ...[0, 1, 0.5, -1e-9, 0.999].flatMap((tolerance) => [() => leastSquares(normal(4, 3), normal(4, 1), { tolerance }), () => qrPivoted(normal(4, 3), { tolerance }), () => pseudoInverse(normal(4, 3), { tolerance })]), // biome-ignore format: a list
    ...[{ beta: Number.POSITIVE_INFINITY }, { beta: 0 }, { tolerance: -1 }, { tolerance: Number.NaN }, { tolerance: 1e-300, maxIterations: 3 }].map((options) => () => lsqr(normal(3, 2), vector(3), options)), // biome-ignore format: a list
    () => lsqr({ rows: 3, cols: 2, apply: (x) => multiplyVector(normal(3, 2), x), applyTransposed: (y) => multiplyTransposedVector(normal(3, 2), y) }, vector(3)), // biome-ignore format: a line
    ...[0, 1].map((total) => () => simplexLeastSquares(matrix(3, 0), vector(3), { total })),
    ...[[[0, 0.5, 1]], [[0.5, 0, 1]], [[0, 0, 1e16], [0, 0, 1], [0, 0, -1e16]], [[1, 2, 5], [1, 1, 4], [0, 2, 3], [1, 1, 6]], [[0, 0, 1], [0, 0, -1]]].map((triplets) => () => sparseFromTriplets({ rows: 2, cols: 3 }, triplets as never)), // biome-ignore format: a list
    ...[{ to: Number.POSITIVE_INFINITY }, { from: 1, to: 1 }, { points: 2.5 }, {}].flatMap((grid) => problems.slice(0, 2).map((problem) => () => tikhonovBetas(problem, grid))), // biome-ignore format: a list
    () => tikhonovBetas(diagonalise(matrix(3, 2), vector(3)), { points: 3 }),
    () => tikhonovCurve(diagonalise(identity(3), vector(3)), Float64Array.of(0, 1e-30, 1)),
    ...[-0.5, -0.25].map((slope) => () => smallestBetaWithSlope([0, -0.25, -0.5, -0.5, -0.1].map((own, i) => ({ slope: own, beta: i, gcv: 3, curvature: 1 })) as never, slope)), // biome-ignore format: a list
    () => [leastCrossValidation([3, 2, 2, Number.NaN].map((gcv, beta) => ({ gcv, beta })) as never), smallestBetaWithSlope([0, -0.25, -0.25].map((slope, beta) => ({ slope, beta })) as never, -1)], // biome-ignore format: a list
    ...[matrix(3, 2), matrixOf([[0, 1], [0, 2], [0, 3]]), matrixOf([[-1, 0], [0, -2]]), matrixOf([[1, 0], [0, 1], [0, 0]])].flatMap((A) => [() => referenceQr(A), () => referenceQrPivoted(A), () => referenceSvd(A)]), // biome-ignore format: a list
    ...[matrix(2, 2), matrixOf([[1, 2], [2, 1]]), matrixOf([[1, 1], [1, 1]]), matrixOf([[0, 1], [1, 0]]), matrixOf([[1, 2], [-1, 3]]), identity(3)].flatMap((A) => [() => referenceCholesky(A), () => referenceSolve(A, normal(A.rows, 1)), () => (A.data[1] === A.data[A.cols] ? referenceSymmetricEigen(A) : 0)]), // biome-ignore format: a list
  ],
  'the references': [
    ...of(wide.slice(0, 14), (A) => [referenceQr(A), referenceQrPivoted(A)]),
    ...of([...wide.slice(0, 6), ...wide.slice(8, 14), matrix(4, 3), matrix(5, 3, thin(5, 3).data)], referenceSvd),
    ...of(definite.slice(0, 6), (A) => [referenceCholesky(A), referenceSolve(A, normal(A.rows, 2))]),
    ...of(definite.slice(0, 6), referenceSymmetricEigen),
    ...of(squares, (A) => referenceSolve(A, normal(A.rows, 2))),
  ],
})
