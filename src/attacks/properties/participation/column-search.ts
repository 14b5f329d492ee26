/** Binary columns near a space: in which rounds a client took part, given how often it did in windows of them. */
import type { Rng } from '../../../numeric/random/rng.js'

export interface ColumnProblem {
  /** Projects onto what lies outside of the space, row by row: [n, n], symmetric. */
  readonly outside: Float64Array
  readonly rounds: number
  /** The places of each window's rounds; every place is in one window. */
  readonly windows: readonly (readonly number[])[]
  /** How many ones there are in each window. */
  readonly counts: readonly number[]
}

export interface Column {
  readonly ones: Uint8Array
  /** || outside a ||^2. */
  readonly cost: number
}

export interface SearchOptions {
  /** How often the search begins anew. */
  readonly starts: number
  /** Swaps of one beginning. */
  readonly steps: number
  /** How many different columns are wanted, the best first. */
  readonly keep: number
  readonly rng: Rng
  tick?(): void
}

/** Found so often, the best one is believed to be it. */
const often = 4
const leastStarts = 8

/**
 * [lam2021] argmin over a in {0, 1}^n of || outside a ||^2, where each window of a has its count of ones.
 * departs: the paper hands it to a solver of integer programs. Here a random column is projected into the space and cut to the
 * counts until it stays; then a one and a zero of a window change places, each time the pair that costs least, whether it
 * gains or not, and neither may go back for some steps. A test compares with all columns there are.
 */
export function nearestColumns(problem: ColumnProblem, options: SearchOptions): Column[] {
  const { rounds: n } = problem
  const { starts, keep } = options
  const found: { column: Column; times: number }[] = []
  for (let k = 0; k < starts; k++) {
    options.tick?.()
    const draws = options.rng.fork('start', k)
    const column = swapped(problem, settled(problem, draws), options.steps, draws)
    const known = found.find((one) => sameColumn(one.column, column))
    if (known !== undefined) known.times++
    else found.push({ column, times: 1 })
    found.sort((a, b) => a.column.cost - b.column.cost)
    const sure = found[0]!.times >= often || found[0]!.column.cost < 1e-9 * n
    if (sure && k + 1 >= leastStarts && found.length >= keep) break
  }
  return found.slice(0, keep).map(({ column }) => column)
}

const sameColumn = (a: Column, b: Column): boolean => a.ones.every((one, r) => one === b.ones[r])

/** outside a. */
function beyond({ outside, rounds: n }: ColumnProblem, ones: Uint8Array): Float64Array {
  const sum = new Float64Array(n)
  for (let r = 0; r < n; r++) {
    if (ones[r] === 0) continue
    for (let s = 0; s < n; s++) sum[s]! += outside[r * n + s]!
  }
  return sum
}

/** The column of these counts whose ones are where the values are greatest. */
function cut({ windows, counts, rounds }: ColumnProblem, values: Float64Array): Uint8Array {
  const ones = new Uint8Array(rounds)
  for (const [w, places] of windows.entries()) {
    const order = [...places].sort((r, s) => values[s]! - values[r]! || r - s)
    for (const r of order.slice(0, counts[w])) ones[r] = 1
  }
  return ones
}

/** Into the space and back to the counts, until nothing changes. */
function settled(problem: ColumnProblem, draws: Rng): Uint8Array {
  let ones = cut(problem, draws.normals(problem.rounds))
  for (let k = 0; k < 40; k++) {
    const off = beyond(problem, ones)
    const next = cut(
      problem,
      off.map((x, r) => ones[r]! - x),
    )
    if (next.every((one, r) => one === ones[r])) break
    ones = next
  }
  return ones
}

/** The best column on a walk by swaps. */
function swapped(problem: ColumnProblem, from: Uint8Array, steps: number, draws: Rng): Column {
  const { outside: P, rounds: n, windows } = problem
  const ones = from.slice()
  const off = beyond(problem, ones)
  let cost = 0
  for (let r = 0; r < n; r++) if (ones[r] === 1) cost += off[r]!
  let best = { ones: ones.slice(), cost }
  const rests = new Int32Array(n)
  const longest = Math.min(5, Math.ceil(n / 12))
  for (let step = 0; step < steps && best.cost > 1e-9 * n; step++) {
    let [least, out, into] = [Number.POSITIVE_INFINITY, -1, -1]
    for (const places of windows) {
      for (const r of places) {
        if (ones[r] === 0) continue
        const leaves = P[r * n + r]! - 2 * off[r]!
        for (const s of places) {
          if (ones[s] === 1) continue
          const change = leaves + 2 * off[s]! + P[s * n + s]! - 2 * P[r * n + s]!
          if (change >= least) continue
          if ((rests[r]! > step || rests[s]! > step) && cost + change >= best.cost - 1e-12) continue
          ;[least, out, into] = [change, r, s]
        }
      }
    }
    if (out < 0) break
    cost += least
    ones[out] = 0
    ones[into] = 1
    for (let s = 0; s < n; s++) off[s]! += P[into * n + s]! - P[out * n + s]!
    rests[out] = step + 2 + draws.integer(longest)
    rests[into] = step + 2 + draws.integer(longest)
    if (cost < best.cost - 1e-12) best = { ones: ones.slice(), cost }
  }
  // Summed once more: thousands of changes leave some rounding.
  const last = beyond(problem, best.ones)
  let exact = 0
  for (let r = 0; r < n; r++) if (best.ones[r] === 1) exact += last[r]!
  return { ones: best.ones, cost: Math.max(0, exact) }
}

/** || outside a ||^2 on the mean over all columns of these counts: what one that has nothing to do with the space costs. */
export function costAtRandom({ outside, rounds: n, windows, counts }: ColumnProblem): number {
  const share = new Float64Array(n)
  const pair = new Float64Array(n)
  const part = new Int32Array(n)
  for (const [w, places] of windows.entries()) {
    const [c, m] = [counts[w]!, places.length]
    for (const r of places) {
      part[r] = w
      share[r] = c / m
      pair[r] = m > 1 ? (c * (c - 1)) / (m * (m - 1)) : 0
    }
  }
  let sum = 0
  for (let r = 0; r < n; r++) {
    for (let s = 0; s < n; s++) {
      const both = r === s ? share[r]! : part[r] === part[s] ? pair[r]! : share[r]! * share[s]!
      sum += outside[r * n + s]! * both
    }
  }
  return sum
}
