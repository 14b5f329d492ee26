// Several clients at once: src/attacks/properties/posterior/gibbs-block.ts in compiled code, with the same operations in the
// same order.
import { exp2x, log2x } from './functions'
import { Walk } from './gibbs-walk'
import { freeOf, inside, pick } from './gibbs-nuisances'
import { integer, log1 } from './philox'

const mostTogether: i32 = 6

// @ts-ignore: decorator
@inline function doubted(w: Walk, k: i32): i32 { return load<i32>(w.doubtful + (k << 2)) }

/** Draws some clients of the doubtful ones, and then who of them has the property out of all ways to say it. */
export function drawBlock(w: Walk, trust: f64): void {
  const b = min(mostTogether, w.doubts)
  if (b < 2) return
  let before = 0
  for (let k = 0; k < b; k++) {
    const at = w.doubtful + (k << 2), other = at + (integer(w.stream, w.doubts - k) << 2), i = load<i32>(other)
    store<i32>(other, load<i32>(at))
    store<i32>(at, i)
    before |= <i32>load<u8>(w.c + i) << k
  }
  const ways = 1 << b, logs = w.logs
  let L: f64 = 0, largest: f64 = 0
  store<f64>(logs, 0.0)
  const ratios = logs + (ways << 3), priors = ratios + (ways << 3)
  store<f64>(ratios, 1.0)
  for (let way = 1; way < ways; way++) toggle(w, doubted(w, ctz(way)), way, true)
  toggle(w, doubted(w, b - 1), 0, false) // where it began
  for (let at = ratios; at < priors; at += 16) v128.store(at, log2x(v128.load(at)))
  for (let way = 1; way < ways; way++) {
    const at = logs + (way << 3), more = load<f64>(at) + load<f64>(ratios + (way << 3))
    L += 0.5 * trust * more + load<f64>(priors + (way << 3))
    store<f64>(at, L)
    if (L > largest) largest = L
  }
  const most = f64x2.splat(largest), having = ratios
  for (let at = logs; at < ratios; at += 16) v128.store(at, exp2x(f64x2.sub(v128.load(at), most)))
  for (let k = 0; k < b; k++) store<f64>(having + (k << 3), 0.0)
  let total: f64 = 0
  for (let way = 0; way < ways; way++) {
    const weight = load<f64>(logs + (way << 3)), has = before ^ flipped(way)
    total += weight
    for (let k = 0; k < b; k++) {
      if ((has >> k) & 1) store<f64>(having + (k << 3), load<f64>(having + (k << 3)) + weight)
    }
  }
  const drawn = flipped(pick(w, ways))
  for (let k = 0; k < b; k++) {
    const i = doubted(w, k)
    store<f64>(w.p + (i << 3), load<f64>(having + (k << 3)) / total)
    if ((drawn >> k) & 1) toggle(w, i, 0, false)
  }
}

/** Which clients of a block are not as they were, by bits: Gray's code. */
// @ts-ignore: decorator
@inline function flipped(way: i32): i32 { return way ^ (way >> 1) }

/**
 * Client i has the property where it had it not, or not where it had. What that changes in the logarithm of the posterior is
 * left behind if `told`, by the number of the way: the likelihood's part but for a logarithm, the number it is of, the prior's.
 */
function toggle(w: Walk, i: i32, way: i32, told: bool): void {
  const has = load<u8>(w.c + i), k: usize = (<usize>has) << 3, to: usize = 8 - k
  const own = sqrt(w.rho) * load<f64>(w.u + (i << 3))
  const tieFrom = own * (has ? w.having : w.lacking), tieTo = own * (has ? w.lacking : w.having)
  const free = freeOf(w.rho), free2 = f64x2.splat(free), one = f64x2.splat(1.0)
  let squares = f64x2.splat(0.0), ratio: f64 = 1, logs: f64 = 0
  const round = w.round, weight = w.weight, state = w.state
  for (let p = load<i32>(w.start + (i << 2)), end = load<i32>(w.start + ((i + 1) << 2)); p < end; p++) {
    const at = state + (load<i32>(round + (p << 2)) << 6), by = load<f64>(weight + (p << 3))
    const s = by * load<f64>(at + k, 48), S = by * load<f64>(at + to, 48), effect = by * load<f64>(at, 24)
    const e0 = load<f64>(at), V0 = load<f64>(at, 8)
    const e1 = e0 + (by * load<f64>(at + k, 32) + tieFrom * effect) - (by * load<f64>(at + to, 32) + tieTo * effect)
    const V1 = V0 - s * s + S * S
    store<f64>(at, e1)
    store<f64>(at, V1, 8)
    if (!told) continue
    const e = f64x2.replace_lane(f64x2.splat(e0), 1, e1), V = f64x2.replace_lane(f64x2.splat(V0), 1, V1)
    const D = f64x2.add(v128.load_splat<f64>(at, 16), f64x2.mul(free2, V)), inverse = f64x2.div(one, D)
    squares = f64x2.add(squares, f64x2.mul(f64x2.mul(e, e), inverse))
    ratio *= f64x2.extract_lane(D, 0) * f64x2.extract_lane(inverse, 1)
    if (!inside(ratio)) { logs += log1(ratio); ratio = 1 }
  }
  store<u8>(w.c + i, 1 - has)
  w.has -= has
  const odds = load<f64>(w.odds + (w.has << 3))
  w.has += 1 - has
  if (!told) return
  const at = w.logs + (way << 3), ways = <usize>8 << min(mostTogether, w.doubts)
  store<f64>(at, f64x2.extract_lane(squares, 0) - f64x2.extract_lane(squares, 1) + logs)
  store<f64>(at + ways, ratio)
  store<f64>(at + 2 * ways, has ? -odds : odds)
}
