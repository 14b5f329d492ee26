// exp, log and their kin on two doubles at once. The scalar definitions, with the same operations in the same order
// and so the same bits, are in src/numeric/scalar.ts; f32 values are widened, computed and rounded once.

// @ts-ignore: decorator
@inline function k(x: f64): v128 { return f64x2.splat(x) }
// @ts-ignore: decorator
@inline function add(a: v128, b: v128): v128 { return f64x2.add(a, b) }
// @ts-ignore: decorator
@inline function sub(a: v128, b: v128): v128 { return f64x2.sub(a, b) }
// @ts-ignore: decorator
@inline function mul(a: v128, b: v128): v128 { return f64x2.mul(a, b) }
// @ts-ignore: decorator
@inline function div(a: v128, b: v128): v128 { return f64x2.div(a, b) }

/** 2^n for the integers n (as doubles, |n| <= 600) of two lanes. */
// @ts-ignore: decorator
@inline function powerOfTwo(n: v128): v128 {
  const biased = i32x4.add(i32x4.trunc_sat_f64x2_s_zero(n), i32x4.splat(1023))
  return i64x2.shl(i64x2.extend_low_i32x4_u(biased), 52)
}

export function exp2x(x: v128): v128 {
  x = f64x2.min(f64x2.max(x, k(-800.0)), k(800.0))
  const n = sub(add(mul(x, k(1.44269504088896338700)), k(6755399441055744.0)), k(6755399441055744.0))
  const hi = sub(x, mul(n, k(6.93147180369123816490e-1)))
  const lo = mul(n, k(1.90821492927058770002e-10))
  const r = sub(hi, lo)
  const t = mul(r, r)
  let p = add(k(-1.65339022054652515390e-6), mul(t, k(4.13813679705723846039e-8)))
  p = add(k(6.61375632143793436117e-5), mul(t, p))
  p = add(k(-2.77777777770155933842e-3), mul(t, p))
  p = add(k(1.66666666666666019037e-1), mul(t, p))
  const c = sub(r, mul(t, p))
  const y = sub(k(1.0), sub(sub(lo, div(mul(r, c), sub(k(2.0), c))), hi))
  const half = f64x2.trunc(mul(n, k(0.5)))
  return mul(mul(y, powerOfTwo(half)), powerOfTwo(sub(n, half)))
}

export function log2x(x: v128): v128 {
  const small = f64x2.lt(x, k(2.2250738585072014e-308))
  const scaled = v128.bitselect(mul(x, k(18014398509481984.0)), x, small)
  const shifted = i64x2.add(scaled, i64x2.splat((0x3ff00000 - 0x3fe6a09e) << 32))
  const e = i64x2.sub(i64x2.shr_u(shifted, 52), i64x2.splat(0x3ff))
  const m = i64x2.add(v128.and(shifted, i64x2.splat(0x000fffffffffffff)), i64x2.splat((<i64>0x3fe6a09e) << 32))
  const n = sub(f64x2.convert_low_i32x4_s(v128.shuffle<i32>(e, e, 0, 2, 0, 2)), v128.and(small, k(54.0)))
  const f = sub(m, k(1.0))
  const s = div(f, add(k(2.0), f))
  const z = mul(s, s)
  const w = mul(z, z)
  const t1 = mul(w, add(k(3.999999999940941908e-1), mul(w, add(k(2.222219843214978396e-1), mul(w, k(1.531383769920937332e-1))))))
  const t2 = mul(z, add(k(6.666666666666735130e-1), mul(w, add(k(2.857142874366239149e-1),
    mul(w, add(k(1.818357216161805012e-1), mul(w, k(1.479819860511658591e-1))))))))
  const R = add(t1, t2)
  const h = mul(mul(k(0.5), f), f)
  const lo = add(mul(s, add(h, R)), mul(n, k(1.90821492927058770002e-10)))
  let y = sub(mul(n, k(6.93147180369123816490e-1)), sub(sub(h, lo), f))
  y = v128.bitselect(k(-Infinity), y, f64x2.eq(x, k(0.0)))
  y = v128.bitselect(k(NaN), y, f64x2.lt(x, k(0.0)))
  return v128.bitselect(y, x, f64x2.lt(x, k(Infinity))) // infinity and NaN are their own logarithms
}

export function log1p2x(x: v128): v128 {
  const u = add(k(1.0), x)
  const y = add(log2x(u), div(sub(x, sub(u, k(1.0))), u))
  return v128.bitselect(x, y, f64x2.eq(x, k(Infinity)))
}

export function sigmoid2x(x: v128): v128 {
  return div(k(1.0), add(k(1.0), exp2x(f64x2.neg(x))))
}

export function softplus2x(x: v128): v128 {
  return add(f64x2.max(x, k(0.0)), log1p2x(exp2x(f64x2.neg(f64x2.abs(x)))))
}

export function tanh2x(x: v128): v128 {
  const size = f64x2.abs(x)
  const z = mul(x, x)
  const p = mul(z, add(mul(add(mul(k(-9.64399179425052238628e-1), z), k(-9.92877231001918586564e1)), z), k(-1.61468768441708447952e3)))
  const q = add(mul(add(mul(add(z, k(1.12811678491632931402e2)), z), k(2.23548839060100448583e3)), z), k(4.84406305325125486048e3))
  const near = add(x, mul(x, div(p, q)))
  const far = sub(k(1.0), div(k(2.0), add(exp2x(add(size, size)), k(1.0))))
  const signed = v128.bitselect(f64x2.neg(far), far, f64x2.lt(x, k(0.0)))
  return v128.bitselect(near, signed, f64x2.lt(size, k(0.625)))
}
