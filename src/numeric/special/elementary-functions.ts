/**
 * exp, log and their kin from IEEE additions, multiplications, divisions and bit patterns alone, so that every engine
 * gives the same bits (JS `Math.exp` and kin differ between engines). They define the kernels in wasm/functions.ts.
 * Errors stay below 2 ulp (tanh, softplus: 3). Reductions and coefficients are those of fdlibm and, for tanh, Cephes.
 */

const word = new Float64Array(1)
const halves = new Int32Array(word.buffer) // [low, high] on the little-endian machines that WebAssembly runs on

/** 2^n for an integer |n| <= 600. */
function powerOfTwo(n: number): number {
  halves[0] = 0
  halves[1] = (n + 1023) << 20
  return word[0]!
}

export function exp(x: number): number {
  const clamped = Math.min(Math.max(x, -800), 800)
  const n = clamped * Math.LOG2E + 6755399441055744 - 6755399441055744 // nearest integer, ties to even
  const hi = clamped - n * 6.9314718036912381649e-1
  const lo = n * 1.90821492927058770002e-10
  const r = hi - lo
  const t = r * r
  const p =
    1.66666666666666019037e-1 +
    t *
      (-2.77777777770155933842e-3 +
        t * (6.61375632143793436117e-5 + t * (-1.6533902205465251539e-6 + t * 4.13813679705723846039e-8)))
  const c = r - t * p
  const y = 1 - (lo - (r * c) / (2 - c) - hi)
  const half = Math.trunc(n * 0.5)
  return y * powerOfTwo(half) * powerOfTwo(n - half)
}

export function log(x: number): number {
  if (!(x < Number.POSITIVE_INFINITY)) return x
  if (x < 0) return Number.NaN
  if (x === 0) return Number.NEGATIVE_INFINITY
  const small = x < 2.2250738585072014e-308
  word[0] = small ? x * 18014398509481984 : x
  const shifted = halves[1]! + (0x3ff00000 - 0x3fe6a09e)
  const n = (shifted >>> 20) - 0x3ff - (small ? 54 : 0)
  halves[1] = (shifted & 0xfffff) + 0x3fe6a09e
  const f = word[0]! - 1 // mantissa in [sqrt(1/2), sqrt(2)), less one
  const s = f / (2 + f)
  const z = s * s
  const w = z * z
  const t1 = w * (3.999999999940941908e-1 + w * (2.222219843214978396e-1 + w * 1.531383769920937332e-1))
  const t2 =
    z *
    (6.66666666666673513e-1 +
      w * (2.857142874366239149e-1 + w * (1.818357216161805012e-1 + w * 1.479819860511658591e-1)))
  const R = t1 + t2
  const h = 0.5 * f * f
  return n * 6.9314718036912381649e-1 - (h - (s * (h + R) + n * 1.90821492927058770002e-10) - f)
}

/** log(1 + x): the rounding of 1 + x is given back. */
export function log1p(x: number): number {
  if (x === Number.POSITIVE_INFINITY) return x
  const u = 1 + x
  if (u === 0) return Number.NEGATIVE_INFINITY
  return log(u) + (x - (u - 1)) / u
}

export function sigmoid(x: number): number {
  return 1 / (1 + exp(-x))
}

/** log(1 + exp(x)) without overflow. */
export function softplus(x: number): number {
  return Math.max(x, 0) + log1p(exp(-Math.abs(x)))
}

export function tanh(x: number): number {
  const size = Math.abs(x)
  if (size < 0.625) {
    const z = x * x
    const p = z * ((-9.64399179425052238628e-1 * z + -9.92877231001918586564e1) * z + -1.61468768441708447952e3)
    const q = ((z + 1.12811678491632931402e2) * z + 2.23548839060100448583e3) * z + 4.84406305325125486048e3
    return x + x * (p / q)
  }
  const far = 1 - 2 / (exp(size + size) + 1)
  return x < 0 ? -far : far
}

/** a^b for a > 0, good to about |b log a| ulp: for constants and schedules, not for kernels. */
export function power(a: number, b: number): number {
  return exp(b * log(a))
}
