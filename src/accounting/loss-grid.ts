/**
 * A pair (P, Q) put on a grid of losses k h, twice: so that the result is at least as easy to tell apart as the pair, and so
 * that it is at most as easy. Then so are all compositions, whatever the number of steps.
 *
 * Everything is said by the curve H(t) = E_Q[(P/Q - t)+], which is convex. Above it: straight lines between its values at the
 * ratios t_k = e^(k h) [doroshenko2022]. Below it: the same lines lowered by at least as much as each is above the tangents
 * at its ends, made convex again. Both are of second order in h.
 */
import { exp } from '../numeric/special/elementary-functions.js'
import type { LossPair } from './loss-pair.js'

/** P's masses at losses index[i] h. */
export interface GridLoss {
  readonly index: Int32Array
  readonly mass: Float64Array
  /** P's mass where Q has none: an infinite loss. */
  readonly infinite: number
  /** Q's mass where P has none. */
  readonly missing: number
}

export interface BothSides {
  readonly upper: GridLoss
  readonly lower: GridLoss
}

/** `knots`: whole multiples of h in ascending order, 0 among them. */
export function onGrid(pair: LossPair, knots: Int32Array, h: number): BothSides {
  const { P, Q, atZero } = pair.massesBetween(Float64Array.from(knots, (k) => k * h))
  const n = knots.length
  const t = Float64Array.from(knots, (k) => exp(k * h))
  // Each stretch's Q-mass split to its ends so that its P-mass is kept too.
  const left = new Float64Array(n) // of stretch i, between knots i and i + 1, to i
  const right = new Float64Array(n)
  for (let i = 0; i + 1 < n; i++) {
    const [p, q] = [P[i + 1]!, Q[i + 1]!]
    const up = (p - t[i]! * q) / (t[i + 1]! - t[i]!)
    right[i] = Math.min(q, Math.max(0, up))
    left[i] = q - right[i]!
  }
  return {
    upper: above({ knots, t, P, Q, left, right, atZero }),
    lower: below({ knots, t, P, Q, left, right, atZero }),
  }
}

interface Split {
  readonly knots: Int32Array
  readonly t: Float64Array
  readonly P: Float64Array
  readonly Q: Float64Array
  readonly left: Float64Array
  readonly right: Float64Array
  readonly atZero: number
}

function above({ knots, t, P, Q, left, right, atZero }: Split): GridLoss {
  const n = knots.length
  const mass = new Float64Array(n)
  for (let k = 0; k < n; k++) mass[k] = t[k]! * (left[k]! + (k === 0 ? 0 : right[k - 1]!))
  mass[0]! += P[0]!
  mass[n - 1]! += t[n - 1]! * Q[n]!
  mass[knots.indexOf(0)]! += atZero
  return {
    index: knots,
    mass,
    infinite: Math.max(0, P[n]! - t[n - 1]! * Q[n]!),
    missing: Math.max(0, Q[0]! - P[0]! / t[0]!),
  }
}

function below(split: Split): GridLoss {
  const { knots, t, atZero } = split
  const n = knots.length
  const zero = knots.indexOf(0)
  const room = roomAboveFloor(split)
  const lowered = loweredBy(split, room)
  // What remains above the floor (1 - t)+, and where its slope jumps; the floor's own jump is 1, at t = 1.
  const w = room.map((one, k) => Math.max(0, one - lowered[k]!))
  const jump = new Float64Array(n)
  for (let k = 0; k + 1 < n; k++) {
    const slope = (w[k + 1]! - w[k]!) / (t[k + 1]! - t[k]!)
    jump[k]! += slope
    jump[k + 1]! -= slope
  }
  // The atom at ratio 1 is part of that 1, and stays.
  jump[zero]! += 1 - atZero
  convex(jump, t)
  jump[zero]! += atZero
  return { index: knots, mass: jump.map((q, k) => t[k]! * q), infinite: 0, missing: 0 }
}

/** H(t_k) - (1 - t_k)+, from the end where it is small; what is at ratio 1 adds nothing. */
function roomAboveFloor({ knots, t, P, Q, left, right }: Split): Float64Array {
  const n = knots.length
  const zero = knots.indexOf(0)
  const room = new Float64Array(n)
  let beyond = Q[n]!
  room[n - 1] = Math.max(0, P[n]! - t[n - 1]! * Q[n]!)
  for (let k = n - 2; k >= zero; k--) {
    const width = t[k + 1]! - t[k]!
    room[k] = room[k + 1]! + width * (beyond + right[k]!)
    beyond += left[k]! + right[k]!
  }
  beyond = Q[0]!
  room[0] = zero === 0 ? room[0]! : Math.max(0, t[0]! * Q[0]! - P[0]!)
  for (let k = 1; k < zero; k++) {
    room[k] = room[k - 1]! + (t[k]! - t[k - 1]!) * (beyond + left[k - 1]!)
    beyond += left[k - 1]! + right[k - 1]!
  }
  return room
}

/**
 * How far the lines go down at each knot. Line i is above the tangents at its ends by at most E_i = a b width / (a + b), where
 * they meet (a, b: what goes to its left and right end), which is at the share b / (a + b) of its width. It goes down at both
 * ends by that much; where there is no room for it, at the other end by more.
 */
function loweredBy({ t, left, right }: Split, room: Float64Array): Float64Array {
  const n = t.length
  const E = new Float64Array(n - 1)
  const share = new Float64Array(n - 1)
  for (let i = 0; i + 1 < n; i++) {
    const mass = left[i]! + right[i]!
    if (mass === 0) continue
    share[i] = right[i]! / mass
    E[i] = left[i]! * share[i]! * (t[i + 1]! - t[i]!) * (1 + 1e-9)
  }
  const e = room.map((most, k) => {
    if (k === 0 || k === n - 1) return most
    return Math.min(most, Math.max(E[k - 1]!, E[k]!))
  })
  for (let i = 0; i + 1 < n; i++) {
    const lack = E[i]! - (1 - share[i]!) * e[i]!
    if (e[i]! < E[i]! && lack > share[i]! * e[i + 1]!) e[i + 1] = Math.min(room[i + 1]!, lack / share[i]!)
  }
  for (let i = n - 2; i >= 0; i--) {
    const lack = E[i]! - share[i]! * e[i + 1]!
    if (e[i + 1]! < E[i]! && lack > (1 - share[i]!) * e[i]!) e[i] = Math.min(room[i]!, lack / (1 - share[i]!))
  }
  return e
}

/** Takes corners away that point up: their (negative) jump goes to the neighbours that are left, which lowers the curve. */
function convex(jump: Float64Array, t: Float64Array): void {
  const n = jump.length
  const stack: number[] = []
  const next = Int32Array.from({ length: n }, (_, k) => k + 1)
  for (let k = 0; k < n; k = next[k]!) {
    stack.push(k)
    while (stack.length > 1 && next[stack.at(-1)!]! < n && jump[stack.at(-1)!]! < 0) {
      const gone = stack.pop()!
      const [before, after] = [stack.at(-1)!, next[gone]!]
      const part = (t[gone]! - t[before]!) / (t[after]! - t[before]!)
      jump[after]! += part * jump[gone]!
      jump[before]! += (1 - part) * jump[gone]!
      jump[gone] = 0
      next[before] = after
    }
  }
  // Rounding at the two ends, where there is nothing.
  for (const k of [0, n - 1]) jump[k] = Math.max(0, jump[k]!)
}

/** The other order, (Q, P). */
export function reversed({ index, mass, infinite, missing }: GridLoss, h: number): GridLoss {
  return {
    index: index.map((k) => -k).reverse(),
    mass: mass.map((p, i) => p * exp(-index[i]! * h)).reverse(),
    infinite: missing,
    missing: infinite,
  }
}
