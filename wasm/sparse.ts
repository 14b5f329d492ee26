// Products with rows that are mostly zeros. The rows stay where they are: a descriptor of four addresses says which rows
// (i32 each), where each begins among the nonzeros (i32), and the nonzeros' columns (i32) and values. Zeros add nothing
// to a sum, and the others come in the same order as in gemm: the bits are those of gemm.
import { ADD, BIAS, BIAS_RELU } from './finish'
import { madd, positive, transposeSquare, width, zeros } from './lanes'

const tile: usize = memory.data(64, 16)

/** to[k, n] (rows `stride` bytes apart) = transpose of w[n, k]. */
export function transposeInto<T>(to: usize, stride: usize, w: usize, n: i32, k: i32): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  let p = 0
  for (; p + V <= k; p += V) {
    let j = 0
    for (; j + V <= n; j += V) transposeSquare<T>(w + (j * k + p) * s, k * s, to + p * stride + j * s, stride)
    for (; j < n; j++) for (let q = p; q < p + V; q++) store<T>(to + q * stride + j * s, load<T>(w + (j * k + q) * s))
  }
  for (; p < k; p++) for (let j = 0; j < n; j++) store<T>(to + p * stride + j * s, load<T>(w + (j * k + p) * s))
}

// @ts-ignore: decorator
@inline function finish<T>(sum: v128, extra: usize, mode: i32): v128 {
  if (mode >= BIAS) sum = v128.add<T>(sum, v128.load(extra))
  return mode == BIAS_RELU ? positive<T>(sum) : sum
}

/** Four vectors of a row: more would not leave registers for what is loaded. */
function four<T>(to: usize, w: usize, stride: usize, column: usize, end: usize, value: usize, extra: usize, mode: i32): void {
  let s0 = zeros(), s1 = zeros(), s2 = zeros(), s3 = zeros()
  for (; column < end; column += 4) {
    const b = w + <usize>load<i32>(column) * stride
    const v = v128.load_splat<T>(value)
    s0 = madd<T>(s0, v, v128.load(b)); s1 = madd<T>(s1, v, v128.load(b, 16))
    s2 = madd<T>(s2, v, v128.load(b, 32)); s3 = madd<T>(s3, v, v128.load(b, 48))
    value += sizeof<T>()
  }
  v128.store(to, finish<T>(s0, extra, mode)); v128.store(to, finish<T>(s1, extra + 16, mode), 16)
  v128.store(to, finish<T>(s2, extra + 32, mode), 32); v128.store(to, finish<T>(s3, extra + 48, mode), 48)
}

/** c[m, n] = X wᵀ for the described X [m, k] and w [n, k]; modes store, bias, bias + relu. Scratch: k rows of n, rounded up. */
export function sparseNt<T>(c: usize, x: usize, w: usize, m: i32, n: i32, k: i32, extra: usize, mode: i32, scratch: usize): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  const rows = load<i32>(x), starts = load<i32>(x, 4), columns = load<i32>(x, 8), values = load<i32>(x, 12)
  const stride = (n * s + 15) & ~15
  transposeInto<T>(scratch, stride, w, n, k)
  for (let i = 0; i < m; i++) {
    const row = load<i32>(rows + 4 * i)
    const from = load<i32>(starts + 4 * row), to = load<i32>(starts + 4 * row + 4)
    let j = 0
    for (; j + 4 * V <= n; j += 4 * V) {
      four<T>(c + j * s, scratch + j * s, stride, columns + 4 * from, columns + 4 * to, values + from * s, extra + j * s, mode)
    }
    for (; j < n; j += V) {
      let sum = zeros()
      for (let q = from; q < to; q++) {
        const b = scratch + load<i32>(columns + 4 * q) * stride + j * s
        sum = madd<T>(sum, v128.load_splat<T>(values + q * s), v128.load(b))
      }
      v128.store(tile, sum)
      for (let l = 0; l < min(V, n - j); l++) {
        let y = load<T>(tile + l * s)
        if (mode >= BIAS) y = <T>(y + load<T>(extra + (j + l) * s))
        store<T>(c + (j + l) * s, mode == BIAS_RELU ? max<T>(y, <T>0) : y)
      }
    }
    c += n * s
  }
}

/** c[m, n] = dᵀ X for d [p, m] and the described X [p, n]; modes store and add. Scratch: n rows of m, rounded up. */
export function sparseTn<T>(c: usize, d: usize, x: usize, m: i32, n: i32, p: i32, alphaAt: usize, mode: i32, scratch: usize): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  const rows = load<i32>(x), starts = load<i32>(x, 4), columns = load<i32>(x, 8), values = load<i32>(x, 12)
  const stride = (m * s + 15) & ~15
  memory.fill(scratch, 0, n * stride)
  for (let i = 0; i < p; i++) {
    const row = load<i32>(rows + 4 * i)
    const end = load<i32>(starts + 4 * row + 4)
    for (let q = load<i32>(starts + 4 * row); q < end; q++) {
      const v = load<T>(values + q * s)
      const vs = v128.splat<T>(v)
      let at = scratch + load<i32>(columns + 4 * q) * stride
      let from = d
      let j = 0
      for (; j + 4 * V <= m; j += 4 * V) {
        v128.store(at, madd<T>(v128.load(at), v128.load(from), vs))
        v128.store(at, madd<T>(v128.load(at, 16), v128.load(from, 16), vs), 16)
        v128.store(at, madd<T>(v128.load(at, 32), v128.load(from, 32), vs), 32)
        v128.store(at, madd<T>(v128.load(at, 48), v128.load(from, 48), vs), 48)
        at += 64
        from += 64
      }
      for (; j < m; j++) {
        store<T>(at, <T>(load<T>(at) + <T>(load<T>(from) * v)))
        at += s
        from += s
      }
    }
    d += m * s
  }
  const alpha: T = mode == ADD ? load<T>(alphaAt) : <T>0
  const alphas = v128.splat<T>(alpha)
  let i = 0
  for (; i + V <= m; i += V) {
    let j = 0
    for (; j + V <= n; j += V) {
      transposeSquare<T>(scratch + j * stride + i * s, stride, tile, 16)
      for (let r = 0; r < V; r++) {
        const at = c + ((i + r) * n + j) * s
        const sum = v128.load(tile + 16 * r)
        v128.store(at, mode == ADD ? madd<T>(v128.load(at), alphas, sum) : sum)
      }
    }
    for (let r = i; r < i + V; r++) for (let q = j; q < n; q++) put<T>(c + (r * n + q) * s, load<T>(scratch + q * stride + r * s), alpha, mode)
  }
  for (; i < m; i++) for (let q = 0; q < n; q++) put<T>(c + (i * n + q) * s, load<T>(scratch + q * stride + i * s), alpha, mode)
}

// @ts-ignore: decorator
@inline function put<T>(at: usize, sum: T, alpha: T, mode: i32): void {
  store<T>(at, mode == ADD ? <T>(load<T>(at) + <T>(alpha * sum)) : sum)
}

/** Sum of squares of each described row: [m, 1]. */
export function sparseRowSquares<T>(to: usize, x: usize, m: i32): void {
  const s = <i32>sizeof<T>()
  const rows = load<i32>(x), starts = load<i32>(x, 4), values = load<i32>(x, 12)
  for (let i = 0; i < m; i++) {
    const row = load<i32>(rows + 4 * i)
    let sum: T = <T>0
    for (let q = load<i32>(starts + 4 * row); q < load<i32>(starts + 4 * row + 4); q++) {
      const v = load<T>(values + q * s)
      sum = <T>(sum + <T>(v * v))
    }
    store<T>(to + i * s, sum)
  }
}
