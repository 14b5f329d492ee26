/** Records in kernel memory, dense or (one-hot data, mostly zeros) as compressed rows; batches are picked by index. */
import { type Buffer, bytesPer, type Engine } from '../numeric/engine/engine.js'
import type { Precision } from '../numeric/engine/kernels.js'
import type { Program } from '../numeric/engine/program.js'

/** Below this share of nonzeros the sparse first layer is faster: bench/structure.mjs, MLP 41-128-1, batches of 32. */
export const sparseBelow = 0.5

export interface Resident {
  readonly n: number
  readonly sparse: boolean
  /** What it takes of kernel memory. */
  readonly bytes: number
  /** Makes the given records the batch of a program; `table` has room for their numbers and is used until it ran. */
  select(program: Program, rows: Int32Array, table: Buffer): void
  /** All records as one batch, to be shared with a program by input name. */
  all(): Readonly<Record<string, Buffer>>
  /** Gives the memory back at once. */
  release(): void
}

export interface ResidentData {
  readonly X: Float64Array // [n, k]
  readonly y: Float64Array // [n, c]
  readonly n: number
}

export interface ResidentOptions {
  readonly precision: Precision
  readonly engine: Engine
  readonly sparse: boolean | 'auto'
  /** Whether dense batches are read where the records lie: a product with a single output reads each record once. */
  readonly single: boolean
}

export function resident(
  data: ResidentData,
  { precision, engine: host, sparse: wanted, single }: ResidentOptions,
): Resident {
  const { X, y, n } = data
  const [k, c] = n === 0 ? [0, 0] : [X.length / n, y.length / n]
  const size = bytesPer(precision)
  const kernels = host[precision]
  const own: Buffer[] = []
  const put = (values: Float64Array): Buffer => {
    const buffer = host.allocate(values.length * size)
    host.view(precision, buffer.address, values.length).set(values)
    own.push(buffer)
    return buffer
  }
  const putInts = (values: ArrayLike<number>): Buffer => {
    const buffer = host.allocate(values.length * 4)
    host.viewInts(buffer.address, values.length).set(values)
    own.push(buffer)
    return buffer
  }
  const nonzeros = countNonzeros(X)
  const sparse = wanted === 'auto' ? nonzeros < sparseBelow * X.length : wanted
  const allY = put(y)
  const pickLabels = (program: Program, rows: Int32Array, table: Buffer): void => {
    host.writeInts(table.address, rows)
    kernels.gatherRows(program.buffer('y').address, allY.address, table.address, rows.length, c)
  }
  const finished = (way: Pick<Resident, 'select' | 'all'>): Resident => ({
    n,
    sparse,
    bytes: own.reduce((sum, { bytes }) => sum + bytes, 0),
    release: () => own.splice(0).forEach(host.release),
    ...way,
  })
  if (!sparse) {
    const allX = put(X)
    const pair = Int32Array.of(0, allX.address)
    return finished({
      select(program, rows, table) {
        pickLabels(program, rows, table)
        if (single) {
          pair[0] = table.address
          host.writeInts(program.buffer('X').address, pair)
          return
        }
        kernels.gatherRows(program.buffer('X').address, allX.address, table.address, rows.length, k)
      },
      all: () => ({ X: allX, y: allY }),
    })
  }
  const { starts, columns, values } = compress(X, { n, k, nonzeros })
  const parts = [putInts(starts), putInts(columns), put(values)].map(({ address }) => address)
  const descriptor = Int32Array.of(0, ...parts)
  return finished({
    select(program, rows, table) {
      pickLabels(program, rows, table)
      descriptor[0] = table.address
      host.writeInts(program.buffer('X').address, descriptor)
    },
    all: () => {
      const everyone = putInts(Array.from({ length: n }, (_, i) => i))
      return { X: putInts([everyone.address, ...parts]), y: allY }
    },
  })
}

function countNonzeros(X: Float64Array): number {
  let count = 0
  for (let i = 0; i < X.length; i++) if (X[i] !== 0) count++
  return count
}

/** Compressed rows: the nonzeros of row i are starts[i] .. starts[i + 1], columns ascending. */
function compress(X: Float64Array, { n, k, nonzeros }: { n: number; k: number; nonzeros: number }) {
  const starts = new Int32Array(n + 1)
  const columns = new Int32Array(nonzeros)
  const values = new Float64Array(nonzeros)
  let at = 0
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < k; j++) {
      const x = X[i * k + j]!
      if (x === 0) continue
      columns[at] = j
      values[at] = x
      at++
    }
    starts[i + 1] = at
  }
  return { starts, columns, values }
}
