/** Matrices on which factorisations go wrong, and how far a result is from what it promises. */
import { type Matrix, matrix, multiply, transpose } from '../src/numeric/linalg/matrix.js'
import { power } from '../src/numeric/special/elementary-functions.js'

export interface Shape {
  readonly rows: number
  readonly cols: number
}

/** Entries that look normal (twelve uniforms), the same for the same seed on every machine. */
export function randomMatrix({ rows, cols }: Shape, seed: number): Matrix {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    const mixed = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d)
    return ((mixed ^ (mixed >>> 12)) >>> 0) / 4294967296
  }
  const A = matrix(rows, cols)
  for (let i = 0; i < A.data.length; i++) {
    let sum = -6
    for (let k = 0; k < 12; k++) sum += uniform()
    A.data[i] = sum
  }
  return A
}

/** Square, orthogonal to a few roundings: random columns, each cleaned twice of those before it. */
export function randomOrthogonal(n: number, seed: number): Matrix {
  const rows = randomMatrix({ rows: n, cols: n }, seed)
  const row = (k: number) => rows.data.subarray(k * n, (k + 1) * n)
  const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, x, i) => sum + x * b[i]!, 0)
  for (let k = 0; k < n; k++) {
    const x = row(k)
    for (let pass = 0; pass < 2; pass++) {
      for (let j = 0; j < k; j++) {
        const by = dot(row(j), x)
        for (let i = 0; i < n; i++) x[i]! -= by * row(j)[i]!
      }
      const size = Math.sqrt(dot(x, x))
      for (let i = 0; i < n; i++) x[i]! /= size
    }
  }
  return rows
}

/** U diag(values) Vᵀ with random orthogonal U and V; `values` has min(rows, cols) entries. */
export function withSingularValues(shape: Shape, values: ArrayLike<number>, seed: number): Matrix {
  const D = matrix(shape.rows, shape.cols)
  for (let k = 0; k < values.length; k++) D.data[k * shape.cols + k] = values[k]!
  return multiply(multiply(randomOrthogonal(shape.rows, seed), D), randomOrthogonal(shape.cols, seed + 1))
}

const scaledBy = (A: Matrix, factor: (i: number, j: number) => number): Matrix =>
  matrix(
    A.rows,
    A.cols,
    A.data.map((x, at) => x * factor(Math.floor(at / A.cols), at % A.cols)),
  )

/** Random entries, changed by `change`, on the diagonal and right of it. */
function onTwoDiagonals(shape: Shape, seed: number, change: (x: number) => number): Matrix {
  const A = randomMatrix(shape, seed)
  return scaledBy(matrix(shape.rows, shape.cols, A.data.map(change)), (i, j) => (j === i || j === i + 1 ? 1 : 0))
}

/** The ways a matrix can be hard, each from a shape and a seed. */
export const hardMatrices = {
  random: (shape: Shape, seed: number) => randomMatrix(shape, seed),
  zero: (shape: Shape) => matrix(shape.rows, shape.cols),
  ones: (shape: Shape) => matrix(shape.rows, shape.cols, new Float64Array(shape.rows * shape.cols).fill(1)),
  'small integers': (shape: Shape, seed: number) => {
    const A = randomMatrix(shape, seed)
    return matrix(
      shape.rows,
      shape.cols,
      A.data.map((x) => Math.round(x)),
    )
  },
  'rank two': (shape: Shape, seed: number) =>
    multiply(randomMatrix({ rows: shape.rows, cols: 2 }, seed), randomMatrix({ rows: 2, cols: shape.cols }, seed + 1)),
  'repeated columns': (shape: Shape, seed: number) => {
    const A = randomMatrix(shape, seed)
    return matrix(
      shape.rows,
      shape.cols,
      A.data.map((_, at) => A.data[at - (at % shape.cols) + ((at % shape.cols) >> 1)]!),
    )
  },
  'condition 1e15': (shape: Shape, seed: number) => {
    const r = Math.min(shape.rows, shape.cols)
    const fall = (k: number) => power(10, r > 1 ? (-15 * k) / (r - 1) : 0)
    return withSingularValues(
      shape,
      Float64Array.from({ length: r }, (_, k) => fall(k)),
      seed,
    )
  },
  'two clusters': (shape: Shape, seed: number) => {
    const r = Math.min(shape.rows, shape.cols)
    return withSingularValues(
      shape,
      Float64Array.from({ length: r }, (_, k) => (k < r / 2 ? 1 : 1e-9)),
      seed,
    )
  },
  'falling columns': (shape: Shape, seed: number) =>
    scaledBy(randomMatrix(shape, seed), (_, j) => power(10, (-30 * j) / Math.max(shape.cols, 1))),
  'falling rows': (shape: Shape, seed: number) =>
    scaledBy(randomMatrix(shape, seed), (i) => power(10, (-30 * i) / Math.max(shape.rows, 1))),
  'bidiagonal with zeros': (shape: Shape, seed: number) =>
    onTwoDiagonals(shape, seed, (x) => (Math.abs(x) < 0.4 ? 0 : x)),
  'bidiagonal over 20 orders': (shape: Shape, seed: number) =>
    onTwoDiagonals(shape, seed, (x) => power(10, -20 * (Math.abs(x) - Math.floor(Math.abs(x))))),
  'clusters with noise': (shape: Shape, seed: number) => {
    const A = randomMatrix(shape, seed)
    const at = (i: number, j: number) => (i === j ? [1, 2, 2, 1e-8][i % 4]! : 0)
    return matrix(
      shape.rows,
      shape.cols,
      A.data.map((x, k) => at(Math.floor(k / shape.cols), k % shape.cols) + 1e-13 * x),
    )
  },
  'shift without a diagonal': (shape: Shape) => {
    const A = matrix(shape.rows, shape.cols)
    for (let i = 0; i < shape.rows && i + 1 < shape.cols; i++) A.data[i * shape.cols + i + 1] = 1
    return A
  },
  huge: (shape: Shape, seed: number) => scaledBy(randomMatrix(shape, seed), () => 1e150),
  tiny: (shape: Shape, seed: number) => scaledBy(randomMatrix(shape, seed), () => 1e-150),
} as const satisfies Record<string, (shape: Shape, seed: number) => Matrix>

export type HardKind = keyof typeof hardMatrices

export function largest(values: Float64Array): number {
  let top = 0
  for (let i = 0; i < values.length; i++) top = Math.max(top, Math.abs(values[i]!))
  return top
}

/** Largest difference of entries, in units of 2^-52 times `size`. */
export function ulpsApart(A: Matrix, B: Matrix, size = largest(B.data)): number {
  const worst = largest(A.data.map((x, i) => x - B.data[i]!))
  return worst === 0 ? 0 : worst / size / Number.EPSILON
}

/** How far the columns are from orthonormal: largest entry of |QᵀQ − I| in units of 2^-52. */
export function ulpsFromOrthonormal(Q: Matrix): number {
  const G = multiply(transpose(Q), Q)
  for (let k = 0; k < G.rows; k++) G.data[k * G.cols + k]! -= 1
  return largest(G.data) / Number.EPSILON
}

/** Columns times factors: A diag(d). */
export function timesDiagonal(A: Matrix, d: Float64Array): Matrix {
  return scaledBy(A, (_, j) => d[j]!)
}
