// Draws of one random stream inside a kernel: the same words, and the same numbers from them, as src/numeric/random/rng.ts gives.
import { exp2x, log1p2x, log2x } from './functions'

/** Where a stream lives and how far it is: its address, the next block, and the words of the present one. */
// @ts-ignore: decorator
@unmanaged
export class Stream {
  key0: u32
  key1: u32
  high0: u32
  high1: u32
  block: u64
  /** Words of the block that are used up: 4 when there are none left. */
  used: i32
  w0: u32
  w1: u32
  w2: u32
  w3: u32
  unused: i32
}

// @ts-ignore: decorator
@inline export function log1(x: f64): f64 { return f64x2.extract_lane(log2x(f64x2.splat(x)), 0) }
// @ts-ignore: decorator
@inline export function exp1(x: f64): f64 { return f64x2.extract_lane(exp2x(f64x2.splat(x)), 0) }

/** [salmon2011] Philox4x32-10. */
export function refill(at: Stream): void {
  let c0 = <u32>at.block, c1 = <u32>(at.block >> 32), c2 = at.high0, c3 = at.high1
  let k0 = at.key0, k1 = at.key1
  for (let round = 0; round < 10; round++) {
    const p = <u64>0xd2511f53 * <u64>c0, q = <u64>0xcd9e8d57 * <u64>c2
    c0 = <u32>(q >> 32) ^ c1 ^ k0
    c1 = <u32>q
    c2 = <u32>(p >> 32) ^ c3 ^ k1
    c3 = <u32>p
    k0 += 0x9e3779b9
    k1 += 0xbb67ae85
  }
  at.w0 = c0; at.w1 = c1; at.w2 = c2; at.w3 = c3
  at.block++
  at.used = 0
}

export function word(at: Stream): u32 {
  if (at.used == 4) refill(at)
  const used = at.used++
  return used == 0 ? at.w0 : used == 1 ? at.w1 : used == 2 ? at.w2 : at.w3
}

/** Uniform on the open interval (0, 1). */
export function uniform(at: Stream): f64 {
  const high = word(at), low = word(at)
  return (<f64>high * 1048576.0 + <f64>(low >> 12) + 0.5) * 2.220446049250313e-16
}

/** [lemire2019] Uniform on 0 .. bound - 1. */
export function integer(at: Stream, bound: u32): u32 {
  let product = <u64>word(at) * <u64>bound
  if (<u32>product < bound) {
    const rejected: u32 = (<u32>0 - bound) % bound // 2^32 mod bound
    while (<u32>product < rejected) product = <u64>word(at) * <u64>bound
  }
  return <u32>(product >> 32)
}

/** [wichura1988] AS 241, for p inside (0, 1). */
export function normalQuantile(p: f64): f64 {
  const q = p - 0.5
  if (abs(q) <= 0.425) {
    const r = 0.180625 - q * q
    const top = ((((((2509.0809287301226727 * r + 33430.575583588128105) * r + 67265.770927008700853) * r + 45921.953931549871457) * r
      + 13731.693765509461125) * r + 1971.5909503065514427) * r + 133.14166789178437745) * r + 3.387132872796366608
    const bottom = ((((((5226.495278852854561 * r + 28729.085735721942674) * r + 39307.89580009271061) * r + 21213.794301586595867) * r
      + 5394.1960214247511077) * r + 687.1870074920579083) * r + 42.313330701600911252) * r + 1.0
    return (q * top) / bottom
  }
  const distance = sqrt(-log1(q < 0.0 ? p : 1.0 - p))
  const x = distance <= 5.0 ? middle(distance - 1.6) : far(distance - 5.0)
  return q < 0.0 ? -x : x
}

function middle(r: f64): f64 {
  const top = ((((((7.7454501427834140764e-4 * r + 2.27238449892691845833e-2) * r + 2.4178072517745061177e-1) * r + 1.27045825245236838258) * r
    + 3.64784832476320460504) * r + 5.7694972214606914055) * r + 4.6303378461565452959) * r + 1.42343711074968357734
  const bottom = ((((((1.05075007164441684324e-9 * r + 5.475938084995344946e-4) * r + 1.51986665636164571966e-2) * r + 1.4810397642748007459e-1) * r
    + 6.8976733498510000455e-1) * r + 1.6763848301838038494) * r + 2.05319162663775882187) * r + 1.0
  return top / bottom
}

function far(r: f64): f64 {
  const top = ((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r + 1.2426609473880784386e-3) * r + 2.6532189526576123093e-2) * r
    + 2.9656057182850489123e-1) * r + 1.7848265399172913358) * r + 5.4637849111641143699) * r + 6.6579046435011037772
  const bottom = ((((((2.04426310338993978564e-15 * r + 1.4215117583164458887e-7) * r + 1.8463183175100546818e-5) * r + 7.868691311456132591e-4) * r
    + 1.48753612908506148525e-2) * r + 1.369298809227358053e-1) * r + 5.9983220655588793769e-1) * r + 1.0
  return top / bottom
}

/** [marsaglia2000] Scale 1; below shape 1 by the logarithm, as rng.ts has it. */
export function gamma(at: Stream, shape: f64): f64 {
  if (shape >= 1.0) return gammaFromOne(at, shape)
  const above = log1(gammaFromOne(at, shape + 1.0))
  return exp1(above + log1(uniform(at)) / shape)
}

function gammaFromOne(at: Stream, a: f64): f64 {
  const d = a - 1.0 / 3.0
  const c = 1.0 / sqrt(9.0 * d)
  while (true) {
    const x = normalQuantile(uniform(at))
    const u = uniform(at)
    const t = c * x
    if (t <= -1.0) continue
    const v = (1.0 + t) * (1.0 + t) * (1.0 + t)
    const xx = x * x
    if (u < 1.0 - 0.0331 * xx * xx) return d * v
    const log1p = f64x2.extract_lane(log1p2x(f64x2.splat(t)), 0)
    if (log1(u) < 0.5 * xx + d * (3.0 * log1p - t * (3.0 + t * (3.0 + t)))) return d * v
  }
}

// Many draws at once: for the tests that hold them to rng.ts.
export function fillNormals(to: usize, n: i32, at: Stream): void {
  for (let i = 0; i < n; i++) store<f64>(to + (i << 3), normalQuantile(uniform(at)))
}
export function fillGammas(to: usize, n: i32, at: Stream, shape: f64): void {
  for (let i = 0; i < n; i++) store<f64>(to + (i << 3), gamma(at, shape))
}
export function fillIntegers(to: usize, n: i32, at: Stream, bound: u32): void {
  for (let i = 0; i < n; i++) store<u32>(to + (i << 2), integer(at, bound))
}
