/** One chain of the collapsed Gibbs sampler in plain code: it defines the kernel that does the work (wasm/gibbs.ts). */
import type { Rng } from '../../../numeric/random/rng.js'
import { exp, log, sigmoid } from '../../../numeric/special/elementary-functions.js'
import { totalOf } from '../../../numeric/special/summaries.js'
import { extras, type GibbsModel, rhos } from './gibbs-model.js'

/** Beta(a, b): what is believed of phi before. */
export interface ShareBelief {
  readonly a: number
  readonly b: number
}

export interface Chain {
  /**
   * Visits every client once, then draws phi, rho and extra; `p` is overwritten with P(c_i = 1 | all others). Below a
   * `trust` of 1 the sums count for less: cooled down slowly, a chain finds its way out of a corner.
   */
  sweep(p: Float64Array, trust?: number): void
  readonly state: { readonly phi: number; readonly rho: number; readonly extra: number; readonly positives: number }
}

/** Products are kept between them, and their logarithm is taken only when they leave: logarithms cost most here. */
const [tiny, huge] = [1e-120, 1e120]

/** Where a chain stands. Letters as in `flip`. */
interface Walk {
  readonly model: GibbsModel
  readonly belief: ShareBelief
  readonly rng: Rng
  /** Who has the property, and each client's own effect. */
  readonly c: Uint8Array
  readonly u: Float64Array
  /** By round: G_r less what is believed of the participants, the sum of w^2 s^2, and the variance of the rest. */
  readonly e: Float64Array
  readonly V: Float64Array
  readonly nu: Float64Array
  phi: number
  rho: number
  extra: number
  /** Rounds met in a swap, each once: those whose stamp is the present one. */
  readonly touched: Int32Array
  readonly stamp: Int32Array
  stamps: number
  /** By round: the sum of w s u, used only while ties are drawn. */
  readonly own: Float64Array
}

export function startChain(model: GibbsModel, start: Uint8Array, options: { belief: ShareBelief; rng: Rng }): Chain {
  const { belief, rng } = options
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
    phi: (belief.a + 1) / (belief.a + belief.b + 2),
    rho: 0.1,
    extra: 0,
    touched: new Int32Array(n),
    stamp: new Int32Array(n).fill(-1),
    stamps: 0,
    own: new Float64Array(n),
  }
  settle(walk)
  return {
    sweep(p, trust = 1) {
      for (let i = 0; i < N; i++) p[i] = flip(walk, i, trust)
      swapSome(walk, trust)
      drawShare(walk)
      drawTies(walk)
      settle(walk)
    },
    get state() {
      const { phi, rho, extra } = walk
      return { phi, rho, extra, positives: totalOf(walk.c) }
    },
  }
}

/** Computes e, V and nu anew, so that rounding does not pile up. */
function settle(walk: Walk): void {
  const { model, e, V, nu, extra } = walk
  e.set(model.G)
  V.fill(0)
  for (let i = 0; i < model.clients; i++) put(walk, i, 1)
  for (let r = 0; r < model.rounds; r++) nu[r] = model.measured[r]! + extra * model.spread[r]!
}

/** Adds (sign 1) or takes away (-1) what client i is believed to put into its sums. */
function put({ model, c, u, e, V, rho }: Walk, i: number, sign: number): void {
  const { start: begin, round } = model
  const m = model.mean[c[i]!]!
  const s = model.std[c[i]!]!
  const tie = Math.sqrt(rho) * u[i]!
  for (let p = begin[i]!; p < begin[i + 1]!; p++) {
    const r = round[p]!
    e[r]! -= sign * (m[p]! + tie * s[p]!)
    V[r]! += sign * s[p]! * s[p]!
  }
}

/**
 * For k = 0, 1: D^k = nu + (1 - rho) (V + s_k^2), z = e - m_k, b = sqrt(rho) s_k, P = 1 + sum b^2/D, h = sum b z/D,
 * L_k = -1/2 sum (log D + z^2/D) + h^2/(2 P) - 1/2 log P; c_i = 1 has the odds exp(L_1 - L_0) phi / (1 - phi).
 */
function flip(walk: Walk, i: number, trust: number): number {
  put(walk, i, -1)
  const { model, c, u, e, V, nu, phi, rho, rng } = walk
  const { start: begin, round } = model
  const [m0, m1] = model.mean
  const [s0, s1] = model.std
  const tie = Math.sqrt(rho)
  const free = 1 - rho
  // Each on a line of its own: lists taken apart here and in `put` would cost a sixth of a sweep.
  let h0 = 0
  let h1 = 0
  let P0 = 1
  let P1 = 1
  let squares = 0
  let ratio = 1
  let logs = 0
  for (let p = begin[i]!; p < begin[i + 1]!; p++) {
    const r = round[p]!
    const rest = nu[r]! + free * V[r]!
    const D0 = rest + free * s0[p]! * s0[p]!
    const D1 = rest + free * s1[p]! * s1[p]!
    const z0 = e[r]! - m0[p]!
    const z1 = e[r]! - m1[p]!
    squares += (z0 * z0) / D0 - (z1 * z1) / D1
    ratio *= D0 / D1
    if (!(ratio > tiny && ratio < huge)) {
      logs += log(ratio)
      ratio = 1
    }
    h0 += (tie * s0[p]! * z0) / D0
    h1 += (tie * s1[p]! * z1) / D1
    P0 += (tie * tie * s0[p]! * s0[p]!) / D0
    P1 += (tie * tie * s1[p]! * s1[p]!) / D1
  }
  const ties = (h1 * h1) / P1 - (h0 * h0) / P0
  const fit = 0.5 * (squares + ties + logs + log((ratio * P0) / P1))
  const p = sigmoid(trust * fit + log(phi / (1 - phi)))
  c[i] = rng.uniform() < p ? 1 : 0
  const h = c[i] === 1 ? h1 : h0
  const P = c[i] === 1 ? P1 : P0
  u[i] = rng.normal({ mean: h / P, std: 1 / Math.sqrt(P) })
  put(walk, i, 1)
  return p
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
  const { c, u } = walk
  put(walk, i, -1)
  put(walk, j, -1)
  ;[c[i], c[j], u[i], u[j]] = [c[j]!, c[i]!, u[j]!, u[i]!]
  put(walk, i, 1)
  put(walk, j, 1)
}

/** log prod_r N(e_r; 0, D_r) over the first `count` rounds of `touched`. */
function likelihood({ e, V, nu, rho, touched }: Walk, count: number): number {
  let [L, product] = [0, 1]
  for (let k = 0; k < count; k++) {
    const r = touched[k]!
    const D = nu[r]! + (1 - rho) * V[r]!
    L -= (e[r]! * e[r]!) / D
    product *= D
    if (!(product > tiny && product < huge)) [L, product] = [L - log(product), 1]
  }
  return 0.5 * (L - log(product))
}

/** phi given who has the property. */
function drawShare(walk: Walk): void {
  const { model, belief, rng, c } = walk
  const k = totalOf(c)
  const [x, y] = [rng.gamma(belief.a + k), rng.gamma(belief.b + model.clients - k)]
  walk.phi = Math.min(Math.max(x / (x + y), 1e-12), 1 - 1e-12)
}

/** rho given extra, then extra given rho, from their grids, by prod_r N(e_r; 0, D_r). */
function drawTies(walk: Walk): void {
  const { model, c, u, e, own, rng } = walk
  const { start: begin, round, std } = model
  own.fill(0)
  for (let i = 0; i < model.clients; i++) {
    const s = std[c[i]!]!
    for (let p = begin[i]!; p < begin[i + 1]!; p++) own[round[p]!]! += s[p]! * u[i]!
  }
  const plain = e.map((x, r) => x + Math.sqrt(walk.rho) * own[r]!) // the residual without the client effects
  walk.rho =
    rhos[
      drawn(
        rhos.map((tie) => match(walk, plain, { tie, more: walk.extra })),
        rng,
      )
    ]!
  const tie = walk.rho
  const logs = extras.map(({ extra: more, prior }) => match(walk, plain, { tie, more }) + log(prior))
  walk.extra = extras[drawn(logs, rng)]!.extra
}

function match({ model, V, own }: Walk, plain: Float64Array, { tie, more }: { tie: number; more: number }): number {
  const { measured, spread, rounds: n } = model
  let [L, product] = [0, 1]
  const root = Math.sqrt(tie)
  for (let r = 0; r < n; r++) {
    const D = measured[r]! + more * spread[r]! + (1 - tie) * V[r]!
    const z = plain[r]! - root * own[r]!
    L -= (z * z) / D
    product *= D
    if (!(product > tiny && product < huge)) [L, product] = [L - log(product), 1]
  }
  return 0.5 * (L - log(product))
}

function drawn(logs: readonly number[], rng: Rng): number {
  const largest = Math.max(...logs)
  return rng.categorical(logs.map((L) => exp(L - largest)))
}
