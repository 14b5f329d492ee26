// Whole runs of a chain of the collapsed Gibbs sampler behind `property-posterior`. The plain definition, with the same
// operations on the same draws in the same order and so the same bits, is src/attacks/properties/posterior/gibbs-chain.ts.
// The two hypotheses of a client, without the property and with it, stand side by side in the two lanes of a vector.
import { exp2x, log2x, sigmoid2x } from './functions'
import { drawBlock } from './gibbs-block'
import { Walk } from './gibbs-walk'
import { drawExtra, drawShift, drawTails, drawTies, freeOf, inside, pick } from './gibbs-nuisances'
import { integer, log1, normalQuantile, uniform } from './philox'

const mostSwaps: i32 = 20
const coldest: f64 = 0.02
/** Sweeps until e and V are computed anew. */
const unsettled: i32 = 16

// @ts-ignore: decorator
@inline function first(w: Walk, i: i32): i32 { return load<i32>(w.start + (i << 2)) }

// What a walk holds is read into locals before a loop: a compiler cannot know that what is stored there leaves it alone.

/** Adds what client i is believed to put into its sums. */
function put(w: Walk, i: i32): void {
  const k: usize = (<usize>load<u8>(w.c + i)) << 3
  const tie = sqrt(w.rho) * (k ? w.having : w.lacking) * load<f64>(w.u + (i << 3))
  const round = w.round, weight = w.weight, state = w.state
  for (let p = first(w, i), end = first(w, i + 1); p < end; p++) {
    const at = state + (load<i32>(round + (p << 2)) << 6), by = load<f64>(weight + (p << 3))
    const m = by * load<f64>(at + k, 32), s = by * load<f64>(at + k, 48)
    store<f64>(at, load<f64>(at) - (m + tie * (by * load<f64>(at, 24))))
    store<f64>(at, load<f64>(at, 8) + s * s, 8)
  }
}

/** Takes it away again. */
function take(w: Walk, i: i32): void {
  const k: usize = (<usize>load<u8>(w.c + i)) << 3
  const tie = sqrt(w.rho) * (k ? w.having : w.lacking) * load<f64>(w.u + (i << 3))
  const round = w.round, weight = w.weight, state = w.state
  for (let p = first(w, i), end = first(w, i + 1); p < end; p++) {
    const at = state + (load<i32>(round + (p << 2)) << 6), by = load<f64>(weight + (p << 3))
    const m = by * load<f64>(at + k, 32), s = by * load<f64>(at + k, 48)
    store<f64>(at, load<f64>(at) + (m + tie * (by * load<f64>(at, 24))))
    store<f64>(at, load<f64>(at, 8) - s * s, 8)
  }
}

/** Computes e, V and nu anew. */
export function settle(w: Walk): void {
  for (let at = w.state, from = w.fixed, end = w.state + (w.rounds << 6); at < end; at += 64, from += 56) {
    store<f64>(at, load<f64>(from) - load<f64>(from, 32))
    store<f64>(at, 0.0, 8)
  }
  for (let i = 0, n = w.clients; i < n; i++) put(w, i)
  widen(w)
}

/** Computes nu anew. */
function widen(w: Walk): void {
  const extra = w.extra
  for (let at = w.state, from = w.fixed, end = w.state + (w.rounds << 6); at < end; at += 64, from += 56) {
    store<f64>(at, load<f64>(from, 8) + (extra + load<f64>(from, 40)) * load<f64>(from, 16), 16)
  }
}

/** One client: what it put into its sums is taken out, both hypotheses are weighed, one is drawn and put back. */
function flip(w: Walk, i: i32, trust: f64): f64 {
  w.has -= load<u8>(w.c + i)
  count(w, i, -1.0)
  const k: usize = (<usize>load<u8>(w.c + i)) << 3
  const root = sqrt(w.rho), free = freeOf(w.rho)
  const tie = root * (k ? w.having : w.lacking) * load<f64>(w.u + (i << 3))
  const root0 = root * w.lacking, root1 = root * w.having
  const root2 = f64x2.replace_lane(f64x2.splat(root0), 1, root1)
  const free2 = f64x2.splat(free), one = f64x2.splat(1.0)
  let h = f64x2.splat(0.0), P = f64x2.splat(0.0), squares = f64x2.splat(0.0)
  let ratio: f64 = 1, logs: f64 = 0
  const round = w.round, weight = w.weight, state = w.state
  for (let p = first(w, i), end = first(w, i + 1); p < end; p++) {
    const at = state + (load<i32>(round + (p << 2)) << 6), by = load<f64>(weight + (p << 3))
    const mk = by * load<f64>(at + k, 32), sk = by * load<f64>(at + k, 48)
    const effect = by * load<f64>(at, 24)
    const e = load<f64>(at) + (mk + tie * effect), V = load<f64>(at, 8) - sk * sk
    store<f64>(at, e)
    store<f64>(at, V, 8)
    const by2 = f64x2.splat(by), own = f64x2.splat(effect)
    const m = f64x2.mul(by2, v128.load(at, 32)), s = f64x2.mul(by2, v128.load(at, 48))
    const rest = f64x2.splat(load<f64>(at, 16) + free * V)
    const D = f64x2.add(rest, f64x2.mul(f64x2.mul(free2, s), s)), inverse = f64x2.div(one, D)
    const z = f64x2.sub(f64x2.splat(e), m), y = f64x2.mul(z, inverse)
    squares = f64x2.add(squares, f64x2.mul(z, y))
    ratio *= f64x2.extract_lane(D, 0) * f64x2.extract_lane(inverse, 1)
    if (!inside(ratio)) { logs += log1(ratio); ratio = 1 }
    h = f64x2.add(h, f64x2.mul(own, y))
    P = f64x2.add(P, f64x2.mul(f64x2.mul(own, own), inverse))
  }
  h = f64x2.mul(h, root2)
  P = f64x2.mul(P, f64x2.mul(root2, root2))
  const largest = scaleTerms(w, h, P)
  const both = log2x(f64x2.replace_lane(f64x2.splat(ratio), 1, f64x2.extract_lane(total, 1) / f64x2.extract_lane(total, 0)))
  const fit = 0.5 * (f64x2.extract_lane(squares, 0) - f64x2.extract_lane(squares, 1) + logs + f64x2.extract_lane(both, 0))
    + (f64x2.extract_lane(largest, 1) - f64x2.extract_lane(largest, 0)) + f64x2.extract_lane(both, 1)
  const p = f64x2.extract_lane(sigmoid2x(f64x2.splat(trust * fit + load<f64>(w.odds + (w.has << 3)))), 0)
  const has = uniform(w.stream) < p
  const hc = has ? f64x2.extract_lane(h, 1) : f64x2.extract_lane(h, 0)
  const Pc = has ? f64x2.extract_lane(P, 1) : f64x2.extract_lane(P, 0)
  for (let k = 0; k < w.scaleCount; k++) store<f64>(w.logs + (k << 3), load<f64>(pairsOf(w) + (k << 4) + (has ? 8 : 0)))
  const kind = pick(w, w.scaleCount)
  const a = load<f64>(w.scales + (kind << 3)), by = 1.0 + a * Pc
  const mean = (a * hc) / by, std = sqrt(a / by)
  if (!(abs(mean) < Infinity && std < Infinity)) w.failed = 1
  store<u8>(w.c + i, has ? 1 : 0)
  store<u8>(w.kind + i, <u8>kind)
  if (has) w.has++
  count(w, i, 1.0)
  store<f64>(w.u + (i << 3), mean + std * normalQuantile(uniform(w.stream)))
  put(w, i)
  return p
}

/** Adds to the number of clients with the scale of client i. */
function count(w: Walk, i: i32, by: f64): void {
  const at = w.counts + ((<usize>load<u8>(w.kind + i)) << 3)
  store<f64>(at, load<f64>(at) + by)
}

/** What `scaleTerms` summed up last, under both hypotheses. */
let total: v128 = f64x2.splat(0.0)

/** Room for two numbers of each scale, behind one of each. */
// @ts-ignore: decorator
@inline function pairsOf(w: Walk): usize { return w.logs + (w.scaleCount << 3) }

/** Writes the weights of each scale into these pairs, and their sums into `total`; gives the largest exponents, which were taken out. */
function scaleTerms(w: Walk, h: v128, P: v128): v128 {
  const one = f64x2.splat(1.0), half = f64x2.splat(0.5), hh = f64x2.mul(h, h)
  const last = w.scaleCount - 1, pairs = pairsOf(w)
  const widest = v128.load_splat<f64>(w.scales + (last << 3))
  const most = f64x2.div(one, f64x2.add(one, f64x2.mul(widest, P)))
  const largest = f64x2.mul(f64x2.mul(f64x2.mul(half, widest), hh), most)
  let sum = f64x2.splat(0.0)
  for (let k = 0; k < last; k++) {
    const a = v128.load_splat<f64>(w.scales + (k << 3))
    const inverse = f64x2.div(one, f64x2.add(one, f64x2.mul(a, P)))
    const x = f64x2.mul(f64x2.mul(f64x2.mul(half, a), hh), inverse)
    const weight = f64x2.mul(f64x2.mul(often(w, k), f64x2.sqrt(inverse)), exp2x(f64x2.sub(x, largest)))
    v128.store(pairs + (k << 4), weight)
    sum = f64x2.add(sum, weight)
  }
  const weight = f64x2.mul(often(w, last), f64x2.sqrt(most))
  v128.store(pairs + (last << 4), weight)
  total = f64x2.add(sum, weight)
  return largest
}

/** How often clients are believed to have a scale. */
// @ts-ignore: decorator
@inline function often(w: Walk, k: i32): v128 { return f64x2.splat(load<f64>(w.scalePriors + (k << 3)) + load<f64>(w.counts + (k << 3))) }

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
  const kind = load<u8>(w.kind + i)
  store<u8>(w.kind + i, load<u8>(w.kind + j)); store<u8>(w.kind + j, kind)
  put(w, i)
  put(w, j)
}

/** log prod_r N(e_r; 0, D_r) over the first `count` rounds of `touched`. */
function likelihood(w: Walk, count: i32): f64 {
  let L: f64 = 0, product: f64 = 1
  const free = freeOf(w.rho)
  for (let k = 0; k < count; k++) {
    const at = w.state + (load<i32>(w.touched + (k << 2)) << 6)
    const e = load<f64>(at)
    const D = load<f64>(at, 16) + free * load<f64>(at, 8)
    L -= (e * e) / D
    product *= D
    if (!inside(product)) { L -= log1(product); product = 1 }
  }
  return 0.5 * (L - log1(product))
}

/**
 * Sweeps number `from` to `to` - 1 of a run. The first `forget` cool the chain down; of the others mean and squares of p and
 * the sums of the share that has the property, rho and extra are kept.
 */
export function run(w: Walk, from: i32, to: i32, forget: i32): void {
  for (let s = from; s < to; s++) {
    const trust = s < forget ? min<f64>(1.0, coldest + (1.2 * <f64>s) / <f64>forget) : 1.0
    for (let i = 0; i < w.clients; i++) store<f64>(w.p + (i << 3), flip(w, i, trust))
    swapSome(w, trust)
    drawBlock(w, trust)
    drawExtra(w)
    drawTies(w)
    drawShift(w)
    drawTails(w)
    if (++w.swept % unsettled == 0) settle(w)
    else widen(w)
    if (s < forget) continue
    const each = 1.0 / <f64>(s - forget + 1)
    for (let at: usize = 0, end: usize = w.clients << 3; at < end; at += 8) {
      const p = load<f64>(w.p + at), mean = load<f64>(w.pMean + at)
      const before = p - mean, after = mean + before * each
      store<f64>(w.pMean + at, after)
      store<f64>(w.pSquares + at, load<f64>(w.pSquares + at) + before * (p - after))
    }
    w.shareSum += <f64>w.has / <f64>w.clients
    w.rhoSum += w.rho
    w.extraSum += w.extra
  }
}
