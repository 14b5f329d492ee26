// Whole runs of a chain of the collapsed Gibbs sampler behind `property-posterior`. The plain definition, with the same
// operations on the same draws in the same order and so the same bits, is src/attacks/properties/posterior/gibbs-chain.ts.
// The two hypotheses of a client, without the property and with it, stand side by side in the two lanes of a vector.
import { sigmoid2x } from './functions'
import { Walk } from './gibbs-walk'
import { exp1, gamma, integer, log1, normalQuantile, uniform } from './philox'

const tiny: f64 = 1e-120
const huge: f64 = 1e120
const mostSwaps: i32 = 20
const coldest: f64 = 0.02

// @ts-ignore: decorator
@inline function inside(x: f64): bool { return x > tiny && x < huge }
// @ts-ignore: decorator
@inline function first(w: Walk, i: i32): i32 { return load<i32>(w.start + (i << 2)) }

// What a walk holds is read into locals before a loop: a compiler cannot know that what is stored there leaves it alone.

/** Adds what client i is believed to put into its sums. */
function put(w: Walk, i: i32): void {
  const k: usize = (<usize>load<u8>(w.c + i)) << 3
  const tie = sqrt(w.rho) * load<f64>(w.u + (i << 3))
  const round = w.round, weight = w.weight, state = w.state
  for (let p = first(w, i), end = first(w, i + 1); p < end; p++) {
    const at = state + (load<i32>(round + (p << 2)) << 6), by = load<f64>(weight + (p << 3))
    const m = by * load<f64>(at + k, 32), s = by * load<f64>(at + k, 48)
    store<f64>(at, load<f64>(at) - (m + tie * s))
    store<f64>(at, load<f64>(at, 8) + s * s, 8)
  }
}

/** Takes it away again. */
function take(w: Walk, i: i32): void {
  const k: usize = (<usize>load<u8>(w.c + i)) << 3
  const tie = sqrt(w.rho) * load<f64>(w.u + (i << 3))
  const round = w.round, weight = w.weight, state = w.state
  for (let p = first(w, i), end = first(w, i + 1); p < end; p++) {
    const at = state + (load<i32>(round + (p << 2)) << 6), by = load<f64>(weight + (p << 3))
    const m = by * load<f64>(at + k, 32), s = by * load<f64>(at + k, 48)
    store<f64>(at, load<f64>(at) + (m + tie * s))
    store<f64>(at, load<f64>(at, 8) - s * s, 8)
  }
}

/** Computes e, V and nu anew. */
export function settle(w: Walk): void {
  const extra = w.extra
  for (let at = w.state, from = w.fixed, end = w.state + (w.rounds << 6); at < end; at += 64, from += 32) {
    store<f64>(at, load<f64>(from))
    store<f64>(at, 0.0, 8)
    store<f64>(at, load<f64>(from, 8) + extra * load<f64>(from, 16), 16)
  }
  for (let i = 0, n = w.clients; i < n; i++) put(w, i)
}

/** One client: what it put into its sums is taken out, both hypotheses are weighed, one is drawn and put back. */
function flip(w: Walk, i: i32, trust: f64, odds: f64): f64 {
  const k: usize = (<usize>load<u8>(w.c + i)) << 3
  const root = sqrt(w.rho), free = 1.0 - w.rho, tied = w.rho > 0
  const tie = root * load<f64>(w.u + (i << 3))
  const root2 = f64x2.splat(root), square2 = f64x2.splat(root * root), free2 = f64x2.splat(free)
  let h = f64x2.splat(0.0), P = f64x2.splat(1.0)
  let squares: f64 = 0, ratio: f64 = 1, logs: f64 = 0
  const round = w.round, weight = w.weight, state = w.state
  for (let p = first(w, i), end = first(w, i + 1); p < end; p++) {
    const at = state + (load<i32>(round + (p << 2)) << 6), by = load<f64>(weight + (p << 3))
    const mk = by * load<f64>(at + k, 32), sk = by * load<f64>(at + k, 48)
    const e = load<f64>(at) + (mk + tie * sk), V = load<f64>(at, 8) - sk * sk
    store<f64>(at, e)
    store<f64>(at, V, 8)
    const by2 = f64x2.splat(by)
    const m = f64x2.mul(by2, v128.load(at, 32)), s = f64x2.mul(by2, v128.load(at, 48))
    const rest = f64x2.splat(load<f64>(at, 16) + free * V)
    const D = f64x2.add(rest, f64x2.mul(f64x2.mul(free2, s), s))
    const z = f64x2.sub(f64x2.splat(e), m)
    const q = f64x2.div(f64x2.mul(z, z), D)
    squares += f64x2.extract_lane(q, 0) - f64x2.extract_lane(q, 1)
    ratio *= f64x2.extract_lane(D, 0) / f64x2.extract_lane(D, 1)
    if (!inside(ratio)) { logs += log1(ratio); ratio = 1 }
    if (tied) { // else these are zeros
      h = f64x2.add(h, f64x2.div(f64x2.mul(f64x2.mul(root2, s), z), D))
      P = f64x2.add(P, f64x2.div(f64x2.mul(f64x2.mul(square2, s), s), D))
    }
  }
  const own = f64x2.div(f64x2.mul(h, h), P)
  const ties = f64x2.extract_lane(own, 1) - f64x2.extract_lane(own, 0)
  const P0 = f64x2.extract_lane(P, 0), P1 = f64x2.extract_lane(P, 1)
  const fit = 0.5 * (squares + ties + logs + log1((ratio * P0) / P1))
  const p = f64x2.extract_lane(sigmoid2x(f64x2.splat(trust * fit + odds)), 0)
  const has = uniform(w.stream) < p
  const hc = has ? f64x2.extract_lane(h, 1) : f64x2.extract_lane(h, 0), Pc = has ? P1 : P0
  const mean = hc / Pc, std = 1.0 / sqrt(Pc)
  if (!(abs(mean) < Infinity && std < Infinity)) w.failed = 1
  store<u8>(w.c + i, has ? 1 : 0)
  store<f64>(w.u + (i << 3), mean + std * normalQuantile(uniform(w.stream)))
  put(w, i)
  return p
}

/** A guilty and an innocent one change places, a few times. */
function swapSome(w: Walk, trust: f64): void {
  let g = 0, n = 0
  for (let i = 0; i < w.clients; i++) {
    if (load<u8>(w.c + i)) store<i32>(w.guilty + (g++ << 2), i)
    else store<i32>(w.innocent + (n++ << 2), i)
  }
  const count = min(min(g, n), mostSwaps)
  for (let k = 0; k < count; k++) {
    const a = w.guilty + (integer(w.stream, g) << 2), b = w.innocent + (integer(w.stream, n) << 2)
    const i = load<i32>(a), j = load<i32>(b)
    const touched = touch(w, i, j)
    const before = likelihood(w, touched)
    exchange(w, i, j)
    if (log1(uniform(w.stream)) > trust * (likelihood(w, touched) - before)) exchange(w, i, j)
    if (!load<u8>(w.c + i)) { store<i32>(a, j); store<i32>(b, i) }
  }
}

/** Writes the rounds of two clients into `touched`, each once; gives their number. */
function touch(w: Walk, i: i32, j: i32): i32 {
  const now = ++w.stamps
  let count = 0
  for (let one = 0; one < 2; one++) {
    const client = one == 0 ? i : j
    for (let p = first(w, client), end = first(w, client + 1); p < end; p++) {
      const r = load<i32>(w.round + (p << 2))
      if (load<i32>(w.stamp + (r << 2)) == now) continue
      store<i32>(w.stamp + (r << 2), now)
      store<i32>(w.touched + (count++ << 2), r)
    }
  }
  return count
}

function exchange(w: Walk, i: i32, j: i32): void {
  take(w, i)
  take(w, j)
  const c = load<u8>(w.c + i), u = load<f64>(w.u + (i << 3))
  store<u8>(w.c + i, load<u8>(w.c + j)); store<f64>(w.u + (i << 3), load<f64>(w.u + (j << 3)))
  store<u8>(w.c + j, c); store<f64>(w.u + (j << 3), u)
  put(w, i)
  put(w, j)
}

/** log prod_r N(e_r; 0, D_r) over the first `count` rounds of `touched`. */
function likelihood(w: Walk, count: i32): f64 {
  let L: f64 = 0, product: f64 = 1
  for (let k = 0; k < count; k++) {
    const at = w.state + (load<i32>(w.touched + (k << 2)) << 6)
    const e = load<f64>(at)
    const D = load<f64>(at, 16) + (1.0 - w.rho) * load<f64>(at, 8)
    L -= (e * e) / D
    product *= D
    if (!inside(product)) { L -= log1(product); product = 1 }
  }
  return 0.5 * (L - log1(product))
}

function drawShare(w: Walk): void {
  let k = 0
  for (let i = 0; i < w.clients; i++) k += load<u8>(w.c + i)
  const x = gamma(w.stream, w.a + <f64>k), y = gamma(w.stream, w.b + <f64>w.clients - <f64>k)
  w.phi = min(max(x / (x + y), 1e-12), 1.0 - 1e-12)
}

/** rho given extra, then extra given rho, from their grids. */
function drawTies(w: Walk): void {
  const round = w.round, weight = w.weight, state = w.state, last = w.state + (w.rounds << 6)
  for (let at = state; at < last; at += 64) store<f64>(at, 0.0, 24)
  for (let i = 0, n = w.clients; i < n; i++) {
    const k: usize = (<usize>load<u8>(w.c + i)) << 3
    const u = load<f64>(w.u + (i << 3))
    for (let p = first(w, i), end = first(w, i + 1); p < end; p++) {
      const at = state + (load<i32>(round + (p << 2)) << 6)
      store<f64>(at, load<f64>(at, 24) + load<f64>(weight + (p << 3)) * load<f64>(at + k, 48) * u, 24)
    }
  }
  const root = sqrt(w.rho)
  for (let at = state, to = w.fixed; at < last; at += 64, to += 32) store<f64>(to, load<f64>(at) + root * load<f64>(at, 24), 24)
  for (let k = 0; k < w.rhoCount; k += 2) {
    v128.store(w.logs + (k << 3), match(w, v128.load(w.rhos + (k << 3)), f64x2.splat(w.extra)))
  }
  w.rho = load<f64>(w.rhos + (drawn(w, w.rhoCount) << 3))
  const tie = f64x2.splat(w.rho)
  for (let k = 0; k < w.extraCount; k += 2) {
    const found = match(w, tie, v128.load(w.extras + (k << 3)))
    v128.store(w.logs + (k << 3), f64x2.add(found, v128.load(w.priors + (k << 3))))
  }
  w.extra = load<f64>(w.extras + (drawn(w, w.extraCount) << 3))
}

/** log prod_r N(e_r; 0, D_r) for two values of rho, or of extra. */
function match(w: Walk, tie: v128, more: v128): v128 {
  let L = f64x2.splat(0.0), product = f64x2.splat(1.0)
  const root = f64x2.sqrt(tie), free = f64x2.sub(f64x2.splat(1.0), tie)
  const low = f64x2.splat(tiny), top = f64x2.splat(huge)
  for (let at = w.state, from = w.fixed, end = w.state + (w.rounds << 6); at < end; at += 64, from += 32) {
    const sure = f64x2.add(v128.load_splat<f64>(from + 8), f64x2.mul(more, v128.load_splat<f64>(from + 16)))
    const D = f64x2.add(sure, f64x2.mul(free, v128.load_splat<f64>(at + 8)))
    const z = f64x2.sub(v128.load_splat<f64>(from + 24), f64x2.mul(root, v128.load_splat<f64>(at + 24)))
    L = f64x2.sub(L, f64x2.div(f64x2.mul(z, z), D))
    product = f64x2.mul(product, D)
    const fine = v128.and(f64x2.gt(product, low), f64x2.lt(product, top))
    if (!i64x2.all_true(fine)) {
      const logs = logOf(product)
      L = v128.bitselect(L, f64x2.sub(L, logs), fine)
      product = v128.bitselect(product, f64x2.splat(1.0), fine)
    }
  }
  return f64x2.mul(f64x2.splat(0.5), f64x2.sub(L, logOf(product)))
}

function logOf(x: v128): v128 {
  return f64x2.replace_lane(f64x2.splat(log1(f64x2.extract_lane(x, 0))), 1, log1(f64x2.extract_lane(x, 1)))
}

/** A place among the first `count` of `logs`, with probability in proportion to exp of what is there. */
function drawn(w: Walk, count: i32): i32 {
  let largest: f64 = -Infinity
  for (let k = 0; k < count; k++) largest = max(largest, load<f64>(w.logs + (k << 3)))
  let total: f64 = 0, last = 0
  for (let k = 0; k < count; k++) {
    const weight = exp1(load<f64>(w.logs + (k << 3)) - largest)
    store<f64>(w.logs + (k << 3), weight)
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

/**
 * Sweeps number `from` to `to` - 1 of a run. The first `forget` cool the chain down; of the others mean and squares of p and
 * the sums of phi, rho and extra are kept.
 */
export function run(w: Walk, from: i32, to: i32, forget: i32): void {
  for (let s = from; s < to; s++) {
    const trust = s < forget ? min<f64>(1.0, coldest + (1.2 * <f64>s) / <f64>forget) : 1.0
    const odds = log1(w.phi / (1.0 - w.phi))
    for (let i = 0; i < w.clients; i++) store<f64>(w.p + (i << 3), flip(w, i, trust, odds))
    swapSome(w, trust)
    drawShare(w)
    drawTies(w)
    settle(w)
    if (s < forget) continue
    const count = <f64>(s - forget + 1)
    for (let at: usize = 0, end: usize = w.clients << 3; at < end; at += 8) {
      const p = load<f64>(w.p + at), mean = load<f64>(w.pMean + at)
      const before = p - mean, after = mean + before / count
      store<f64>(w.pMean + at, after)
      store<f64>(w.pSquares + at, load<f64>(w.pSquares + at) + before * (p - after))
    }
    w.shareSum += w.phi
    w.rhoSum += w.rho
    w.extraSum += w.extra
  }
}
