// Normal noise in singles, four pairs at a time: a generator of four lanes, and [box1958]. Meaning: src/numeric/random/quick-normals.ts.
import { refill, Stream } from './philox'

/** Each constant four times: loaded before a loop it stays in a register, written inside it would be made anew each turn. */
const TABLE = memory.data<f32>([
  0.001953125, 0.001953125, 0.001953125, 0.001953125,
  1, 1, 1, 1,
  -0.8259493485107113, -0.8259493485107113, -0.8259493485107113, -0.8259493485107113,
  -1.3330438295713398, -1.3330438295713398, -1.3330438295713398, -1.3330438295713398,
  -4.0000004771194915, -4.0000004771194915, -4.0000004771194915, -4.0000004771194915,
  -1.3862943611198906, -1.3862943611198906, -1.3862943611198906, -1.3862943611198906,
  4.656612873077393e-10, 4.656612873077393e-10, 4.656612873077393e-10, 4.656612873077393e-10,
  0.00015082263875756073, 0.00015082263875756073, 0.00015082263875756073, 0.00015082263875756073,
  -0.004672232919016382, -0.004672232919016382, -0.004672232919016382, -0.004672232919016382,
  0.07968848466863895, 0.07968848466863895, 0.07968848466863895, 0.07968848466863895,
  -0.6459633611991625, -0.6459633611991625, -0.6459633611991625, -0.6459633611991625,
  1.5707962901538963, 1.5707962901538963, 1.5707962901538963, 1.5707962901538963,
  0.0008581906198971357, 0.0008581906198971357, 0.0008581906198971357, 0.0008581906198971357,
  -0.020810627520198643, -0.020810627520198643, -0.020810627520198643, -0.020810627520198643,
  0.2536507446358577, 0.2536507446358577, 0.2536507446358577, 0.2536507446358577,
  -1.233698214668898, -1.233698214668898, -1.233698214668898, -1.233698214668898,
  0.9999999534666709, 0.9999999534666709, 0.9999999534666709, 0.9999999534666709,
], 16)
const WORDS = memory.data<i32>([1, 1, 1, 1, 0x4eb504f3, 0x4eb504f3, 0x4eb504f3, 0x4eb504f3, 0x7fffff, 0x7fffff, 0x7fffff, 0x7fffff, 0x3f3504f3, 0x3f3504f3, 0x3f3504f3, 0x3f3504f3], 16)

// @ts-ignore: decorator
@inline const CHUNK: i32 = 512
// @ts-ignore: decorator
@inline function k(i: i32): v128 { return v128.load(TABLE + (<usize>i << 4)) }
// @ts-ignore: decorator
@inline function word(i: i32): v128 { return v128.load(WORDS + (<usize>i << 4)) }
// @ts-ignore: decorator
@inline function step(top: v128, by: v128, plus: v128): v128 { return f32x4.add(f32x4.mul(top, by), plus) }

/** [doty2010] sfc32 in four lanes: two words each for eight numbers, eights of which follow each other. */
function drawWords(to: usize, eights: i32, state: usize): void {
  let a = v128.load(state), b = v128.load(state, 16), c = v128.load(state, 32), count = v128.load(state, 48)
  const one = word(0)
  for (const end = to + (<usize>eights << 5); to < end; to += 32) {
    const first = i32x4.add(i32x4.add(a, b), count)
    const b1 = i32x4.add(c, i32x4.shl(c, 3))
    const c1 = i32x4.add(v128.or(i32x4.shl(c, 21), i32x4.shr_u(c, 11)), first)
    count = i32x4.add(count, one)
    const second = i32x4.add(i32x4.add(v128.xor(b, i32x4.shr_u(b, 9)), b1), count)
    a = v128.xor(b1, i32x4.shr_u(b1, 9))
    b = i32x4.add(c1, i32x4.shl(c1, 3))
    c = i32x4.add(v128.or(i32x4.shl(c1, 21), i32x4.shr_u(c1, 11)), second)
    count = i32x4.add(count, one)
    v128.store(to, first)
    v128.store(to, second, 16)
  }
  v128.store(state, a)
  v128.store(state, b, 16)
  v128.store(state, c, 32)
  v128.store(state, count, 48)
}

/** The first word of each two becomes a radius: std sqrt(-2 log u), with the sign of its last bit. */
function takeRadii(at: usize, eights: i32, std: f32): void {
  const small = k(0), unit = k(1), p0 = k(2), p1 = k(3), p2 = k(4), perE = k(5)
  const last = word(0), shift = word(1), mantissa = word(2), half = word(3)
  const by = f32x4.splat(std)
  for (const end = at + (<usize>eights << 5); at < end; at += 32) {
    const first = v128.load(at)
    const low = f32x4.convert_i32x4_s(v128.or(i32x4.shr_u(v128.load(at, 16), 23), last))
    const u = f32x4.add(f32x4.convert_i32x4_s(i32x4.shr_u(first, 1)), f32x4.mul(low, small))
    const bits = i32x4.sub(u, shift)
    const m = i32x4.add(v128.and(bits, mantissa), half)
    const s = f32x4.div(f32x4.sub(m, unit), f32x4.add(m, unit))
    const p = step(step(p0, f32x4.mul(s, s), p1), f32x4.mul(s, s), p2)
    const square = f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(i32x4.shr_s(bits, 23)), perE), f32x4.mul(s, p))
    v128.store(at, f32x4.mul(v128.xor(f32x4.sqrt(square), i32x4.shl(first, 31)), by))
  }
}

/** Radius and angle become two numbers: sin and cos of a quarter turn, times -1 to 1 by the last 24 bits of the word. */
function takePairs(to: usize, at: usize, eights: i32): void {
  const perTurn = k(6), s0 = k(7), s1 = k(8), s2 = k(9), s3 = k(10), s4 = k(11)
  const c0 = k(12), c1 = k(13), c2 = k(14), c3 = k(15), c4 = k(16)
  for (const end = at + (<usize>eights << 5); at < end; at += 32) {
    const r = v128.load(at)
    const v = f32x4.mul(f32x4.convert_i32x4_s(i32x4.shl(v128.load(at, 16), 8)), perTurn)
    const w = f32x4.mul(v, v)
    const sin = f32x4.mul(step(step(step(step(s0, w, s1), w, s2), w, s3), w, s4), v)
    const cos = step(step(step(step(c0, w, c1), w, c2), w, c3), w, c4)
    v128.store(to, f32x4.add(v128.load(to), f32x4.mul(r, sin)))
    v128.store(to, f32x4.add(v128.load(to, 16), f32x4.mul(r, cos)), 16)
    to += 32
  }
}

/** to[i] += std z[i], z the first normal numbers of the stream; nothing was drawn from it before. Works in less than `noiseScratch` bytes. */
export function addQuickNormals(to: usize, n: i32, at: Stream, std: f32, scratch: usize): void {
  const rest = scratch + 64, words = scratch + 96
  for (let lane: usize = 0; lane < 4; lane++) {
    refill(at)
    const place = scratch + (lane << 2)
    store<u32>(place, at.w0)
    store<u32>(place, at.w1, 16)
    store<u32>(place, at.w2, 32)
    store<u32>(place, at.w3, 48)
  }
  for (let done = 0; done < n; done += CHUNK) {
    const count = min(CHUNK, n - done)
    const whole = count >> 3, left = count & 7, eights = whole + <i32>(left > 0)
    const here = to + (<usize>done << 2)
    drawWords(words, eights, scratch)
    takeRadii(words, eights, std)
    takePairs(here, words, whole)
    if (left == 0) continue
    memory.fill(rest, 0, 32)
    takePairs(rest, words + (<usize>whole << 5), 1)
    const end = here + (<usize>whole << 5)
    for (let j: usize = 0; j < <usize>left; j++) store<f32>(end + (j << 2), load<f32>(end + (j << 2)) + load<f32>(rest + (j << 2)))
  }
}
