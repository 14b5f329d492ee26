// Elementwise kernels: two operands with broadcasting, one operand with a constant, and the functions of functions.ts.
import { exp2x, log2x, sigmoid2x, softplus2x, tanh2x } from './functions'
import { exp4x, sigmoid4x, tanh4x } from './functions32'
import { madd, positive, width, zeros } from './lanes'

// Numbers repeated in src/numeric/kernels.ts.
const ADD: i32 = 0
const SUB: i32 = 1
const MUL: i32 = 2
const DIV: i32 = 3
const GATE: i32 = 4 // b <= 0 ? 0 : a
const SELECT_SIGN: i32 = 5 // b < 0 ? -a : b > 0 ? a : b * a  (0, or NaN)

const SCALE: i32 = 0
const OFFSET: i32 = 1
const RELU: i32 = 2
const ABS: i32 = 3
const SQRT: i32 = 4

const EXP: i32 = 0
const LOG: i32 = 1
const SIGMOID: i32 = 2
const TANH: i32 = 3
const SOFTPLUS: i32 = 4

// @ts-ignore: decorator
@inline function combine<T>(op: i32, x: v128, y: v128): v128 {
  if (op == ADD) return v128.add<T>(x, y)
  if (op == SUB) return v128.sub<T>(x, y)
  if (op == MUL) return v128.mul<T>(x, y)
  if (op == DIV) return v128.div<T>(x, y)
  if (op == GATE) return v128.andnot(x, v128.le<T>(y, zeros()))
  const one = v128.splat<T>(<T>1)
  const sign = v128.bitselect(one, v128.bitselect(v128.neg<T>(one), y, v128.lt<T>(y, zeros())), v128.gt<T>(y, zeros()))
  return v128.mul<T>(x, sign)
}

// @ts-ignore: decorator
@inline function combineOne<T>(op: i32, x: T, y: T): T {
  if (op == ADD) return <T>(x + y)
  if (op == SUB) return <T>(x - y)
  if (op == MUL) return <T>(x * y)
  if (op == DIV) return <T>(x / y)
  if (op == GATE) return y <= <T>0 ? <T>0 : x
  return <T>(x * (y > <T>0 ? <T>1 : y < <T>0 ? <T>-1 : y))
}

// @ts-ignore: decorator
@inline function line<T>(op: i32, to: usize, a: usize, aOne: bool, b: usize, bOne: bool, n: i32): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  const a0 = n > 0 ? load<T>(a) : <T>0
  const b0 = n > 0 ? load<T>(b) : <T>0
  const as = v128.splat<T>(a0)
  const bs = v128.splat<T>(b0)
  let i = 0
  for (; i + 2 * V <= n; i += 2 * V) {
    v128.store(to, combine<T>(op, aOne ? as : v128.load(a), bOne ? bs : v128.load(b)))
    v128.store(to, combine<T>(op, aOne ? as : v128.load(a, 16), bOne ? bs : v128.load(b, 16)), 16)
    to += 32
    if (!aOne) a += 32
    if (!bOne) b += 32
  }
  for (; i < n; i++) {
    store<T>(to, combineOne<T>(op, aOne ? a0 : load<T>(a), bOne ? b0 : load<T>(b)))
    to += s
    if (!aOne) a += s
    if (!bOne) b += s
  }
}

/** One function for each choice of what stands still, so that the loops of `line` need not ask. */
function both<T>(op: i32, to: usize, a: usize, b: usize, n: i32): void { lines<T>(op, to, a, false, b, false, n) }
function still<T>(op: i32, to: usize, a: usize, b: usize, n: i32): void { lines<T>(op, to, a, false, b, true, n) }
function stillFirst<T>(op: i32, to: usize, a: usize, b: usize, n: i32): void { lines<T>(op, to, a, true, b, false, n) }

// @ts-ignore: decorator
@inline function lines<T>(op: i32, to: usize, a: usize, aOne: bool, b: usize, bOne: bool, n: i32): void {
  if (op == ADD) line<T>(ADD, to, a, aOne, b, bOne, n)
  else if (op == SUB) line<T>(SUB, to, a, aOne, b, bOne, n)
  else if (op == MUL) line<T>(MUL, to, a, aOne, b, bOne, n)
  else if (op == DIV) line<T>(DIV, to, a, aOne, b, bOne, n)
  else if (op == GATE) line<T>(GATE, to, a, aOne, b, bOne, n)
  else line<T>(SELECT_SIGN, to, a, aOne, b, bOne, n)
}

/** Steps say how far an operand moves in elements: per row, and (0 or 1) per column. */
// @ts-ignore: decorator
@inline export function binary<T>(op: i32, to: usize, a: usize, b: usize, rows: i32, cols: i32, aRow: i32, aCol: i32, bRow: i32, bCol: i32): void {
  const s = <i32>sizeof<T>()
  if (cols == 1 && aRow <= 1 && bRow <= 1) {
    // A column is a row that lies on its side.
    aCol = aRow
    bCol = bRow
    cols = rows
    rows = 1
  } else if (aRow == cols && bRow == cols && aCol == 1 && bCol == 1) {
    cols *= rows
    rows = 1
  }
  for (let i = 0; i < rows; i++) {
    if (aCol == 1 && bCol == 1) both<T>(op, to, a, b, cols)
    else if (aCol == 1) still<T>(op, to, a, b, cols)
    else if (bCol == 1) stillFirst<T>(op, to, a, b, cols)
    else for (let j = 0; j < cols; j++) still<T>(op, to + j * s, a, b, 1)
    to += cols * s
    a += aRow * s
    b += bRow * s
  }
}

// @ts-ignore: decorator
@inline function change<T>(op: i32, x: v128, by: v128): v128 {
  if (op == SCALE) return v128.mul<T>(x, by)
  if (op == OFFSET) return v128.add<T>(x, by)
  if (op == RELU) return positive<T>(x)
  if (op == ABS) return v128.abs<T>(x)
  return v128.sqrt<T>(x)
}

// @ts-ignore: decorator
@inline function changeOne<T>(op: i32, x: T, by: T): T {
  if (op == SCALE) return <T>(x * by)
  if (op == OFFSET) return <T>(x + by)
  if (op == RELU) return max<T>(x, <T>0)
  if (op == ABS) return abs<T>(x)
  return sqrt<T>(x)
}

// @ts-ignore: decorator
@inline function changes<T>(op: i32, to: usize, from: usize, n: i32, by: T): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  const bys = v128.splat<T>(by)
  let i = 0
  for (; i + V <= n; i += V) {
    v128.store(to, change<T>(op, v128.load(from), bys))
    to += 16
    from += 16
  }
  for (; i < n; i++) {
    store<T>(to, changeOne<T>(op, load<T>(from), by))
    to += s
    from += s
  }
}

// @ts-ignore: decorator
@inline export function unary<T>(op: i32, to: usize, from: usize, n: i32, by: f64): void {
  if (op == SCALE) changes<T>(SCALE, to, from, n, <T>by)
  else if (op == OFFSET) changes<T>(OFFSET, to, from, n, <T>by)
  else if (op == RELU) changes<T>(RELU, to, from, n, <T>by)
  else if (op == ABS) changes<T>(ABS, to, from, n, <T>by)
  else changes<T>(SQRT, to, from, n, <T>by)
}

export function evaluate(op: i32, x: v128): v128 {
  if (op == EXP) return exp2x(x)
  if (op == LOG) return log2x(x)
  if (op == SIGMOID) return sigmoid2x(x)
  if (op == TANH) return tanh2x(x)
  return softplus2x(x)
}

/** The functions: two lanes at a time in f64, except for exp, sigmoid and tanh of floats, four at a time. */
// @ts-ignore: decorator
@inline export function transcend<T>(op: i32, to: usize, from: usize, n: i32): void {
  if (sizeof<T>() == 4 && op != LOG && op != SOFTPLUS) {
    if (op == EXP) fours(EXP, to, from, n)
    else if (op == SIGMOID) fours(SIGMOID, to, from, n)
    else fours(TANH, to, from, n)
    return
  }
  const s = <i32>sizeof<T>()
  let i = 0
  for (; i + 2 <= n; i += 2) {
    if (sizeof<T>() == 4) {
      const y = f32x4.demote_f64x2_zero(evaluate(op, f64x2.promote_low_f32x4(v128.load64_zero(from))))
      v128.store64_lane(to, y, 0)
    } else {
      v128.store(to, evaluate(op, v128.load(from)))
    }
    to += 2 * s
    from += 2 * s
  }
  if (i < n) store<T>(to, <T>f64x2.extract_lane(evaluate(op, f64x2.splat(<f64>load<T>(from))), 0))
}

// @ts-ignore: decorator
@inline function fourOf(op: i32, x: v128): v128 { return op == EXP ? exp4x(x) : op == SIGMOID ? sigmoid4x(x) : tanh4x(x) }

// @ts-ignore: decorator
@inline function fours(op: i32, to: usize, from: usize, n: i32): void {
  let i = 0
  for (; i + 4 <= n; i += 4) v128.store(to + 4 * i, fourOf(op, v128.load(from + 4 * i)))
  for (; i < n; i++) store<f32>(to + 4 * i, f32x4.extract_lane(fourOf(op, v128.load32_splat(from + 4 * i)), 0))
}

/** to += alpha * from */
// @ts-ignore: decorator
@inline export function addScaled<T>(to: usize, from: usize, n: i32, alphaAt: usize): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  const alpha = load<T>(alphaAt)
  const alphas = v128.splat<T>(alpha)
  let i = 0
  for (; i + V <= n; i += V) {
    v128.store(to, madd<T>(v128.load(to), alphas, v128.load(from)))
    to += 16
    from += 16
  }
  for (; i < n; i++) {
    store<T>(to, <T>(load<T>(to) + <T>(alpha * load<T>(from))))
    to += s
    from += s
  }
}

// departs: the corrections are folded into the rate and into v, which rounds a little differently.
/** [kingma2015] Alg. 1, one step on n parameters; settings: eta, beta1, beta2, 1 - beta1^t, 1 - beta2^t, tiny. */
// @ts-ignore: decorator
@inline export function adam<T>(to: usize, grad: usize, first: usize, second: usize, n: i32, settings: usize): void {
  const V = width<T>()
  const s = <i32>sizeof<T>()
  const eta = load<T>(settings), b1 = load<T>(settings + s), b2 = load<T>(settings + 2 * s)
  const c1 = load<T>(settings + 3 * s), c2 = load<T>(settings + 4 * s), tiny = load<T>(settings + 5 * s)
  const a1 = <T>(<T>1 - b1), a2 = <T>(<T>1 - b2)
  const pace = <T>(eta / c1), widen = <T>(<T>1 / c2) // one division and one root an element
  let i = 0
  for (; i + V <= n; i += V) {
    const at = i * s
    const g = v128.load(grad + at)
    const m = v128.add<T>(v128.mul<T>(v128.splat<T>(b1), v128.load(first + at)), v128.mul<T>(v128.splat<T>(a1), g))
    const v = v128.add<T>(v128.mul<T>(v128.splat<T>(b2), v128.load(second + at)), v128.mul<T>(v128.splat<T>(a2), v128.mul<T>(g, g)))
    v128.store(first + at, m)
    v128.store(second + at, v)
    const down = v128.add<T>(v128.sqrt<T>(v128.mul<T>(v, v128.splat<T>(widen))), v128.splat<T>(tiny))
    v128.store(to + at, v128.sub<T>(v128.load(to + at), v128.div<T>(v128.mul<T>(v128.splat<T>(pace), m), down)))
  }
  for (; i < n; i++) {
    const at = i * s
    const g = load<T>(grad + at)
    const m = <T>(<T>(b1 * load<T>(first + at)) + <T>(a1 * g))
    const v = <T>(<T>(b2 * load<T>(second + at)) + <T>(a2 * <T>(g * g)))
    store<T>(first + at, m)
    store<T>(second + at, v)
    const down = <T>(sqrt<T>(<T>(v * widen)) + tiny)
    store<T>(to + at, <T>(load<T>(to + at) - <T>(<T>(pace * m) / down)))
  }
}
