// One SGD step of an MLP 41-128-1 on 32 records, f32, written by hand on the same kernels: what a compiled graph is
// measured against. Compiled by bench/step.mjs.
import { addScaled } from '../wasm/elementwise'
import { gemm } from '../wasm/gemm'
import { gemv } from '../wasm/gemv'
import { sum, sumRows } from '../wasm/reduce'

const n: i32 = 32
const d: i32 = 41
const h: i32 = 128

export function heapBase(): usize {
  return __heap_base
}

export function step(theta: usize, X: usize, y: usize, work: usize, times: usize): void {
  const W1 = theta
  const b1 = W1 + 4 * h * d
  const W2 = b1 + 4 * h
  const b2 = W2 + 4 * h
  const H = work
  const e = H + 4 * n * h
  const D = e + 4 * n
  const db1 = D + 4 * n * h
  const db2 = db1 + 4 * h
  gemm<f32>(H, X, W1, n, h, d, d, 1, 1, d, b1, 0, 4)
  gemv<f32>(e, H, W2, n, h)
  const bias = load<f32>(b2)
  for (let i = 0; i < n; i++)
    store<f32>(e + 4 * i, (load<f32>(e + 4 * i) + bias - load<f32>(y + 4 * i)) * (2.0 / <f32>n))
  gemm<f32>(D, e, W2, n, h, 1, 1, 1, h, 1, H, 0, 2)
  sumRows<f32>(db1, D, n, h)
  store<f32>(db2, sum<f32>(e, n))
  gemm<f32>(W1, D, X, h, d, n, 1, h, d, 1, 0, times, 1)
  addScaled<f32>(b1, db1, h, times)
  gemm<f32>(W2, e, H, 1, h, n, 1, 1, h, 1, 0, times, 1)
  addScaled<f32>(b2, db2, 1, times)
}
