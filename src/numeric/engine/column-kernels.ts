/**
 * The compiled kernels for a matrix D of per-record gradients that is kept as factors (wasm/record-columns.ts), and for
 * quadratics over shares (wasm/share-descent.ts), f64 unless said. Column v n + i of D is first xᵀ, [h, k1], beside `rest`, [e].
 */
type Address = number

export interface ColumnKernels {
  /** to[i, j] = a[i, j] ca[i] - b[i, j] cb[i]; rows of `to` are `wide` apart. */
  blendRows(
    to: Address,
    wide: number,
    a: Address,
    ca: Address,
    b: Address,
    cb: Address,
    rows: number,
    width: number,
  ): void
  alongRoom(h: number, k1: number, K: number): number
  /**
   * z [N, K] = Dᵀ U: `ut` [h, K k1], if `sparse` [k1, K h], meets first xᵀ, `ur` [K, e] the rest. `work`: `alongRoom`
   * doubles.
   */
  along(
    z: Address,
    first: Address,
    h: number,
    rest: Address,
    e: number,
    x: Address,
    k1: number,
    n: number,
    N: number,
    ut: Address,
    ur: Address,
    K: number,
    sparse: number,
    work: Address,
  ): void
  sumRoom(k1: number, K: number): number
  /** D p for the rows of p [K, N]: `wt` [h, K k1] and `r` [K, e]. `work`: `sumRoom` doubles. */
  sum(
    wt: Address,
    r: Address,
    first: Address,
    h: number,
    rest: Address,
    e: number,
    x: Address,
    k1: number,
    n: number,
    N: number,
    p: Address,
    K: number,
    work: Address,
  ): void
  gramRoom(K: number): number
  /** Q += w (Dᵀ D - Z diag(taken) Zᵀ) on and above the diagonal; s [n, n] holds x_i . x_j. `work`: `gramRoom` doubles. */
  readonly gramAdd: GramAdd
  /** The same with sums in single precision (wasm/gram-single.ts), Q and s in tiles. `work`: `gramSingleRoom` doubles. */
  readonly gramAddSingle: GramAdd
  /** Doubles that a matrix over n times `values` columns takes in tiles. */
  tiledRoom(n: number, values: number): number
  /** A matrix [n, n] as tiles. */
  intoTiles(tiles: Address, from: Address, n: number): void
  /** Adds what tiles on and above the diagonal hold to both triangles of q [N, N]. */
  addTiles(q: Address, tiles: Address, N: number, n: number): void
  gramSingleRoom(N: number, n: number, h: number, e: number, K: number): number
  /** At most `most` sweeps of coordinate descent; returns how many, and leaves the last one's furthest move at `moved`. */
  descendShares(
    q: Address,
    p: Address,
    g: Address,
    N: number,
    n: number,
    most: number,
    tolerance: number,
    moved: Address,
  ): number
}

type GramAdd = (
  q: Address,
  N: number,
  n: number,
  s: Address,
  first: Address,
  h: number,
  rest: Address,
  e: number,
  z: Address,
  K: number,
  taken: Address,
  w: number,
  work: Address,
) => void
