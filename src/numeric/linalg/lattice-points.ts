/** The points of a lattice near a target: a search over the multiples of the basis, from its last vector to its first, nearest first. */
import { type LatticeBasis, mostWhole } from './lattice-basis.js'

export interface PointSearch {
  /** |point - target|^2, at most. */
  readonly within: number
  /** Branches that are looked at, at most. */
  readonly mostBranches: number
  /**
   * Told of each point: its multiples of the vectors that the basis was made of (not to be kept), and |point - target|^2. What it
   * gives, if less, is `within` from here on.
   */
  found(whole: Float64Array, square: number): number | undefined
}

/** How many branches were looked at, and whether none was left out: then no other point is within. */
export interface Searched {
  readonly branches: number
  readonly complete: boolean
}

/** [schnorr1994]: what is left of the target beside each q_i is at least what the multiples chosen so far leave. */
export function nearPoints(basis: LatticeBasis, target: Float64Array, search: PointSearch): Searched {
  const { count: n, whole, mu, squares } = basis
  const { aims, outside, base } = aimed(basis, target)
  let { within } = search
  let left = search.mostBranches
  const chosen = new Float64Array(n)
  const point = new Float64Array(n)
  const tell = (square: number): void => {
    point.set(base)
    for (let i = 0; i < n; i++) {
      if (chosen[i] === 0) continue
      for (let c = 0; c < n; c++) point[c]! += chosen[i]! * whole[i * n + c]!
    }
    within = Math.min(within, search.found(point, square) ?? within)
  }
  // By level: where each multiple of an earlier vector would best be, given those chosen from here on.
  const states = Array.from({ length: n + 1 }, () => new Float64Array(n))
  states[n]!.set(aims)
  const visit = (k: number, square: number): void => {
    if (k < 0) {
      tell(square)
      return
    }
    const [state, next] = [states[k + 1]!, states[k]!]
    const aim = state[k]!
    const nearest = Math.round(aim)
    const side = aim >= nearest ? 1 : -1
    for (let tried = 0; ; tried++) {
      const step = (tried + 1) >> 1
      const times = nearest + side * (tried % 2 === 1 ? step : -step)
      const own = square + (aim - times) * (aim - times) * squares[k]!
      if (!(own <= within)) return
      if (left <= 0) return
      left--
      chosen[k] = times
      for (let j = 0; j < k; j++) next[j] = state[j]! - times * mu[k * n + j]!
      visit(k - 1, own)
    }
  }
  visit(n - 1, outside)
  return { branches: search.mostBranches - left, complete: left > 0 }
}

/** A point that is next to the target, and where the target lies as it is seen from there. */
interface Aimed {
  /** The point's multiples of the vectors that the basis was made of. */
  readonly base: Float64Array
  /** By basis vector: how many times q_i the target is away. */
  readonly aims: Float64Array
  /** The square of what of the target lies beside all q_i. */
  readonly outside: number
}

/** How often the target is brought nearer: a lattice's point far from 0 is known to as many digits less. */
const mostMoves = 5

function aimed(basis: LatticeBasis, target: Float64Array): Aimed {
  const base = new Float64Array(basis.count)
  let seen = seenFrom(basis, target, base)
  for (let move = 0; move < mostMoves && moved(basis, seen.aims, base); move++) seen = seenFrom(basis, target, base)
  return { base, ...seen }
}

function seenFrom({ vectors, count: n, width: m, q, squares }: LatticeBasis, target: Float64Array, base: Float64Array) {
  const rest = target.slice()
  for (let c = 0; c < n; c++) {
    if (base[c] !== 0) for (let j = 0; j < m; j++) rest[j]! -= base[c]! * vectors.data[c * m + j]!
  }
  const aims = new Float64Array(n)
  for (let i = 0; i < n; i++) {
    let along = 0
    for (let j = 0; j < m; j++) along += rest[j]! * q[i * m + j]!
    aims[i] = along / squares[i]!
  }
  for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) rest[j]! -= aims[i]! * q[i * m + j]!
  return { aims, outside: rest.reduce((sum, x) => sum + x * x, 0) }
}

/** Goes on by whole multiples, chosen from the last vector to the first; whether there were any. */
function moved({ count: n, whole, mu }: LatticeBasis, aims: Float64Array, base: Float64Array): boolean {
  const left = aims.slice()
  let went = false
  for (let i = n - 1; i >= 0; i--) {
    const times = Math.round(left[i]!)
    // A number that is none, or too large to be whole, leads nowhere.
    if (times === 0 || !(Math.abs(times) < mostWhole)) continue
    went = true
    for (let j = 0; j < i; j++) left[j]! -= times * mu[i * n + j]!
    for (let c = 0; c < n; c++) base[c]! += times * whole[i * n + c]!
  }
  return went
}

/**
 * How many branches a search is expected to look at: at every level the volume of a ball with the radius of the search, in units of what
 * the vectors chosen so far span. Where one is longer than the ball is wide there is one choice.
 */
export function expectedBranches({ count: n, squares }: LatticeBasis, within: number): number {
  const radius = Math.sqrt(within)
  const volumes = [1, 2] // of balls of radius 1, by dimension
  let [sum, spanned, d] = [0, 1, 0]
  for (let k = n - 1; k >= 0; k--) {
    const length = Math.sqrt(squares[k]!)
    if (length <= 2 * radius) {
      d++
      spanned *= radius / length
      volumes[d] ??= (volumes[d - 2]! * 2 * Math.PI) / d
    }
    sum += Math.max(1, volumes[d]! * spanned)
  }
  return sum
}
