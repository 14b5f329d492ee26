/**
 * The compiled kernels for many long rows of f32 that are summed in f64 (wasm/rows.ts), some columns at a time. Rows are
 * `stride` values apart; columns of a call, w, are a multiple of four above 0.
 */
type Address = number

export interface RowKernels {
  /** Mean of each column over n rows, and the sum of the squares of what is left: w doubles each. */
  moments(mean: Address, squares: Address, x: Address, stride: number, n: number, w: number): void
  /** (x - mean) / scale, rounded to f32, for `products`: 4 w doubles for every four rows, the last ones zeros. */
  pack(to: Address, x: Address, stride: number, n: number, w: number, mean: Address, scale: Address): void
  /**
   * c += A Bᵀ over w columns of packed rows, m groups of four and n groups, in squares of 4 x 4 doubles: square (i, j) is
   * number i n + j. With `lower` it is number i (i + 1) / 2 + j, and only those with j <= i are computed.
   */
  products(c: Address, a: Address, m: number, b: Address, n: number, w: number, lower: number): void
  /** to[q] += sum over n rows of weights[q, i] (x_i - mean), for q below m; rows of `to` are `stride` doubles apart. */
  weigh(to: Address, weights: Address, m: number, x: Address, stride: number, n: number, w: number, mean: Address): void
}
