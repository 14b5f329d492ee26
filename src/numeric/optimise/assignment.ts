/** The cheapest way to pair rows with columns, each at most once: shortest augmenting paths (Jonker and Volgenant 1987). */
import { requireFinite } from '../linalg/linalg-input.js'
import { type Matrix, transpose } from '../linalg/matrix.js'

export interface Assignment {
  readonly columnOfRow: Int32Array // -1 for a row left over, when rows outnumber columns
  readonly totalCost: number
}

/** Pairs min(rows, cols) of them so that the costs sum to the least, in O(min² max). To maximise, negate the costs. */
export function assignment(cost: Matrix): Assignment {
  requireFinite(cost, 'cost')
  const columnOfRow = cost.rows <= cost.cols ? assignRows(cost) : inverse(assignRows(transpose(cost)), cost.rows)
  let totalCost = 0
  for (let i = 0; i < cost.rows; i++) if (columnOfRow[i]! >= 0) totalCost += cost.data[i * cost.cols + columnOfRow[i]!]!
  return { columnOfRow, totalCost }
}

function inverse(rowOfColumn: Int32Array, rows: number): Int32Array {
  const columnOfRow = new Int32Array(rows).fill(-1)
  for (let j = 0; j < rowOfColumn.length; j++) columnOfRow[rowOfColumn[j]!] = j
  return columnOfRow
}

interface Search {
  readonly u: Float64Array // prices of rows
  readonly v: Float64Array // prices of columns
  readonly rowOf: Int32Array // row of each column, -1 for none
  readonly from: Int32Array // the column before on the shortest path, -1 for the start
  readonly distance: Float64Array
}

/** For rows <= cols: every row gets a column. Prices keep cost − u − v >= 0, with equality on pairs. */
function assignRows(cost: Matrix): Int32Array {
  const { rows: n, cols: m } = cost
  const u = new Float64Array(n)
  const v = new Float64Array(m)
  const rowOf = new Int32Array(m).fill(-1)
  const search: Search = { u, v, rowOf, from: new Int32Array(m), distance: new Float64Array(m) }
  for (let start = 0; start < n; start++) {
    const reached = shortestPath(cost, start, search)
    const { from, distance } = search
    const end = reached.at(-1)!
    const length = distance[end]!
    u[start]! += length
    for (const j of reached) {
      const gain = length - distance[j]!
      v[j]! -= gain
      if (rowOf[j]! >= 0) u[rowOf[j]!]! += gain
    }
    for (let j = end; j >= 0; j = from[j]!) rowOf[j] = from[j]! < 0 ? start : rowOf[from[j]!]!
  }
  const columnOf = new Int32Array(n)
  for (let j = 0; j < m; j++) if (rowOf[j]! >= 0) columnOf[rowOf[j]!] = j
  return columnOf
}

/** Dijkstra over the columns, on reduced costs, until one is free: the columns settled, that one last. */
function shortestPath(cost: Matrix, start: number, { u, v, rowOf, from, distance }: Search): number[] {
  const { cols: m, data } = cost
  const settled = new Uint8Array(m)
  const reached: number[] = []
  distance.fill(Number.POSITIVE_INFINITY)
  let [row, column, length] = [start, -1, 0]
  while (row >= 0) {
    let nearest = -1
    for (let j = 0; j < m; j++) {
      if (settled[j] === 1) continue
      const through = length + (data[row * m + j]! - u[row]! - v[j]!)
      if (through < distance[j]!) {
        distance[j] = through
        from[j] = column
      }
      if (nearest < 0 || distance[j]! < distance[nearest]!) nearest = j
    }
    column = nearest
    length = distance[column]!
    settled[column] = 1
    reached.push(column)
    row = rowOf[column]!
  }
  return reached
}
