// How a product ends: each sum is finished while it is still in a register.
import { madd, positive, zeros } from './lanes'

// What happens to a finished sum. The numbers are repeated in src/numeric/kernels.ts.
export const STORE: i32 = 0
export const ADD: i32 = 1 // C += alpha * sum
export const GATE: i32 = 2 // C = extra <= 0 ? 0 : sum         (extra shaped like C)
export const BIAS: i32 = 3 // C = sum + extra                  (extra a row)
export const BIAS_RELU: i32 = 4 // C = max(sum + extra, 0)
export const RESUME: i32 = 8 // added to a mode: the sum goes on from what C holds

// @ts-ignore: decorator
@inline export function finish<T>(sum: v128, at: usize, extra: usize, alpha: v128, mode: i32): v128 {
  if (mode == STORE) return sum
  if (mode == ADD) return madd<T>(v128.load(at), alpha, sum)
  if (mode == GATE) return v128.andnot(sum, v128.le<T>(v128.load(extra), zeros()))
  sum = v128.add<T>(sum, v128.load(extra))
  return mode == BIAS_RELU ? positive<T>(sum) : sum
}

// @ts-ignore: decorator
@inline export function finishOne<T>(sum: T, at: usize, extra: usize, alpha: T, mode: i32): void {
  if (mode == ADD) sum = <T>(load<T>(at) + <T>(alpha * sum))
  else if (mode == GATE) sum = load<T>(extra) <= <T>0 ? <T>0 : sum
  else if (mode >= BIAS) {
    sum = <T>(sum + load<T>(extra))
    if (mode == BIAS_RELU) sum = max<T>(sum, <T>0)
  }
  store<T>(at, sum)
}
