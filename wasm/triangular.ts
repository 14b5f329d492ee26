// Triangular systems, and the condition of a triangle. An entry (i, j) of T lies at t + i * tRow + j * tCol (in doubles).
import { gemmInto } from './gemm'

const BLOCK: i32 = 32
const PASS: i32 = 512 // summands that one product may subtract
const minusOne: usize = memory.data<f64>([-1])

// @ts-ignore: decorator
@inline function at(t: usize, tRow: i32, tCol: i32, i: i32, j: i32): f64 { return load<f64>(t + ((i * tRow + j * tCol) << 3)) }

/** X = T^-1 X for a row-major X [n, k]; T upper or lower triangular, with a diagonal of ones when `unit`. */
export function solveTriangular(t: usize, tRow: i32, tCol: i32, n: i32, x: usize, k: i32, upper: bool, unit: bool): void {
  const block = k < 4 ? n : BLOCK
  for (let done = 0; done < n; done += block) {
    const size = min(block, n - done)
    const first = upper ? n - done - size : done
    // Rows first .. first + size, less what the rows already solved contribute.
    for (let p = 0; p < done; p += PASS) {
      const from = upper ? n - done + p : p
      gemmInto<f64>(x + ((first * k) << 3), k, t + ((first * tRow + from * tCol) << 3), x + ((from * k) << 3), size, k,
        min(PASS, done - p), tRow, tCol, k, 1, 0, minusOne, 1)
    }
    solveBlock(t + ((first * (tRow + tCol)) << 3), tRow, tCol, size, x + ((first * k) << 3), k, upper, unit)
  }
}

function solveBlock(t: usize, tRow: i32, tCol: i32, n: i32, x: usize, k: i32, upper: bool, unit: bool): void {
  for (let s = 0; s < n; s++) {
    const i = upper ? n - 1 - s : s
    const xi = x + ((i * k) << 3)
    if (k == 1 && tCol == 1) {
      // T lies by rows: finish x_i by a sum.
      let sum = load<f64>(xi)
      for (let p = upper ? i + 1 : 0, end = upper ? n : i; p < end; p++) sum -= at(t, tRow, tCol, i, p) * load<f64>(x + (p << 3))
      store<f64>(xi, unit ? sum : sum / at(t, tRow, tCol, i, i))
      continue
    }
    if (!unit) {
      const pivot = at(t, tRow, tCol, i, i)
      for (let c = 0; c < k; c++) store<f64>(xi + (c << 3), load<f64>(xi + (c << 3)) / pivot)
    }
    for (let p = upper ? 0 : i + 1, end = upper ? i : n; p < end; p++) {
      const factor = at(t, tRow, tCol, p, i)
      const xp = x + ((p * k) << 3)
      let c = 0
      for (const by = f64x2.splat(factor); c + 2 <= k; c += 2) {
        v128.store(xp + (c << 3), f64x2.sub(v128.load(xp + (c << 3)), f64x2.mul(by, v128.load(xi + (c << 3)))))
      }
      if (c < k) store<f64>(xp + (c << 3), load<f64>(xp + (c << 3)) - factor * load<f64>(xi + (c << 3)))
    }
  }
}

/**
 * A lower bound, seldom far off, of the condition number of an upper triangle: power steps for the largest singular value,
 * inverse steps for the smallest (`steps` of each), from a start whose signs make the first solution grow. `work`: 2 n doubles.
 */
export function estimateTriangle(t: usize, tRow: i32, tCol: i32, n: i32, steps: i32, work: usize): f64 {
  const x = work
  const z = x + (n << 3)
  // No column is longer than the largest singular value, no diagonal entry smaller than the least: a floor for both searches.
  let forward: f64 = 0, inverse: f64 = 0
  for (let j = 0; j < n; j++) {
    const pivot = abs<f64>(at(t, tRow, tCol, j, j))
    if (pivot == 0) return Infinity
    inverse = max(inverse, 1 / pivot)
    let sum: f64 = 0
    for (let i = 0; i <= j; i++) sum += at(t, tRow, tCol, i, j) * at(t, tRow, tCol, i, j)
    forward = max(forward, sqrt<f64>(sum))
  }
  // T^T z = (+-1): each sign such that the entry, and what it adds to those after it, is large.
  memory.fill(z, 0, n << 3)
  for (let i = 0; i < n; i++) {
    const sum = load<f64>(z + (i << 3))
    const value = (sum > 0 ? sum + 1 : sum - 1) / -at(t, tRow, tCol, i, i)
    store<f64>(z + (i << 3), value)
    for (let j = i + 1; j < n; j++) store<f64>(z + (j << 3), load<f64>(z + (j << 3)) + at(t, tRow, tCol, i, j) * value)
  }
  if (!(normalise(z, n) < Infinity)) return Infinity
  for (let step = 0; step < steps; step++) {
    solveTriangular(t, (step & 1) ? tCol : tRow, (step & 1) ? tRow : tCol, n, z, 1, (step & 1) == 0, false)
    const size = normalise(z, n)
    if (!(size < Infinity)) return Infinity
    inverse = max(inverse, size)
  }
  for (let i = 0; i < n; i++) {
    // Start from the sum of the rows, each with the sign of its diagonal.
    let sum: f64 = 0
    for (let p = 0; p <= i; p++) sum += copysign<f64>(1, at(t, tRow, tCol, p, p)) * at(t, tRow, tCol, p, i)
    store<f64>(x + (i << 3), sum)
  }
  if (normalise(x, n) == 0) store<f64>(x, 1)
  for (let step = 0; step < steps; step++) {
    const flip = (step & 1) != 0
    for (let s = 0; s < n; s++) {
      // In place: row i of T needs entries i .. n-1, row i of T^T entries 0 .. i.
      const i = flip ? n - 1 - s : s
      let sum: f64 = 0
      for (let p = flip ? 0 : i, end = flip ? i + 1 : n; p < end; p++) {
        sum += (flip ? at(t, tRow, tCol, p, i) : at(t, tRow, tCol, i, p)) * load<f64>(x + (p << 3))
      }
      store<f64>(x + (i << 3), sum)
    }
    forward = max(forward, normalise(x, n))
  }
  return forward * inverse
}

/** Divides x by its norm, which is returned; nothing happens when that is 0 or not finite. */
function normalise(x: usize, n: i32): f64 {
  let top: f64 = 0
  for (let i = 0; i < n; i++) top = max<f64>(top, abs<f64>(load<f64>(x + (i << 3))))
  if (top == 0 || !(top < Infinity)) return top
  let sum: f64 = 0
  for (let i = 0; i < n; i++) {
    const y = load<f64>(x + (i << 3)) / top
    sum += y * y
  }
  const size = sqrt<f64>(sum)
  for (let i = 0; i < n; i++) store<f64>(x + (i << 3), load<f64>(x + (i << 3)) / top / size)
  return top * size
}
