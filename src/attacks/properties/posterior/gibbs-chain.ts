/** One chain of the collapsed Gibbs sampler in plain code: it defines the kernel that does the work (wasm/gibbs.ts). */
import type { Rng } from '../../../numeric/random/rng.js'
import { exp, log, sigmoid } from '../../../numeric/special/elementary-functions.js'
import { totalOf } from '../../../numeric/special/summaries.js'
import { drawBlock } from './gibbs-block.js'
import { freeOf, type GibbsModel, ownScales, shiftTerms } from './gibbs-model.js'
import { drawExtra, drawShift, drawTails, drawTies } from './gibbs-nuisances.js'
import { huge, oddsOf, type ShareBelief, tiny, type Walk } from './gibbs-walk.js'

export interface Chain {
  /**
   * Visits every client once, then draws what is common; `p` is overwritten with P(c_i = 1 | all others). Below a
   * `trust` of 1 the sums count for less: cooled down slowly, a chain finds its way out of a corner.
   */
  sweep(p: Float64Array, trust: number): void
  readonly state: { readonly guilty: number; readonly rho: number; readonly extra: number }
}

export interface ChainOptions {
  readonly belief: ShareBelief
  readonly rng: Rng
  /** Clients that are drawn several at a time besides. */
  readonly doubtful?: readonly number[]
}

export function startChain(model: GibbsModel, start: Uint8Array, options: ChainOptions): Chain {
  const { belief, rng, doubtful = [] } = options
  const { clients: N, rounds: n } = model
  const walk: Walk = {
    model,
    belief,
    rng,
    c: start.slice(),
    u: new Float64Array(N),
    e: new Float64Array(n),
    V: new Float64Array(n),
    nu: new Float64Array(n),
    odds: oddsOf(belief, N),
    guilty: totalOf(start),
    counts: Float64Array.from(ownScales, (_, k) => (k === 0 ? N : 0)),
    rho: 0.1,
    extra: 0,
    kind: new Uint8Array(N),
    alpha: new Float64Array(shiftTerms),
    beta: new Float64Array(n),
    tail: new Float64Array(n),
    tau: 1,
    touched: new Int32Array(n),
    stamp: new Int32Array(n).fill(-1),
    stamps: 0,
    swept: 0,
    own: new Float64Array(n),
    doubtful: Int32Array.from(doubtful),
  }
  settle(walk)
  return {
    sweep(p, trust) {
      for (let i = 0; i < N; i++) p[i] = flip(walk, i, trust)
      swapSome(walk, trust)
      drawBlock(walk, p, trust)
      drawExtra(walk)
      drawTies(walk)
      drawShift(walk)
      drawTails(walk)
      if (++walk.swept % unsettled === 0) settle(walk)
      else widen(walk)
    },
    get state() {
      const { guilty, rho, extra } = walk
      return { guilty, rho, extra }
    },
  }
}

/** Sweeps until e and V are computed anew, so that rounding does not pile up. */
const unsettled = 16

/** Computes e, V and nu anew. */
function settle(walk: Walk): void {
  const { model, e, V, beta } = walk
  V.fill(0)
  for (let r = 0; r < model.rounds; r++) e[r] = model.G[r]! - beta[r]!
  for (let i = 0; i < model.clients; i++) put(walk, i, 1)
  widen(walk)
}

/** Computes nu anew. */
function widen({ model, nu, extra, tail }: Walk): void {
  for (let r = 0; r < model.rounds; r++) nu[r] = model.measured[r]! + (extra + tail[r]!) * model.spread[r]!
}

/** Adds (sign 1) or takes away (-1) what client i is believed to put into its sums. */
function put({ model, c, u, e, V, rho }: Walk, i: number, sign: number): void {
  const { start: begin, round, effect } = model
  const m = model.mean[c[i]!]!
  const s = model.std[c[i]!]!
  const tie = Math.sqrt(rho) * model.ratio[c[i]! as 0 | 1] * u[i]!
  for (let p = begin[i]!; p < begin[i + 1]!; p++) {
    const r = round[p]!
    e[r]! -= sign * (m[p]! + tie * effect[p]!)
    V[r]! += sign * s[p]! * s[p]!
  }
}

/**
 * For k = 0, 1: D^k = nu + free (V + s_k^2), z = e - m_k, b = sqrt(rho) k_k w t, P = sum b^2/D, h = sum b z/D,
 * L_k = -1/2 sum (log D + z^2/D) + log sum_a pi_a exp(a h^2 / (2 (1 + a P))) / sqrt(1 + a P) over the variances a that u_i
 * may have, pi_a as often as others have it; c_i = 1 has the odds exp(L_1 - L_0) times those before, given the others.
 */
function flip(walk: Walk, i: number, trust: number): number {
  put(walk, i, -1)
  const { model, c, u, kind, counts, e, V, nu, rho, rng, odds } = walk
  walk.guilty -= c[i]!
  counts[kind[i]!]!--
  const { start: begin, round, effect } = model
  const [m0, m1] = model.mean
  const [s0, s1] = model.std
  const tie0 = Math.sqrt(rho) * model.ratio[0]
  const tie1 = Math.sqrt(rho) * model.ratio[1]
  const free = freeOf(rho)
  // Each on a line of its own: lists taken apart here and in `put` would cost a sixth of a sweep.
  let h0 = 0
  let h1 = 0
  let P0 = 0
  let P1 = 0
  let squares0 = 0
  let squares1 = 0
  let ratio = 1
  let logs = 0
  for (let p = begin[i]!; p < begin[i + 1]!; p++) {
    const r = round[p]!
    const rest = nu[r]! + free * V[r]!
    const D0 = rest + free * s0[p]! * s0[p]!
    const inverse0 = 1 / D0
    const inverse1 = 1 / (rest + free * s1[p]! * s1[p]!)
    const z0 = e[r]! - m0[p]!
    const z1 = e[r]! - m1[p]!
    const y0 = z0 * inverse0
    const y1 = z1 * inverse1
    squares0 += z0 * y0
    squares1 += z1 * y1
    ratio *= D0 * inverse1
    if (!(ratio > tiny && ratio < huge)) {
      logs += log(ratio)
      ratio = 1
    }
    h0 += effect[p]! * y0
    h1 += effect[p]! * y1
    P0 += effect[p]! * effect[p]! * inverse0
    P1 += effect[p]! * effect[p]! * inverse1
  }
  h0 *= tie0
  h1 *= tie1
  P0 *= tie0 * tie0
  P1 *= tie1 * tie1
  const [own0, own1] = [scaleTerms(walk, h0, P0), scaleTerms(walk, h1, P1)]
  const fit =
    0.5 * (squares0 - squares1 + logs + log(ratio)) + (own1.largest - own0.largest) + log(own1.total / own0.total)
  const p = sigmoid(trust * fit + odds[walk.guilty]!)
  c[i] = rng.uniform() < p ? 1 : 0
  walk.guilty += c[i]!
  kind[i] = rng.categorical((c[i] === 1 ? own1 : own0).weights)
  counts[kind[i]!]!++
  const h = c[i] === 1 ? h1 : h0
  const P = c[i] === 1 ? P1 : P0
  const a = ownScales[kind[i]!]!.value
  const by = 1 + a * P
  u[i] = rng.normal({ mean: (a * h) / by, std: Math.sqrt(a / by) })
  put(walk, i, 1)
  return p
}

interface ScaleTerms {
  readonly largest: number
  readonly total: number
  readonly weights: readonly number[]
}

/**
 * pi_a exp(a h^2 / (2 (1 + a P))) / sqrt(1 + a P) for each variance a, and their sum, over exp of the largest exponent, which
 * is that of the largest variance.
 */
function scaleTerms({ counts }: Walk, h: number, P: number): ScaleTerms {
  const last = ownScales.length - 1
  const inverses = ownScales.map(({ value: a }) => 1 / (1 + a * P))
  const exponents = ownScales.map(({ value: a }, k) => 0.5 * a * (h * h) * inverses[k]!)
  const largest = exponents[last]!
  let total = 0
  const weights = ownScales.map(({ prior }, k) => {
    const often = (prior + counts[k]!) * Math.sqrt(inverses[k]!)
    const weight = k === last ? often : often * exp(exponents[k]! - largest)
    total += weight
    return weight
  })
  return { largest, total, weights }
}

/** At most this many exchanges a sweep. */
const mostSwaps = 20

/** A guilty and an innocent one change places: two who are often together are otherwise seldom told apart. */
function swapSome(walk: Walk, trust: number): void {
  const { c, rng } = walk
  const guilty = Array.from(c.keys()).filter((i) => c[i] === 1)
  const innocent = Array.from(c.keys()).filter((i) => c[i] === 0)
  for (let k = 0; k < Math.min(guilty.length, innocent.length, mostSwaps); k++) {
    const [a, b] = [rng.integer(guilty.length), rng.integer(innocent.length)]
    const [i, j] = [guilty[a]!, innocent[b]!]
    swap(walk, [i, j], trust)
    if (c[i] === 0) [guilty[a], innocent[b]] = [j, i]
  }
}

/** Exchanges two clients, and back again where that is refused. */
function swap(walk: Walk, pair: readonly [number, number], trust: number): void {
  const count = touch(walk, pair)
  const before = likelihood(walk, count)
  exchange(walk, pair)
  if (log(walk.rng.uniform()) > trust * (likelihood(walk, count) - before)) exchange(walk, pair)
}

/** Writes the rounds of two clients into `touched`, each once; gives their number. */
function touch(walk: Walk, pair: readonly [number, number]): number {
  const { model, touched, stamp } = walk
  const { start: begin, round } = model
  const now = ++walk.stamps
  let count = 0
  for (const client of pair) {
    for (let p = begin[client]!; p < begin[client + 1]!; p++) {
      const r = round[p]!
      if (stamp[r] === now) continue
      stamp[r] = now
      touched[count++] = r
    }
  }
  return count
}

function exchange(walk: Walk, [i, j]: readonly [number, number]): void {
  const { c, u, kind } = walk
  put(walk, i, -1)
  put(walk, j, -1)
  ;[c[i], c[j], u[i], u[j], kind[i], kind[j]] = [c[j]!, c[i]!, u[j]!, u[i]!, kind[j]!, kind[i]!]
  put(walk, i, 1)
  put(walk, j, 1)
}

/** log prod_r N(e_r; 0, D_r) over the first `count` rounds of `touched`. */
function likelihood({ e, V, nu, rho, touched }: Walk, count: number): number {
  let [L, product] = [0, 1]
  for (let k = 0; k < count; k++) {
    const r = touched[k]!
    const D = nu[r]! + freeOf(rho) * V[r]!
    L -= (e[r]! * e[r]!) / D
    product *= D
    if (!(product > tiny && product < huge)) [L, product] = [L - log(product), 1]
  }
  return 0.5 * (L - log(product))
}
