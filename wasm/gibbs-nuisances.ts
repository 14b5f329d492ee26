// What a chain draws besides who has the property: src/attacks/properties/posterior/gibbs-nuisances.ts in compiled code, with
// the same operations in the same order.
import { exp2x, log2x } from './functions'
import { Walk } from './gibbs-walk'
import { normalQuantile, uniform } from './philox'

const tiny: f64 = 1e-120
const huge: f64 = 1e120
/** What is so much less likely than the likeliest, by its logarithm, is never drawn. */
const never: f64 = -40

// @ts-ignore: decorator
@inline export function inside(x: f64): bool { return x > tiny && x < huge }
// @ts-ignore: decorator
@inline export function freeOf(rho: f64): f64 { return rho < 1.0 ? 1.0 - rho : 1.0 }

/** extra given rho, from its grid. */
export function drawExtra(w: Walk): void {
  const free = f64x2.splat(freeOf(w.rho)), low = f64x2.splat(tiny), top = f64x2.splat(huge)
  for (let k = 0; k < w.extraCount; k += 2) {
    const more = v128.load(w.extras + (k << 3))
    let L = f64x2.splat(0.0), product = f64x2.splat(1.0)
    for (let at = w.state, from = w.fixed, end = w.state + (w.rounds << 6); at < end; at += 64, from += 56) {
      const D = varianceOf(at, from, more, free), e = v128.load_splat<f64>(at)
      L = f64x2.sub(L, f64x2.div(f64x2.mul(e, e), D))
      product = f64x2.mul(product, D)
      const fine = v128.and(f64x2.gt(product, low), f64x2.lt(product, top))
      if (!i64x2.all_true(fine)) {
        L = v128.bitselect(L, f64x2.sub(L, log2x(product)), fine)
        product = v128.bitselect(product, f64x2.splat(1.0), fine)
      }
    }
    const found = f64x2.mul(f64x2.splat(0.5), f64x2.sub(L, log2x(product)))
    v128.store(w.logs + (k << 3), f64x2.add(found, v128.load(w.extraPriors + (k << 3))))
  }
  w.extra = load<f64>(w.extras + (drawn(w, w.extraCount) << 3))
}

/** D of a round for two values of what rho leaves free, or of extra. */
// @ts-ignore: decorator
@inline function varianceOf(at: usize, from: usize, more: v128, free: v128): v128 {
  const wide = f64x2.add(more, v128.load_splat<f64>(from + 40))
  const sure = f64x2.add(v128.load_splat<f64>(from + 8), f64x2.mul(wide, v128.load_splat<f64>(from + 16)))
  return f64x2.add(sure, f64x2.mul(free, v128.load_splat<f64>(at + 8)))
}

/** rho from its grid, then once more with what each client adds held fast. */
export function drawTies(w: Walk): void {
  const round = w.round, weight = w.weight, state = w.state, last = w.state + (w.rounds << 6)
  const fixed = w.fixed
  for (let to = fixed, end = fixed + w.rounds * 56; to < end; to += 56) store<f64>(to, 0.0, 48)
  let squares: f64 = 0
  for (let i = 0, n = w.clients; i < n; i++) {
    const u = load<f64>(w.u + (i << 3)), by = (load<u8>(w.c + i) ? w.having : w.lacking) * u
    for (let p = load<i32>(w.start + (i << 2)), end = load<i32>(w.start + ((i + 1) << 2)); p < end; p++) {
      const r = load<i32>(round + (p << 2)), to = fixed + r * 56
      store<f64>(to, load<f64>(to, 48) + load<f64>(weight + (p << 3)) * load<f64>(state + (r << 6), 24) * by, 48)
    }
    squares += (u * u) / load<f64>(w.scales + ((<usize>load<u8>(w.kind + i)) << 3))
  }
  const root = sqrt(w.rho)
  for (let at = state, to = w.fixed; at < last; at += 64, to += 56) store<f64>(to, load<f64>(at) + root * load<f64>(to, 48), 24)
  for (let k = 0; k < w.lesser; k += 2) residualSums(w, k)
  for (let k = 0; k < w.rhoCount; k += 2) {
    const tie = v128.load(w.rhos + (k << 3))
    v128.store(w.logs + (k << 3), f64x2.add(match(w, k, f64x2.sqrt(tie)), v128.load(w.rhoPriors + (k << 3))))
  }
  w.rho = load<f64>(w.rhos + (drawn(w, w.rhoCount) << 3))
  const from = w.rho, now = sqrt(from)
  for (let at = state, to = w.fixed; at < last; at += 64, to += 56) store<f64>(at, load<f64>(to, 24) - now * load<f64>(to, 48))
  if (from == 0.0) return
  const left = f64x2.splat(squares * from), none = f64x2.splat(0.0)
  for (let k = 0; k < w.rhoCount; k += 2) {
    const tie = v128.load(w.rhos + (k << 3))
    const loss = f64x2.add(v128.load(w.held + (k << 3)), f64x2.div(left, tie))
    const found = f64x2.sub(match(w, k, f64x2.splat(now)), f64x2.mul(f64x2.splat(0.5), loss))
    const told = v128.bitselect(f64x2.splat(-Infinity), found, f64x2.eq(tie, none))
    v128.store(w.logs + (k << 3), f64x2.add(told, v128.load(w.rhoPriors + (k << 3))))
  }
  w.rho = load<f64>(w.rhos + (drawn(w, w.rhoCount) << 3))
  const by = sqrt(from / w.rho)
  for (let at = w.u, end = w.u + (w.clients << 3); at < end; at += 8) store<f64>(at, load<f64>(at) * by)
}

/** Over rounds x^2 / D, x o / D, o^2 / D and log D, for two values of rho below 1. */
function residualSums(w: Walk, k: i32): void {
  const one = f64x2.splat(1.0), free = f64x2.sub(one, v128.load(w.rhos + (k << 3))), more = f64x2.splat(w.extra)
  const low = f64x2.splat(tiny), top = f64x2.splat(huge)
  let xx = f64x2.splat(0.0), xo = xx, oo = xx, logs = xx, product = one
  for (let at = w.state, from = w.fixed, end = w.state + (w.rounds << 6); at < end; at += 64, from += 56) {
    const D = varianceOf(at, from, more, free), inverse = f64x2.div(one, D)
    const plain = v128.load_splat<f64>(from + 24), own = v128.load_splat<f64>(from + 48)
    const x = f64x2.mul(plain, inverse)
    xx = f64x2.add(xx, f64x2.mul(plain, x))
    xo = f64x2.add(xo, f64x2.mul(own, x))
    oo = f64x2.add(oo, f64x2.mul(f64x2.mul(own, own), inverse))
    product = f64x2.mul(product, D)
    const fine = v128.and(f64x2.gt(product, low), f64x2.lt(product, top))
    if (!i64x2.all_true(fine)) {
      logs = v128.bitselect(logs, f64x2.add(logs, log2x(product)), fine)
      product = v128.bitselect(product, one, fine)
    }
  }
  const to = w.sums + (k << 5)
  v128.store(to, xx)
  v128.store(to, xo, 16)
  v128.store(to, oo, 32)
  v128.store(to, f64x2.add(logs, log2x(product)), 48)
}

/** log prod_r N(x_r - by o_r; 0, D_r) for two values of rho: beyond 1 as much is free as at 0. */
function match(w: Walk, k: i32, by: v128): v128 {
  const at = w.sums + (<usize>(k < w.lesser ? k : 0) << 5)
  let xx = v128.load(at), xo = v128.load(at, 16), oo = v128.load(at, 32), logs = v128.load(at, 48)
  if (k >= w.lesser) {
    xx = f64x2.splat(f64x2.extract_lane(xx, 0))
    xo = f64x2.splat(f64x2.extract_lane(xo, 0))
    oo = f64x2.splat(f64x2.extract_lane(oo, 0))
    logs = f64x2.splat(f64x2.extract_lane(logs, 0))
  }
  const cross = f64x2.mul(f64x2.mul(f64x2.splat(2.0), by), xo), square = f64x2.mul(f64x2.mul(by, by), oo)
  return f64x2.mul(f64x2.splat(-0.5), f64x2.add(f64x2.add(f64x2.sub(xx, cross), square), logs))
}

/** The coefficients of the shift that all share, one by one, then their deviation. */
export function drawShift(w: Walk): void {
  const free = freeOf(w.rho), extra = w.extra, tau = w.tau, n = w.rounds, last = w.state + (n << 6)
  for (let at = w.state, from = w.fixed; at < last; at += 64, from += 56) {
    const D = load<f64>(from, 8) + (extra + load<f64>(from, 40)) * load<f64>(from, 16) + free * load<f64>(at, 8)
    store<f64>(from, 1.0 / D, 24)
  }
  for (let k = 0; k < w.terms; k++) {
    const basis = w.basis + ((k * n) << 3), place = w.alpha + (k << 3), alpha = load<f64>(place)
    let h: f64 = 0, P: f64 = 0
    for (let at = w.state, from = w.fixed, b = basis; at < last; at += 64, from += 56, b += 8) {
      const x = load<f64>(b), y = x * load<f64>(from, 24)
      h += y * load<f64>(at)
      P += y * x
    }
    const precision = P + 1.0 / (tau * tau)
    const mean = (h + alpha * P) / precision, std = 1.0 / sqrt(precision)
    if (!(abs(mean) < Infinity && std < Infinity)) w.failed = 1
    const to = mean + std * normalQuantile(uniform(w.stream)), by = to - alpha
    store<f64>(place, to)
    for (let at = w.state, from = w.fixed, b = basis; at < last; at += 64, from += 56, b += 8) {
      const step = by * load<f64>(b)
      store<f64>(at, load<f64>(at) - step)
      store<f64>(from, load<f64>(from, 32) + step, 32)
    }
  }
  let squares: f64 = 0
  for (let k = 0; k < w.terms; k++) {
    const a = load<f64>(w.alpha + (k << 3))
    squares += a * a
  }
  const minusTerms = f64x2.splat(-(<f64>w.terms))
  for (let k = 0; k < w.shiftCount; k += 2) {
    const one = v128.load(w.shifts + (k << 3))
    const far = f64x2.div(f64x2.splat(squares), f64x2.mul(f64x2.mul(f64x2.splat(2.0), one), one))
    const found = f64x2.sub(f64x2.mul(minusTerms, log2x(one)), far)
    v128.store(w.logs + (k << 3), f64x2.add(found, v128.load(w.shiftPriors + (k << 3))))
  }
  w.tau = load<f64>(w.shifts + (drawn(w, w.shiftCount) << 3))
}

/** How far each round is out of the ordinary. */
export function drawTails(w: Walk): void {
  const free = freeOf(w.rho), extra = w.extra, count = w.tailCount
  const most = load<f64>(w.tails + ((count - 1) << 3))
  for (let at = w.state, from = w.fixed, end = w.state + (w.rounds << 6); at < end; at += 64, from += 56) {
    const spread = load<f64>(from, 16), e = load<f64>(at), square = e * e
    const rest = load<f64>(from, 8) + extra * spread + free * load<f64>(at, 8)
    const widest = rest + most * spread
    const least = f64x2.splat(square / widest)
    for (let k = 0; k < count; k += 2) {
      const D = f64x2.add(f64x2.splat(rest), f64x2.mul(v128.load(w.tails + (k << 3)), f64x2.splat(spread)))
      const inverse = f64x2.div(f64x2.splat(1.0), D)
      const x = f64x2.mul(f64x2.splat(0.5), f64x2.sub(least, f64x2.mul(f64x2.splat(square), inverse)))
      v128.store(w.logs + (k << 3), f64x2.mul(f64x2.mul(v128.load(w.tailPriors + (k << 3)), exp2x(x)), f64x2.sqrt(inverse)))
    }
    store<f64>(from, load<f64>(w.tails + (pick(w, count) << 3)), 40)
  }
}

/** A place among the first `count` of `logs`, with probability in proportion to exp of what is there. */
function drawn(w: Walk, count: i32): i32 {
  let largest: f64 = -Infinity
  for (let k = 0; k < count; k++) largest = max(largest, load<f64>(w.logs + (k << 3)))
  const most = f64x2.splat(largest), least = f64x2.splat(never)
  for (let at = w.logs, end = w.logs + (count << 3); at < end; at += 16) {
    const x = f64x2.sub(v128.load(at), most), out = f64x2.lt(x, least)
    v128.store(at, i64x2.all_true(out) ? f64x2.splat(0.0) : v128.andnot(exp2x(x), out))
  }
  return pick(w, count)
}

/** A place among the first `count` of `logs`, with probability in proportion to what is there. */
export function pick(w: Walk, count: i32): i32 {
  let total: f64 = 0, last = 0
  for (let k = 0; k < count; k++) {
    const weight = load<f64>(w.logs + (k << 3))
    if (weight > 0) last = k
    total += weight
  }
  if (!(total > 0 && total < Infinity)) w.failed = 1
  const x = uniform(w.stream) * total
  let sum: f64 = 0
  for (let k = 0; k < last; k++) {
    sum += load<f64>(w.logs + (k << 3))
    if (x < sum) return k
  }
  return last
}
