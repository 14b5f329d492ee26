/**
 * The compiled kernels of dense linear algebra (wasm/columns.ts and on), all f64. "Columns" are stored one after the
 * other, each padded with zeros to `ld` doubles, a multiple of four.
 */
type Address = number

export interface DenseKernels {
  /** Largest magnitude; NaN when there is one. */
  maxAbs(a: Address, n: number): number
  /** Columns of a row-major [m, n], times `by`. */
  loadColumns(to: Address, ld: number, from: Address, m: number, n: number, by: number): void
  /** Columns of the transpose of a row-major [n, m], times `by`. */
  loadRows(to: Address, ld: number, from: Address, m: number, n: number, by: number): void
  /** The first m rows of n columns as a row-major [m, n]. */
  storeColumns(to: Address, from: Address, ld: number, m: number, n: number): void
  /** The first n unit vectors. */
  unitColumns(to: Address, ld: number, n: number): void
  /** a *= by, and the sum of products, over a padded length. */
  scaleColumn(a: Address, length: number, by: number): void
  dotColumns(a: Address, b: Address, length: number): number
  /** Columns a become R, v and tau the reflectors; pivoted when there is an `order`. `work`: n + 32 (32 + 2 n) doubles. */
  factorQr(a: Address, ld: number, m: number, n: number, v: Address, tau: Address, order: Address, work: Address): void
  /** Q C, or with `forward` Qᵀ C, for `count` columns; `unit` when these are the first unit vectors. `work`: 32 (32 + 2 count) doubles. */
  applyQ(
    c: Address,
    count: number,
    ld: number,
    v: Address,
    tau: Address,
    r: number,
    forward: number,
    unit: number,
    work: Address,
  ): void
  /** Singular values, with u also vectors, of columns with m >= n. -1: no convergence. */
  decompose(u: Address, s: Address, v: Address, a: Address, ld: number, m: number, n: number, work: Address): number
  decomposeRoom(m: number, n: number): number
  /** The exponent that `decompose` wants the largest entry to have. */
  wantedExponent(n: number): number
  /** -1, or the first matrix that is not finite, or -2 - the first that did not converge. */
  conditionBatch(to: Address, from: Address, count: number, rows: number, cols: number, work: Address): number
  batchRoom(rows: number, cols: number): number
  /** X = T⁻¹ X, X row-major [n, k]; T's entry (i, j) lies at i * tRow + j * tCol. */
  solveTriangular(
    t: Address,
    tRow: number,
    tCol: number,
    n: number,
    x: Address,
    k: number,
    upper: number,
    unit: number,
  ): void
  /** Lower bound of the condition number of an upper triangle, the better the more steps. `work`: 2 n doubles. */
  estimateTriangle(t: Address, tRow: number, tCol: number, n: number, steps: number, work: Address): number
  /**
   * Eigenvalues d, ascending, and vectors, one a row of q from row `from` on, of the rows a of a symmetric matrix. -1: no
   * convergence.
   */
  symmetricEigen(d: Address, q: Address, a: Address, ld: number, n: number, work: Address, from: number): number
  eigenRoom(n: number): number
  /** Row-major [m, n] in place; `order`: m ints. Returns the sign of the permutation. */
  factorLu(a: Address, m: number, n: number, order: Address): number
  /** Lower triangle of a row-major [n, n] in place. Returns -1, or the first pivot that is not positive. */
  factorCholesky(a: Address, n: number): number
  /** to = from / by. */
  divideInto(to: Address, from: Address, n: number, by: number): void
  /** The inverse of a row-major lower triangle, zeros above. `work`: 96 n doubles. */
  invertLower(x: Address, l: Address, n: number, work: Address): void
  /** to[i] = sum over rows r of X[r, a + i] X[r, b + i] for i < count, X lower triangular. */
  columnProducts(to: Address, x: Address, n: number, a: number, b: number, count: number): void
  /** y = Xᵀ X b, X lower triangular; returns |X b|². */
  throughInverse(y: Address, x: Address, n: number, b: Address): number
}
