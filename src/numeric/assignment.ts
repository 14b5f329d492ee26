/** The cheapest way to pair rows with columns, each at most once: shortest augmenting paths (Jonker and Volgenant 1987). */
import { requireFinite } from './linalg-input.js'
import { type Matrix, transpose } from './matrix.js'

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

/** For rows <= cols: every row gets a column. Prices u, v keep cost − u − v >= 0, with equality on pairs. */
function assignRows(cost: Matrix): Int32Array {
  const { rows: n, cols: m, data } = cost
  const u = new Float64Array(n)
  const v = new Float64Array(m)
  const rowOf = new Int32Array(m).fill(-1)
  const from = new Int32Array(m) // the column before on the shortest path, -1 for the start
  const distance = new Float64Array(m)
  const done = new Uint8Array(m)
  for (let start = 0; start < n; start++) {
    distance.fill(Number.POSITIVE_INFINITY)
    done.fill(0)
    const reached: number[] = []
    let [row, column, length] = [start, -1, 0]
    // Dijkstra over the columns, on reduced costs, until one is free.
    do {
      let nearest = -1
      for (let j = 0; j < m; j++) {
        if (done[j] === 1) continue
        const through = length + (data[row * m + j]! - u[row]! - v[j]!)
        if (through < distance[j]!) {
          distance[j] = through
          from[j] = column
        }
        if (nearest < 0 || distance[j]! < distance[nearest]!) nearest = j
      }
      column = nearest
      length = distance[column]!
      done[column] = 1
      reached.push(column)
      row = rowOf[column]!
    } while (row >= 0)
    u[start]! += length
    for (const j of reached) {
      const gain = length - distance[j]!
      v[j]! -= gain
      if (rowOf[j]! >= 0) u[rowOf[j]!]! += gain
    }
    for (let j = column; j >= 0; j = from[j]!) rowOf[j] = from[j]! < 0 ? start : rowOf[from[j]!]!
  }
  const columnOf = new Int32Array(n)
  for (let j = 0; j < m; j++) if (rowOf[j]! >= 0) columnOf[rowOf[j]!] = j
  return columnOf
}
