/** Matrices for tests: drawn from a seed, with the rank or the condition that is asked for. */
import { type Matrix, matrix, multiply, transpose } from '../src/numeric/linalg/matrix.js'
import { qr } from '../src/numeric/linalg/qr.js'
import { rng } from '../src/numeric/random/rng.js'

export interface Shape {
  readonly seed: number | string
  readonly rows: number
  readonly cols: number
}

export function normalMatrix({ seed, rows, cols }: Shape): Matrix {
  return matrix(rows, cols, rng(seed).normals(rows * cols))
}

export function normalVector(seed: number | string, length: number): Float64Array {
  return rng(seed).normals(length)
}

/** Singular values as given (as many as the smaller side at most), singular vectors random. */
export function matrixWithSingularValues(shape: Shape, s: readonly number[]): Matrix {
  const { seed, rows, cols } = shape
  const U = qr(normalMatrix({ seed: `${seed} U`, rows, cols: s.length })).Q
  const V = qr(normalMatrix({ seed: `${seed} V`, rows: cols, cols: s.length })).Q
  U.data.forEach((u, i) => {
    U.data[i] = u * s[i % s.length]!
  })
  return multiply(U, transpose(V))
}

/** From 1 down to 1 / condition in equal ratios. */
export function spectrum(count: number, condition: number): number[] {
  return Array.from({ length: count }, (_, i) => condition ** (-i / Math.max(1, count - 1)))
}

/** Largest difference between entries; infinity when the shapes differ. */
export function largestDifference(A: Matrix, B: Matrix): number {
  if (A.rows !== B.rows || A.cols !== B.cols) return Infinity
  return A.data.reduce((most, a, i) => Math.max(most, Math.abs(a - B.data[i]!)), 0)
}
