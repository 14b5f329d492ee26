/** Many rows at once: step-down max-T within strata (Westfall and Young 1993), strata after Holm (1979), and the list of Benjamini and Hochberg (1995). */
import { type DrawOptions, drawSums, upperP } from './randomisation.js'
import { type Places, placed, placesOf, type Row, studentised } from './tables.js'

/** The draws of the rows of one stratum, in units of their spreads. */
export interface StratumDraws {
  readonly rows: readonly DrawnRow[]
  readonly places: Places
}

export interface DrawnRow {
  readonly id: string
  /** The row's statistic in every draw, the truth at place 0: mean 0 and variance 1 over all. */
  readonly z: Float64Array
  readonly scale: number
  readonly tolerance: number
  readonly constant: boolean
}

/** Rows of one stratum with the same draws. */
export function drawStratum(rows: readonly Row[], options: DrawOptions): StratumDraws {
  const units = rows.map(studentised)
  const places = placesOf(rows)
  const sums = drawSums(
    units.map(({ z }, i) => placed(z, places.ofRow[i]!)),
    options,
    places.sizes,
  )
  return {
    places,
    rows: units.map(({ scale, tolerance, constant }, i) => ({
      id: rows[i]!.id,
      z: sums[i]!,
      scale,
      tolerance,
      constant,
    })),
  }
}

export interface AdjustedP {
  /** Of this row alone. */
  readonly p: number
  /** Corrected for all rows of the stratum. */
  readonly adjusted: number
  /** It scores alike under every candidate: it rejects nothing, whatever is drawn. */
  readonly constant: boolean
}

/**
 * The largest row is compared with the largest of all rows in every draw, the second with the largest of the rest, and so
 * on; an adjusted p is never below that of a larger row. Constant rows take no part and have p = 1.
 */
export function stepDown({ rows }: StratumDraws): AdjustedP[] {
  const order = rows.map((_, i) => i).filter((i) => !rows[i]!.constant)
  order.sort((i, j) => rows[j]!.z[0]! - rows[i]!.z[0]!)
  const result: AdjustedP[] = rows.map(({ constant }) => ({ p: 1, adjusted: 1, constant }))
  const top = new Float64Array(rows[0]?.z.length ?? 0).fill(Number.NEGATIVE_INFINITY)
  const shares = new Map<number, number>()
  for (const i of [...order].reverse()) {
    const { z, tolerance } = rows[i]!
    const least = z[0]! - tolerance
    let atLeast = 0
    for (let b = 0; b < top.length; b++) {
      if (z[b]! + tolerance > top[b]!) top[b] = z[b]! + tolerance
      if (top[b]! >= least) atLeast++
    }
    shares.set(i, atLeast / top.length)
  }
  let adjusted = 0
  for (const i of order) {
    adjusted = Math.max(adjusted, shares.get(i)!)
    result[i] = { p: upperP(rows[i]!.z, rows[i]!.tolerance), adjusted, constant: false }
  }
  return result
}

/** A stratum at one look: the p-values of its rows, and by how many looks it divides its level. */
export interface StratumAtLook {
  readonly rows: readonly AdjustedP[]
  readonly looks: number
}

/**
 * Corrected for all strata: the row of least p is taken first, at its stratum's own share of alpha. A stratum of which all
 * rows are rejected leaves its share to the others, in proportion to theirs (Holm). This is a closed test: a set of rows is
 * rejected as a whole where in some stratum the largest of the set's rows stands out at that stratum's share, alpha being
 * divided among the strata that the set has rows in; a smaller set has fewer strata and lesser maxima. `strata` counts all
 * that share alpha, also those that are not looked at here.
 */
export function stepDownStrata(looked: readonly StratumAtLook[], strata: number): number[][] {
  const all = looked.reduce((sum, { looks }) => sum + 1 / looks, 0)
  const corrected = looked.map(({ rows }) => rows.map(() => 1))
  // Which rows are constant is the same under every candidate, so leaving them out chooses nothing in hindsight.
  const waiting = looked.map(({ rows }) =>
    rows
      .map((_, i) => i)
      .filter((i) => !rows[i]!.constant)
      .sort((i, j) => rows[i]!.adjusted - rows[j]!.adjusted),
  )
  let before = 0
  for (;;) {
    let next = -1
    let least = Number.POSITIVE_INFINITY
    let left = 0
    for (const [j, { rows, looks }] of looked.entries()) {
      const [first] = waiting[j]!
      if (first === undefined) continue
      left += 1 / looks
      if (looks * rows[first]!.adjusted < least) {
        least = looks * rows[first]!.adjusted
        next = j
      }
    }
    if (next < 0) return corrected
    before = Math.max(before, least * strata * (left / all))
    corrected[next]![waiting[next]!.shift()!] = Math.min(1, before)
  }
}

/** Benjamini and Hochberg's adjusted p-values: those at most q make a list with at most a share q of false entries expected. */
export function falseDiscovery(ps: readonly number[]): number[] {
  const order = ps.map((_, i) => i).sort((i, j) => ps[j]! - ps[i]! || j - i)
  const adjusted = new Array<number>(ps.length).fill(1)
  let least = 1
  for (const [place, i] of order.entries()) {
    least = Math.min(least, (ps[i]! * ps.length) / (ps.length - place))
    adjusted[i] = least
  }
  return adjusted
}
