/** What a chain draws besides who has the property: how real clients are unlike the made-up ones, each and together. */
import type { Rng } from '../../../numeric/random/rng.js'
import { exp, log } from '../../../numeric/special/elementary-functions.js'
import { type Believed, extras, freeOf, ownScales, rhos, shifts, shiftTerms, tails } from './gibbs-model.js'
import { huge, tiny, type Walk } from './gibbs-walk.js'

/** rho given extra, then extra given rho, from their grids, by prod_r N(e_r; 0, D_r). */
export function drawTies(walk: Walk): void {
  const { model, c, u, e, own, rng } = walk
  const { start: begin, round, effect, ratio } = model
  own.fill(0)
  for (let i = 0; i < model.clients; i++) {
    const by = ratio[c[i]! as 0 | 1] * u[i]!
    for (let p = begin[i]!; p < begin[i + 1]!; p++) own[round[p]!]! += effect[p]! * by
  }
  const root = Math.sqrt(walk.rho)
  const plain = e.map((x, r) => x + root * own[r]!) // the residual without the client effects
  walk.rho = drawnFrom(rhos, (tie) => match(walk, plain, { tie, root: Math.sqrt(tie), more: walk.extra }), rng)
  const [tie, now] = [walk.rho, Math.sqrt(walk.rho)]
  walk.extra = drawnFrom(extras, (more) => match(walk, plain, { tie, root: now, more }), rng)
  for (let r = 0; r < model.rounds; r++) e[r] = plain[r]! - now * own[r]!
}

interface Tried {
  readonly tie: number
  /** What the client effects are multiplied with. */
  readonly root: number
  readonly more: number
}

function match({ model, V, own, tail }: Walk, plain: Float64Array, { tie, root, more }: Tried): number {
  const { measured, spread, rounds: n } = model
  let [L, product] = [0, 1]
  const free = freeOf(tie)
  for (let r = 0; r < n; r++) {
    const D = measured[r]! + (more + tail[r]!) * spread[r]! + free * V[r]!
    const z = plain[r]! - root * own[r]!
    L -= (z * z) / D
    product *= D
    if (!(product > tiny && product < huge)) [L, product] = [L - log(product), 1]
  }
  return 0.5 * (L - log(product))
}

/**
 * rho once more, with what each client adds, sqrt(rho) u_i, held fast instead of u_i: where the sums say well what each adds,
 * the draw above can hardly move.
 */
export function drawUnlikeness(walk: Walk): void {
  const { model, u, kind, e, own, rng } = walk
  if (walk.rho === 0) return
  let squares = 0
  for (let i = 0; i < model.clients; i++) squares += (u[i]! * u[i]!) / ownScales[kind[i]!]!.value
  const [from, N] = [walk.rho, model.clients]
  const suits = (tie: number): number =>
    tie === 0
      ? Number.NEGATIVE_INFINITY
      : match(walk, e, { tie, root: 0, more: walk.extra }) - 0.5 * (N * log(tie) + (squares * from) / tie)
  walk.rho = drawnFrom(rhos, suits, rng)
  const by = Math.sqrt(from / walk.rho)
  for (let i = 0; i < N; i++) u[i]! *= by
  for (let r = 0; r < model.rounds; r++) own[r]! *= by
}

/** alpha term by term, then tau. */
export function drawShift(walk: Walk): void {
  const { model, e, V, alpha, beta, tail, tau, rho, extra, rng } = walk
  const { measured, spread, basis, rounds: n } = model
  const free = freeOf(rho)
  for (let k = 0; k < shiftTerms; k++) {
    let [h, P] = [0, 1 / (tau * tau)]
    for (let r = 0; r < n; r++) {
      const D = measured[r]! + (extra + tail[r]!) * spread[r]! + free * V[r]!
      const b = basis[k * n + r]!
      h += (b * (e[r]! + b * alpha[k]!)) / D
      P += (b * b) / D
    }
    const to = rng.normal({ mean: h / P, std: 1 / Math.sqrt(P) })
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
      const D = rest + value * spread[r]!
      return (prior * exp(0.5 * (square / widest - square / D))) / Math.sqrt(D)
    })
    tail[r] = tails[rng.categorical(weights)]!.value
  }
}

function drawnFrom(grid: readonly Believed[], suits: (value: number) => number, rng: Rng): number {
  const logs = grid.map(({ value, prior }) => suits(value) + log(prior))
  const largest = Math.max(...logs)
  return grid[rng.categorical(logs.map((L) => exp(L - largest)))]!.value
}
