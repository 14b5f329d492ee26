/** Whole guesses made better one or two at a time: near-equal records leave their shares open, but not which corners fit. */
import { dot } from '../../../numeric/linalg/vector.js'

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
  const values = columns.length / n + 1
  const r = y.slice()
  const columnOf = (i: number, v: number): Float64Array | undefined => (v === 0 ? undefined : columns[(v - 1) * n + i])
  for (let i = 0; i < n; i++) subtract(r, columnOf(i, guesses[i]!), 1)
  const changesOf = (i: number): Change[] => {
    const others = Array.from({ length: values }, (_, v) => v).filter((v) => v !== guesses[i])
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
