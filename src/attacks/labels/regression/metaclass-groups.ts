/** The metaclasses of auxiliary records: a column that came with them, or clusters of their features. */
import { OverhearError } from '../../../errors.js'
import { columnAt, type Matrix, matrix, rowOf } from '../../../numeric/linalg/matrix.js'
import { kMeans } from '../../../numeric/optimise/k-means.js'
import { meanOf, rangeOf, squaresAbout } from '../../../numeric/special/summaries.js'
import type { View } from '../../../threat/granted-keys.js'
import { Inapplicable } from '../../attack.js'
import type { Clusters } from '../../claim.js'

export interface Groups {
  /** Rows of each metaclass. */
  readonly rows: readonly (readonly number[])[]
  readonly names: readonly string[]
  /** Shares of the auxiliary records. */
  readonly shares: Float64Array
  /** Where the groups are clusters of the features. */
  readonly clusters?: Clusters
}

type Brought = View<'auxiliary'> & Partial<View<'auxiliary.metaclass' | 'metaclasses'>>

export function groupsOf(view: Brought, { by, clusters }: { by: 'column' | 'clusters'; clusters: number }): Groups {
  const n = view.auxiliary.features.rows
  if (n === 0) throw new Inapplicable(['auxiliary'], 'the auxiliary data hold no record')
  return by === 'column' ? byColumn(view, n) : byClusters(view.auxiliary.features, clusters)
}

function byColumn(view: Brought, n: number): Groups {
  const numbers = view['auxiliary.metaclass']
  if (numbers === undefined) {
    throw new Inapplicable(['auxiliary.metaclass'], 'the auxiliary data name no metaclasses; clusters need none')
  }
  if (numbers.length !== n) {
    throw new OverhearError('E_SHAPE', `${numbers.length} metaclasses for ${n} auxiliary records`, 'one each is needed')
  }
  const largest = Math.max(0, rangeOf(numbers).max)
  const names = view.metaclasses ?? Array.from({ length: largest + 1 }, (_, c) => String(c))
  const bad = numbers.findIndex((c) => !Number.isInteger(c) || c < 0 || c >= names.length)
  if (bad >= 0) {
    const known = `there are ${names.length} metaclasses, counted from 0`
    throw new OverhearError('E_VALUE', `auxiliary record ${bad} is of metaclass ${numbers[bad]}`, known)
  }
  return grouped(numbers, names)
}

function grouped(numbers: ArrayLike<number>, names: readonly string[]): Groups {
  const rows: number[][] = names.map(() => [])
  for (let i = 0; i < numbers.length; i++) rows[numbers[i]!]!.push(i)
  return { rows, names, shares: Float64Array.from(rows, (own) => own.length / numbers.length) }
}

/** k-means over standardised features; the largest cluster first. Every attack that asks gets the same clusters. */
function byClusters(features: Matrix, k: number): Groups {
  const { rows: n, cols: d, data } = features
  const scales = Float64Array.from({ length: d }, (_, j) => {
    const column = columnAt(features, j)
    const squares = squaresAbout(column, meanOf(column))
    return squares > 0 ? Math.sqrt(squares / n) : 1
  })
  const scaled = matrix(
    n,
    d,
    data.map((x, at) => x / scales[at % d]!),
  )
  const found = kMeans(scaled, { k, restarts: 10 })
  const order = Array.from(found.sizes.keys()).sort((a, b) => found.sizes[b]! - found.sizes[a]!)
  const names = order.map((_, c) => `cluster ${c}`)
  const numbers = found.labels.map((label) => order.indexOf(label))
  const centres = matrix(k, d)
  for (const [c, old] of order.entries()) {
    for (let j = 0; j < d; j++) centres.data[c * d + j] = found.centres.data[old * d + j]! * scales[j]!
  }
  return { ...grouped(numbers, names), clusters: { centres: rowLists(centres), scales: Array.from(scales) } }
}

/** Mean of some rows. */
export function meanRow({ cols, data }: Matrix, rows: readonly number[]): Float64Array {
  const mean = new Float64Array(cols)
  for (const i of rows) for (let j = 0; j < cols; j++) mean[j]! += data[i * cols + j]!
  return mean.map((sum) => sum / rows.length)
}

/** Mean of some values. */
export const meanAmong = (values: Float64Array, rows: readonly number[]): number => meanOf(rows.map((i) => values[i]!))

/** Sum over some rows of (x - mean) (x - mean)^T. */
export function scatterOf(points: Matrix, rows: readonly number[], mean: Float64Array): Matrix {
  const { cols: m, data } = points
  const S = matrix(m, m)
  const x = new Float64Array(m)
  for (const i of rows) {
    for (let j = 0; j < m; j++) x[j] = data[i * m + j]! - mean[j]!
    for (let a = 0; a < m; a++) {
      const xa = x[a]!
      if (xa === 0) continue
      for (let b = 0; b < m; b++) S.data[a * m + b]! += xa * x[b]!
    }
  }
  return S
}

const rowLists = (A: Matrix): number[][] => Array.from({ length: A.rows }, (_, i) => Array.from(rowOf(A, i)))
