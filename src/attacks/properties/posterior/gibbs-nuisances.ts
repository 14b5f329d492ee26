/** What a chain draws besides who has the property: how real clients are unlike the made-up ones, each and together. */
import type { Rng } from '../../../numeric/random/rng.js'
import { exp, log } from '../../../numeric/special/elementary-functions.js'
import { type Believed, extras, freeOf, ownScales, rhos, shifts, shiftTerms, tails } from './gibbs-model.js'
import { huge, tiny, type Walk } from './gibbs-walk.js'

/** extra given rho, from its grid, by prod_r N(e_r; 0, D_r). */
export function drawExtra(walk: Walk): void {
  const { model, e, V, tail, rho, rng } = walk
  const { measured, spread, rounds: n } = model
  const free = freeOf(rho)
  const suits = (more: number): number => {
    let [L, product] = [0, 1]
    for (let r = 0; r < n; r++) {
      const D = measured[r]! + (more + tail[r]!) * spread[r]! + free * V[r]!
      L -= (e[r]! * e[r]!) / D
      product *= D
      if (!(product > tiny && product < huge)) [L, product] = [L - log(product), 1]
    }
    return 0.5 * (L - log(product))
  }
  walk.extra = drawnFrom(extras, suits, rng)
}

/**
 * rho, from its grid, by prod_r N(x_r - sqrt(rho) o_r; 0, D_r) with o_r the sum of w k t u; then once more with what each
 * client adds, sqrt(rho) u_i, held fast instead of u_i: where the sums say well what each adds, the first can hardly move.
 * The residual enters both by three sums over rounds, which depend on rho only by what it leaves free.
 */
export function drawTies(walk: Walk): void {
  const { model, c, u, e, own, kind, rng } = walk
  const { start: begin, round, effect, ratio, clients: N } = model
  own.fill(0)
  let squares = 0
  for (let i = 0; i < N; i++) {
    const by = ratio[c[i]! as 0 | 1] * u[i]!
    for (let p = begin[i]!; p < begin[i + 1]!; p++) own[round[p]!]! += effect[p]! * by
    squares += (u[i]! * u[i]!) / ownScales[kind[i]!]!.value
  }
  const root = Math.sqrt(walk.rho)
  const plain = e.map((x, r) => x + root * own[r]!) // the residual without the client effects
  const below = rhos.filter(({ value }) => value < 1).map(({ value }) => residualSums(walk, plain, freeOf(value)))
  const sums = rhos.map((_, k) => below[k] ?? below[0]!) // nothing is taken from what is free where rho is 0 or beyond 1
  const match = ({ xx, xo, oo, logs }: ResidualSums, by: number): number =>
    -0.5 * (xx - 2 * by * xo + by * by * oo + logs)
  walk.rho = drawnFrom(rhos, (tie, k) => match(sums[k]!, Math.sqrt(tie)), rng)
  const [from, now] = [walk.rho, Math.sqrt(walk.rho)]
  for (let r = 0; r < model.rounds; r++) e[r] = plain[r]! - now * own[r]!
  if (from === 0) return
  const held = (tie: number, k: number): number =>
    tie === 0 ? Number.NEGATIVE_INFINITY : match(sums[k]!, now) - 0.5 * (N * log(tie) + (squares * from) / tie)
  walk.rho = drawnFrom(rhos, held, rng)
  const by = Math.sqrt(from / walk.rho)
  for (let i = 0; i < N; i++) u[i]! *= by
}

/** Over rounds: x^2 / D, x o / D, o^2 / D and log D. */
interface ResidualSums {
  readonly xx: number
  readonly xo: number
  readonly oo: number
  readonly logs: number
}

function residualSums({ model, V, own, tail, extra }: Walk, plain: Float64Array, free: number): ResidualSums {
  const { measured, spread, rounds: n } = model
  let [xx, xo, oo, logs, product] = [0, 0, 0, 0, 1]
  for (let r = 0; r < n; r++) {
    const D = measured[r]! + (extra + tail[r]!) * spread[r]! + free * V[r]!
    const inverse = 1 / D
    const x = plain[r]! * inverse
    xx += plain[r]! * x
    xo += own[r]! * x
    oo += own[r]! * own[r]! * inverse
    product *= D
    if (!(product > tiny && product < huge)) [logs, product] = [logs + log(product), 1]
  }
  return { xx, xo, oo, logs: logs + log(product) }
}

/** alpha term by term, then tau. */
export function drawShift(walk: Walk): void {
  const { model, e, V, alpha, beta, tail, tau, rho, extra, own: inverse, rng } = walk
  const { measured, spread, basis, rounds: n } = model
  const free = freeOf(rho)
  for (let r = 0; r < n; r++) {
    inverse[r] = 1 / (measured[r]! + (extra + tail[r]!) * spread[r]! + free * V[r]!)
  }
  for (let k = 0; k < shiftTerms; k++) {
    let [h, P] = [0, 0]
    for (let r = 0; r < n; r++) {
      const b = basis[k * n + r]!
      const y = b * inverse[r]!
      h += y * e[r]!
      P += y * b
    }
    const precision = P + 1 / (tau * tau)
    const to = rng.normal({ mean: (h + alpha[k]! * P) / precision, std: 1 / Math.sqrt(precision) })
    const by = to - alpha[k]!
    alpha[k] = to
    for (let r = 0; r < n; r++) {
      const step = by * basis[k * n + r]!
      e[r]! -= step
      beta[r]! += step
    }
  }
  let squares = 0
  for (const a of alpha) squares += a * a
  walk.tau = drawnFrom(shifts, (one) => -shiftTerms * log(one) - squares / (2 * one * one), rng)
}

/** How far each round is out of the ordinary. */
export function drawTails({ model, e, V, tail, rho, extra, rng }: Walk): void {
  const { measured, spread, rounds: n } = model
  const free = freeOf(rho)
  for (let r = 0; r < n; r++) {
    const rest = measured[r]! + extra * spread[r]! + free * V[r]!
    const widest = rest + tails.at(-1)!.value * spread[r]!
    const square = e[r]! * e[r]!
    const weights = tails.map(({ value, prior }) => {
      const inverse = 1 / (rest + value * spread[r]!)
      return prior * exp(0.5 * (square / widest - square * inverse)) * Math.sqrt(inverse)
    })
    tail[r] = tails[rng.categorical(weights)]!.value
  }
}

/** What is so much less likely than the likeliest, by its logarithm, is never drawn. */
const never = -40

function drawnFrom(grid: readonly Believed[], suits: (value: number, k: number) => number, rng: Rng): number {
  const logs = grid.map(({ value, prior }, k) => suits(value, k) + log(prior))
  const largest = Math.max(...logs)
  return grid[rng.categorical(logs.map((L) => (L - largest < never ? 0 : exp(L - largest))))]!.value
}
