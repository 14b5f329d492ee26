/** Whole guesses made better one or two at a time: near-equal records leave their shares open, but not which corners fit. */
import { engine } from '../../../numeric/engine/engine.js'
import { dot } from '../../../numeric/linalg/vector.js'
import { exp } from '../../../numeric/special/elementary-functions.js'

export interface PolishInput {
  /** Column (v - 1) n + i: what value v adds to the sum for record i. */
  readonly columns: readonly Float64Array[]
  readonly y: Float64Array
  /** Shares before they were made whole. */
  readonly p: Float64Array
  readonly n: number
}

interface Change {
  readonly record: number
  readonly to: number
  readonly by: Float64Array
  readonly sizeSq: number
}

/** Records whose shares are taken for open. */
const mostOpen = 60
const mostChanges = 200

/** Changes single guesses, and pairs of those that are open, while |y - D p| falls. */
export function polish(guesses: Int32Array, { columns, y, p, n }: PolishInput): void {
  const r = y.slice()
  const columnOf = (i: number, v: number): Float64Array | undefined => (v === 0 ? undefined : columns[(v - 1) * n + i])
  for (let i = 0; i < n; i++) subtract(r, columnOf(i, guesses[i]!), 1)
  const changesOf = (i: number): Change[] => {
    const others = Array.from({ length: columns.length / n + 1 }, (_, v) => v).filter((v) => v !== guesses[i])
    return others.map((to) => {
      const by = new Float64Array(r.length)
      subtract(by, columnOf(i, to), -1)
      subtract(by, columnOf(i, guesses[i]!), 1)
      return { record: i, to, by, sizeSq: dot(by, by) }
    })
  }
  const accept = ({ record, to, by }: Change): void => {
    guesses[record] = to
    subtract(r, by, 1)
  }
  const gainOf = ({ by, sizeSq }: Change): number => 2 * dot(by, r) - sizeSq
  for (let k = 0; k < mostChanges; k++) {
    const least = 1e-9 * dot(r, r)
    let best: { gain: number; changes: readonly Change[] } = { gain: least, changes: [] }
    for (let i = 0; i < n; i++) {
      for (const change of changesOf(i)) {
        const gain = gainOf(change)
        if (gain > best.gain) best = { gain, changes: [change] }
      }
    }
    const open = openRecords(p, n).flatMap(changesOf)
    const gains = open.map(gainOf)
    for (let a = 0; a < open.length; a++) {
      for (let b = 0; b < a; b++) {
        if (open[a]!.record === open[b]!.record) continue
        const gain = gains[a]! + gains[b]! - 2 * dot(open[a]!.by, open[b]!.by)
        if (gain > best.gain) best = { gain, changes: [open[a]!, open[b]!] }
      }
    }
    if (best.changes.length === 0) return
    best.changes.forEach(accept)
  }
}

export interface NearbyInput extends Omit<PolishInput, 'p'> {
  /** By equation: the deviation that is to be expected. */
  readonly slack: Float64Array
}

/** Up to this excess rounding explains what is left. */
export const mostExcess = 5

export interface Nearby {
  /** The root mean square of what is left, in units of the slack. */
  readonly excess: number
  /** For each record the probability of its guess, weighed against every one that differs in it and at most one other. */
  readonly confidence: Float64Array
}

/**
 * What a flipped record, or two, would change, beside what the equations leave open anyway. Guesses that fit to the
 * rounding prove nothing where others fit as well.
 */
export function nearby(guesses: Int32Array, { columns, y, n, slack }: NearbyInput): Nearby {
  const rows = y.length
  const values = columns.length / n + 1
  const r = y.slice()
  for (let i = 0; i < n; i++) if (guesses[i]! > 0) subtract(r, columns[(guesses[i]! - 1) * n + i], 1)
  for (let k = 0; k < rows; k++) r[k]! /= slack[k]!
  const excess = Math.sqrt(dot(r, r) / rows)
  const looser = Math.max(1, excess * excess)
  // One row for each other value of each record: what changing to it would add, in units of the slack.
  const count = n * (values - 1)
  const changes = new Float64Array(count * rows)
  for (let i = 0; i < n; i++) {
    for (let o = 0, v = 0; v < values; v++) {
      if (v === guesses[i]) continue
      const row = changes.subarray((o * n + i) * rows, (o * n + i + 1) * rows)
      subtract(row, v === 0 ? undefined : columns[(v - 1) * n + i], -1)
      subtract(row, guesses[i] === 0 ? undefined : columns[(guesses[i]! - 1) * n + i], 1)
      for (let k = 0; k < rows; k++) row[k]! /= slack[k]!
      o++
    }
  }
  const G = gramOfRows(changes, count, rows)
  const single = Float64Array.from({ length: count }, (_, a) => {
    return (G[a * count + a]! - 2 * dot(changes.subarray(a * rows, (a + 1) * rows), r)) / looser
  })
  const against = new Float64Array(n)
  const weigh = (cost: number): number => exp(-Math.max(-60, Math.min(cost, 1400)) / 2)
  for (let a = 0; a < count; a++) {
    against[a % n]! += weigh(single[a]!)
    for (let b = 0; b < a; b++) {
      if (a % n === b % n) continue
      const odds = weigh(single[a]! + single[b]! + (2 * G[a * count + b]!) / looser)
      against[a % n]! += odds
      against[b % n]! += odds
    }
  }
  return { excess, confidence: against.map((odds) => 1 / (1 + odds)) }
}

/** X X^T of rows X [count, width]. */
function gramOfRows(X: Float64Array, count: number, width: number): Float64Array {
  const host = engine()
  const held = host.allocate(8 * (X.length + count * count))
  const to = held.address + 8 * X.length
  host.view('f64', held.address, X.length).set(X)
  host.f64.gemm(to, held.address, held.address, count, count, width, width, 1, 1, width, 0, 0, 0)
  const G = Float64Array.from(host.view('f64', to, count * count))
  host.release(held)
  return G
}

/** The records whose shares are furthest from whole ones. */
function openRecords(p: Float64Array, n: number): number[] {
  const away = Array.from({ length: n }, (_, i) => {
    let most = 0
    for (let c = i; c < p.length; c += n)
      most = Math.max(most, Math.abs(p[c]! - Math.min(1, Math.max(0, Math.round(p[c]!)))))
    return { i, most }
  })
  const open = away.filter(({ most }) => most > 0.2).sort((a, b) => b.most - a.most)
  return open.slice(0, mostOpen).map(({ i }) => i)
}

function subtract(from: Float64Array, column: Float64Array | undefined, times: number): void {
  if (column !== undefined) for (let j = 0; j < from.length; j++) from[j]! -= times * column[j]!
}
