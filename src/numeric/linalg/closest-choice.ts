/** Whole-number least squares: of each group of columns at most one is taken, so that their sum comes nearest to a target. */
import { OverhearError } from '../../errors.js'
import { matrix } from './matrix.js'
import { qr } from './qr.js'
import { norm } from './vector.js'

export interface ChoiceOptions {
  /** Columns of a group; column g * perGroup + v is the v-th of group g. */
  readonly perGroup: number
  /** Branches that are looked at, at most: then the best so far is given. 200,000 unless told. */
  readonly mostBranches?: number
}

export interface Choice {
  /** For each group the column that is taken, counted from 1; 0: none of them. */
  readonly taken: Int32Array
  /** |target - sum of the columns taken|^2, up to rounding. */
  readonly squares: number
  /** Whether no other choice is nearer. */
  readonly proven: boolean
}

/** What the length of a column is raised by, of the longest: columns that depend on others have a place in R, too. */
const guard = 1e-7

/**
 * A sphere decoder: with D = Q R, groups are chosen from the last to the first, each adding to |Q^T target - R s|^2 what no
 * later choice can take away; the nearest comes first, and branches that are already further than the best are cut off.
 */
export function closestChoice(
  columns: readonly Float64Array[],
  target: Float64Array,
  { perGroup, mostBranches = 200_000 }: ChoiceOptions,
): Choice {
  const N = columns.length
  if (perGroup < 1 || N % perGroup !== 0) {
    throw new OverhearError('E_SHAPE', `${N} columns in groups of ${perGroup}`, 'every group has as many columns')
  }
  const groups = N / perGroup
  const rows = target.length
  const longest = columns.reduce((most, column) => Math.max(most, norm(column)), 0)
  if (N === 0 || longest === 0) {
    return { taken: new Int32Array(groups), squares: square(target), proven: true }
  }
  const A = matrix(rows + N, N)
  for (const [c, column] of columns.entries()) {
    for (let r = 0; r < rows; r++) A.data[r * N + c] = column[r]!
    A.data[(rows + c) * N + c] = guard * longest
  }
  const { Q, R } = qr(A)
  const z = new Float64Array(N)
  for (let c = 0; c < N; c++) for (let r = 0; r < rows; r++) z[c]! += Q.data[r * N + c]! * target[r]!
  const found = search({ R: R.data, z, groups, perGroup, left: mostBranches })
  return { taken: found.best, squares: found.least + square(target) - square(z), proven: found.left > 0 }
}

const square = (x: Float64Array): number => {
  const length = norm(x)
  return length * length
}

interface Tree {
  readonly R: Float64Array
  readonly z: Float64Array
  readonly groups: number
  readonly perGroup: number
  left: number
}

/** From the last group to the first, depth first. */
function search(tree: Tree): { readonly best: Int32Array; readonly least: number; readonly left: number } {
  const { R, z, groups, perGroup: m } = tree
  const N = groups * m
  const taken = new Int32Array(groups)
  const best = taken.slice()
  let least = square(z) // nothing taken
  // By level: what the groups chosen so far leave of z before this one is chosen, and what each of its choices costs.
  const states = Array.from({ length: groups }, () => new Float64Array(N))
  const costs = Array.from({ length: groups }, () => new Float64Array(m + 1))
  states[groups - 1]!.set(z)
  const visit = (g: number, cost: number): void => {
    const [state, own, from] = [states[g]!, costs[g]!, g * m]
    for (let v = 0; v <= m; v++) {
      let sum = cost
      for (let a = from; a < from + m; a++) {
        const e = v === 0 ? state[a]! : state[a]! - R[a * N + from + v - 1]!
        sum += e * e
      }
      own[v] = sum
    }
    for (let tried = 0; tried <= m; tried++) {
      let v = 0
      for (let u = 1; u <= m; u++) if (own[u]! < own[v]!) v = u
      const sum = own[v]!
      own[v] = Number.POSITIVE_INFINITY
      if (sum >= least || tree.left <= 0) return
      tree.left--
      taken[g] = v
      if (g === 0) {
        least = sum
        best.set(taken)
        return
      }
      const next = states[g - 1]!
      if (v === 0) for (let a = 0; a < from; a++) next[a] = state[a]!
      else for (let a = 0, at = from + v - 1; a < from; a++, at += N) next[a] = state[a]! - R[at]!
      visit(g - 1, sum)
    }
  }
  visit(groups - 1, 0)
  return { best, least, left: tree.left }
}
