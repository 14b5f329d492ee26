// Normal noise added to many values at once, and the masks of dropout: the numbers of philox.ts, several at a time.
import { log2x } from './functions'
import { normalQuantile, Stream } from './philox'

// @ts-ignore: decorator
@inline const CHUNK: i32 = 256
// @ts-ignore: decorator
@inline function k(x: f64): v128 { return f64x2.splat(x) }
// @ts-ignore: decorator
@inline function step(top: v128, r: v128, by: f64): v128 { return f64x2.add(f64x2.mul(top, r), k(by)) }

/** [salmon2011] Philox4x32-10 of four blocks, one a lane; eight uniform numbers as philox.ts makes them. The first block's low word is at most 2^32 - 4. */
function eightUniforms(to: usize, at: Stream): void {
  let c0 = i32x4.add(i32x4.splat(<i32>at.block), i32x4(0, 1, 2, 3))
  let c1 = i32x4.splat(<i32>(at.block >> 32)), c2 = i32x4.splat(<i32>at.high0), c3 = i32x4.splat(<i32>at.high1)
  let k0 = at.key0, k1 = at.key1
  const m0 = i32x4.splat(0xd2511f53), m1 = i32x4.splat(0xcd9e8d57)
  for (let round = 0; round < 10; round++) {
    const p = i64x2.extmul_low_i32x4_u(c0, m0), pp = i64x2.extmul_high_i32x4_u(c0, m0)
    const q = i64x2.extmul_low_i32x4_u(c2, m1), qq = i64x2.extmul_high_i32x4_u(c2, m1)
    c0 = v128.xor(v128.xor(v128.shuffle<i32>(q, qq, 1, 3, 5, 7), c1), i32x4.splat(k0))
    c1 = v128.shuffle<i32>(q, qq, 0, 2, 4, 6)
    c2 = v128.xor(v128.xor(v128.shuffle<i32>(p, pp, 1, 3, 5, 7), c3), i32x4.splat(k1))
    c3 = v128.shuffle<i32>(p, pp, 0, 2, 4, 6)
    k0 += 0x9e3779b9
    k1 += 0xbb67ae85
  }
  at.block += 4
  c1 = i32x4.shr_u(c1, 12)
  c3 = i32x4.shr_u(c3, 12)
  storePairs(to, c0, c1, c2, c3)
  storePairs(to + 32, highHalf(c0), highHalf(c1), highHalf(c2), highHalf(c3))
}

// @ts-ignore: decorator
@inline function highHalf(x: v128): v128 { return v128.shuffle<i32>(x, x, 2, 3, 2, 3) }

/** Two blocks, from their low lanes: the uniform numbers of (w0, w1) and (w2, w3) of the one, then of the other. */
// @ts-ignore: decorator
@inline function storePairs(to: usize, w0: v128, w1: v128, w2: v128, w3: v128): void {
  const first = uniforms(w0, w1), second = uniforms(w2, w3)
  v128.store(to, v128.shuffle<f64>(first, second, 0, 2))
  v128.store(to, v128.shuffle<f64>(first, second, 1, 3), 16)
}

// @ts-ignore: decorator
@inline function uniforms(high: v128, low: v128): v128 {
  const whole = f64x2.add(f64x2.mul(f64x2.convert_low_i32x4_u(high), k(1048576.0)), f64x2.convert_low_i32x4_u(low))
  return f64x2.mul(f64x2.add(whole, k(0.5)), k(2.220446049250313e-16))
}

/** [wichura1988] AS 241 where |p - 1/2| is at most 0.425; elsewhere it means nothing. */
// @ts-ignore: decorator
@inline function centre(q: v128): v128 {
  const r = f64x2.sub(k(0.180625), f64x2.mul(q, q))
  let top = step(k(2509.0809287301226727), r, 33430.575583588128105)
  top = step(top, r, 67265.770927008700853)
  top = step(top, r, 45921.953931549871457)
  top = step(top, r, 13731.693765509461125)
  top = step(top, r, 1971.5909503065514427)
  top = step(top, r, 133.14166789178437745)
  top = step(top, r, 3.387132872796366608)
  let bottom = step(k(5226.495278852854561), r, 28729.085735721942674)
  bottom = step(bottom, r, 39307.89580009271061)
  bottom = step(bottom, r, 21213.794301586595867)
  bottom = step(bottom, r, 5394.1960214247511077)
  bottom = step(bottom, r, 687.1870074920579083)
  bottom = step(bottom, r, 42.313330701600911252)
  bottom = step(bottom, r, 1.0)
  return f64x2.div(f64x2.mul(q, top), bottom)
}

/** The same outside, by the distances of p from the nearer end; up to a distance of 5. */
// @ts-ignore: decorator
@inline function middle(distance: v128): v128 {
  const r = f64x2.sub(distance, k(1.6))
  let top = step(k(7.7454501427834140764e-4), r, 2.27238449892691845833e-2)
  top = step(top, r, 2.4178072517745061177e-1)
  top = step(top, r, 1.27045825245236838258)
  top = step(top, r, 3.64784832476320460504)
  top = step(top, r, 5.7694972214606914055)
  top = step(top, r, 4.6303378461565452959)
  top = step(top, r, 1.42343711074968357734)
  let bottom = step(k(1.05075007164441684324e-9), r, 5.475938084995344946e-4)
  bottom = step(bottom, r, 1.51986665636164571966e-2)
  bottom = step(bottom, r, 1.4810397642748007459e-1)
  bottom = step(bottom, r, 6.8976733498510000455e-1)
  bottom = step(bottom, r, 1.6763848301838038494)
  bottom = step(bottom, r, 2.05319162663775882187)
  bottom = step(bottom, r, 1.0)
  return f64x2.div(top, bottom)
}

/** Quantiles of two places outside the centre, written where `x` has them. */
// @ts-ignore: decorator
@inline function outside(p: usize, x: usize, i: i32, j: i32): void {
  const both = f64x2(load<f64>(p + (i << 3)), load<f64>(p + (j << 3)))
  const left = f64x2.lt(both, k(0.5))
  const distance = f64x2.sqrt(f64x2.neg(log2x(v128.bitselect(both, f64x2.sub(k(1.0), both), left))))
  if (v128.any_true(f64x2.gt(distance, k(5.0)))) {
    store<f64>(x + (i << 3), normalQuantile(load<f64>(p + (i << 3))))
    store<f64>(x + (j << 3), normalQuantile(load<f64>(p + (j << 3))))
    return
  }
  const size = middle(distance)
  const signed = v128.bitselect(f64x2.neg(size), size, left)
  store<f64>(x + (i << 3), f64x2.extract_lane(signed, 0))
  store<f64>(x + (j << 3), f64x2.extract_lane(signed, 1))
}

/** Quantiles x of `count` uniform numbers p, a multiple of two; `list` takes the places outside the centre. */
function quantiles(x: usize, p: usize, count: i32, list: usize): void {
  let found = 0
  for (let i = 0; i < count; i += 2) {
    const q = f64x2.sub(v128.load(p + (i << 3)), k(0.5))
    v128.store(x + (i << 3), centre(q))
    const out = i64x2.bitmask(f64x2.gt(f64x2.abs(q), k(0.425)))
    store<i32>(list + (found << 2), i)
    found += out & 1
    store<i32>(list + (found << 2), i + 1)
    found += out >> 1
  }
  if ((found & 1) == 1) store<i32>(list + (found << 2), load<i32>(list + ((found - 1) << 2)))
  for (let f = 0; f < found; f += 2) outside(p, x, load<i32>(list + (f << 2)), load<i32>(list + (f << 2), 4))
}

/** Bytes that `addNormals` works in. */
export function noiseScratch(): i32 { return CHUNK * 20 + 8 }

/** to[i] += std z[i], z the first normal numbers of the stream; at the beginning of which nothing was drawn. */
export function addNormals(to: usize, n: i32, at: Stream, std: f64, scratch: usize): void {
  const p = scratch, x = p + (CHUNK << 3), list = x + (CHUNK << 3)
  for (let done = 0; done < n; done += CHUNK) {
    const count = min(CHUNK, n - done)
    for (let i = 0; i < count; i += 8) eightUniforms(p + (i << 3), at)
    quantiles(x, p, (count + 1) & ~1, list)
    const place = to + (<usize>done << 3)
    for (let i = 0; i < count; i++) {
      const here = place + (<usize>i << 3)
      store<f64>(here, load<f64>(here) + std * load<f64>(x + (i << 3)))
    }
  }
}

/** to[i] = 0 where the i-th uniform number of the stream is below `rate`, else `kept`; nothing was drawn from it before. */
// @ts-ignore: decorator
@inline function fillMask<T>(to: usize, n: i32, at: Stream, rate: f64, kept: f64, scratch: usize): void {
  for (let done = 0; done < n; done += 8) {
    eightUniforms(scratch, at)
    const count = min(8, n - done)
    for (let i = 0; i < count; i++) {
      store<T>(to + <usize>(done + i) * sizeof<T>(), load<f64>(scratch + (i << 3)) < rate ? <T>0.0 : <T>kept)
    }
  }
}
export function fillMask_f32(to: usize, n: i32, at: Stream, rate: f64, kept: f64, scratch: usize): void { fillMask<f32>(to, n, at, rate, kept, scratch) }
export function fillMask_f64(to: usize, n: i32, at: Stream, rate: f64, kept: f64, scratch: usize): void { fillMask<f64>(to, n, at, rate, kept, scratch) }
