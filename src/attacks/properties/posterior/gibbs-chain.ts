/** One chain of the collapsed Gibbs sampler: features are integrated out, a client's own effect with every flip. */
import type { Rng } from '../../../numeric/random/rng.js'
import { exp, log, sigmoid } from '../../../numeric/special/scalar.js'
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

export function startChain(model: GibbsModel, start: Uint8Array, options: { belief: ShareBelief; rng: Rng }): Chain {
  const { belief, rng } = options
  const { clients: N, rounds: n, start: begin, round, mean, std } = model
  const c = start.slice()
  const u = new Float64Array(N)
  const e = new Float64Array(n) // G_r - sum of what is believed of the participants
  const V = new Float64Array(n) // sum of w^2 s^2
  const nu = new Float64Array(n)
  const stamp = new Int32Array(n).fill(-1)
  const touched = new Int32Array(n)
  const own = new Float64Array(n)
  let [phi, rho, extra, stamps] = [(belief.a + 1) / (belief.a + belief.b + 2), 0.1, 0, 0]
  const positives = (): number => c.reduce((sum, one) => sum + one, 0)

  /** Adds (sign 1) or takes away (-1) what client i is believed to put into its sums. */
  const put = (i: number, sign: number): void => {
    const [m, s, tie] = [mean[c[i]!]!, std[c[i]!]!, Math.sqrt(rho) * u[i]!]
    for (let p = begin[i]!; p < begin[i + 1]!; p++) {
      const r = round[p]!
      e[r]! -= sign * (m[p]! + tie * s[p]!)
      V[r]! += sign * s[p]! * s[p]!
    }
  }
  const settle = (): void => {
    e.set(model.G)
    V.fill(0)
    for (let i = 0; i < N; i++) put(i, 1)
    for (let r = 0; r < n; r++) nu[r] = model.measured[r]! + extra * model.spread[r]!
  }

  /**
   * For k = 0, 1: D^k = nu + (1 - rho) (V + s_k^2), z = e - m_k, b = sqrt(rho) s_k, P = 1 + sum b^2/D, h = sum b z/D,
   * L_k = -1/2 sum (log D + z^2/D) + h^2/(2 P) - 1/2 log P; c_i = 1 has the odds exp(L_1 - L_0) phi / (1 - phi).
   */
  const flip = (i: number, trust: number): number => {
    put(i, -1)
    const [m0, m1] = mean
    const [s0, s1] = std
    const [tie, free] = [Math.sqrt(rho), 1 - rho]
    let [h0, h1, P0, P1, squares, ratio, logs] = [0, 0, 1, 1, 0, 1, 0]
    for (let p = begin[i]!; p < begin[i + 1]!; p++) {
      const r = round[p]!
      const rest = nu[r]! + free * V[r]!
      const D0 = rest + free * s0[p]! * s0[p]!
      const D1 = rest + free * s1[p]! * s1[p]!
      const z0 = e[r]! - m0[p]!
      const z1 = e[r]! - m1[p]!
      squares += (z0 * z0) / D0 - (z1 * z1) / D1
      ratio *= D0 / D1
      if (!(ratio > tiny && ratio < huge)) [logs, ratio] = [logs + log(ratio), 1]
      h0 += (tie * s0[p]! * z0) / D0
      h1 += (tie * s1[p]! * z1) / D1
      P0 += (tie * tie * s0[p]! * s0[p]!) / D0
      P1 += (tie * tie * s1[p]! * s1[p]!) / D1
    }
    const ties = (h1 * h1) / P1 - (h0 * h0) / P0
    const fit = 0.5 * (squares + ties + logs + log((ratio * P0) / P1))
    const p = sigmoid(trust * fit + log(phi / (1 - phi)))
    c[i] = rng.uniform() < p ? 1 : 0
    const [h, P] = c[i] === 1 ? [h1, P1] : [h0, P0]
    u[i] = rng.normal({ mean: h / P, std: 1 / Math.sqrt(P) })
    put(i, 1)
    return p
  }

  /** log prod_r N(e_r; 0, D_r) over the first `count` rounds of `touched`. */
  const likelihood = (count: number): number => {
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
  /** A guilty and an innocent one change places: two who are often together are otherwise seldom told apart. */
  const swap = (i: number, j: number, trust: number): void => {
    stamps++
    let count = 0
    for (const client of [i, j]) {
      for (let p = begin[client]!; p < begin[client + 1]!; p++) {
        const r = round[p]!
        if (stamp[r] === stamps) continue
        stamp[r] = stamps
        touched[count++] = r
      }
    }
    const before = likelihood(count)
    const exchange = (): void => {
      put(i, -1)
      put(j, -1)
      ;[c[i], c[j], u[i], u[j]] = [c[j]!, c[i]!, u[j]!, u[i]!]
      put(i, 1)
      put(j, 1)
    }
    exchange()
    if (log(rng.uniform()) > trust * (likelihood(count) - before)) exchange()
  }

  /** rho given extra, then extra given rho, from their grids, by prod_r N(e_r; 0, D_r). */
  const drawTies = (): void => {
    own.fill(0) // sum of w s u
    for (let i = 0; i < N; i++) {
      const s = std[c[i]!]!
      for (let p = begin[i]!; p < begin[i + 1]!; p++) own[round[p]!]! += s[p]! * u[i]!
    }
    const plain = e.map((x, r) => x + Math.sqrt(rho) * own[r]!) // the residual without the client effects
    const match = (tie: number, more: number): number => {
      let [L, product] = [0, 1]
      const root = Math.sqrt(tie)
      for (let r = 0; r < n; r++) {
        const D = model.measured[r]! + more * model.spread[r]! + (1 - tie) * V[r]!
        const z = plain[r]! - root * own[r]!
        L -= (z * z) / D
        product *= D
        if (!(product > tiny && product < huge)) [L, product] = [L - log(product), 1]
      }
      return 0.5 * (L - log(product))
    }
    rho = rhos[drawn(rhos.map((tie) => match(tie, extra)))]!
    extra = extras[drawn(extras.map(({ extra: more, prior }) => match(rho, more) + log(prior)))]!.extra
  }
  const drawn = (logs: readonly number[]): number => {
    const largest = Math.max(...logs)
    return rng.categorical(logs.map((L) => exp(L - largest)))
  }

  settle()
  return {
    sweep(p, trust = 1) {
      for (let i = 0; i < N; i++) p[i] = flip(i, trust)
      const guilty = Array.from(c.keys()).filter((i) => c[i] === 1)
      const innocent = Array.from(c.keys()).filter((i) => c[i] === 0)
      for (let k = 0; k < Math.min(guilty.length, innocent.length, 20); k++) {
        const [a, b] = [rng.integer(guilty.length), rng.integer(innocent.length)]
        const [i, j] = [guilty[a]!, innocent[b]!]
        swap(i, j, trust)
        if (c[i] === 0) [guilty[a], innocent[b]] = [j, i]
      }
      const k = positives()
      const [x, y] = [rng.gamma(belief.a + k), rng.gamma(belief.b + N - k)]
      phi = Math.min(Math.max(x / (x + y), 1e-12), 1 - 1e-12)
      drawTies()
      settle()
    },
    get state() {
      return { phi, rho, extra, positives: positives() }
    },
  }
}
