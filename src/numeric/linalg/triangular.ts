/** Systems with the triangle in the leading square of an upper trapezoidal factor. No validation: factors come from qr. */
import { type Matrix, matrix } from './matrix.js'

/** Y with T Y = C, where T is the leading [size, size] of R and C gives its first rows. */
export function solveUpper(R: Matrix, C: Matrix, size = R.rows): Matrix {
  const n = R.cols
  const k = C.cols
  const Y = matrix(size, k, C.data.slice(0, size * k))
  for (let i = size - 1; i >= 0; i--) {
    for (let p = i + 1; p < size; p++) subtractRow(Y, { to: i, from: p, factor: R.data[i * n + p]! })
    for (let c = 0; c < k; c++) Y.data[i * k + c]! /= R.data[i * n + i]!
  }
  return Y
}

/** Y with Tᵀ Y = C. */
export function solveUpperTransposed(R: Matrix, C: Matrix, size = R.rows): Matrix {
  const n = R.cols
  const k = C.cols
  const Y = matrix(size, k, C.data.slice(0, size * k))
  for (let i = 0; i < size; i++) {
    for (let p = 0; p < i; p++) subtractRow(Y, { to: i, from: p, factor: R.data[p * n + i]! })
    for (let c = 0; c < k; c++) Y.data[i * k + c]! /= R.data[i * n + i]!
  }
  return Y
}

function subtractRow(Y: Matrix, { to, from, factor }: { to: number; from: number; factor: number }): void {
  for (let c = 0; c < Y.cols; c++) Y.data[to * Y.cols + c]! -= factor * Y.data[from * Y.cols + c]!
}
