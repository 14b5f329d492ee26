/** Records in kernel memory, dense or (one-hot data, mostly zeros) as compressed rows; batches are picked by index. */
import { type Buffer, bytesPer, type Engine } from '../numeric/engine.js'
import type { Precision } from '../numeric/kernels.js'
import type { Program } from '../numeric/program.js'

/** Below this share of nonzeros the sparse first layer is faster: bench/structure.mjs, MLP 41-128-1, batches of 32. */
export const sparseBelow = 0.5

export interface Resident {
  readonly sparse: boolean
  /** Whether batches are read where the records lie. */
  readonly picked: boolean
  /** What the program of a batch must share, by input name. */
  shared(rows: number): Readonly<Record<string, Buffer>>
  /** Makes the given records the batch of a program that shares the buffers above. */
  select(program: Program, rows: Int32Array): void
  /** All records as one batch. */
  readonly all: Readonly<Record<string, Buffer>>
  /** Buffers that descriptors point to: memory is given back when nobody holds them. */
  readonly held: readonly Buffer[]
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
  /** The first layer has one output: dense records need not be copied into a batch. */
  readonly single: boolean
}

export function resident(data: ResidentData, options: ResidentOptions): Resident {
  const { precision, engine: host, sparse: wanted, single } = options
  const { X, y, n } = data
  const [k, c] = n === 0 ? [0, 0] : [X.length / n, y.length / n]
  const size = bytesPer(precision)
  const put = (values: Float64Array): Buffer => {
    const buffer = host.allocate(values.length * size)
    host.view(precision, buffer.address, values.length).set(values)
    return buffer
  }
  const putInts = (values: ArrayLike<number>): Buffer => {
    const buffer = host.allocate(values.length * 4)
    host.viewInts(buffer.address, values.length).set(values)
    return buffer
  }
  const allY = put(y)
  const nonzeros = X.reduce((count, x) => count + (x === 0 ? 0 : 1), 0)
  const sparse = wanted === 'auto' ? nonzeros < sparseBelow * X.length : wanted
  const tables = new Map<number, Buffer>()
  const tableFor = (rows: number): Buffer => {
    let table = tables.get(rows)
    if (table === undefined) {
      table = host.allocate(rows * 4)
      tables.set(rows, table)
    }
    return table
  }
  const kernels = host[precision]
  const pickLabels = (program: Program, rows: number): void => {
    kernels.gatherRows(program.buffer('y').address, allY.address, tableFor(rows).address, rows, c)
  }
  const kept = new Map<number, Buffer>()
  const describe = (rows: number, parts: readonly Buffer[]): { X: Buffer } => {
    const made = kept.get(rows) ?? putInts([tableFor(rows).address, ...parts.map((p) => p.address)])
    kept.set(rows, made)
    return { X: made }
  }
  const writeRows = (program: Program, rows: Int32Array): void => {
    host.writeInts(tableFor(rows.length).address, rows)
    pickLabels(program, rows.length)
  }
  if (!sparse) {
    const allX = put(X)
    const all = { X: allX, y: allY }
    if (single)
      return { sparse, picked: true, shared: (rows) => describe(rows, [allX]), all, held: [], select: writeRows }
    return {
      sparse,
      picked: false,
      shared: () => ({}),
      all,
      held: [],
      select(program, rows) {
        writeRows(program, rows)
        kernels.gatherRows(program.buffer('X').address, allX.address, tableFor(rows.length).address, rows.length, k)
      },
    }
  }
  const { starts, columns, values } = compress(X, { n, k, nonzeros })
  const parts = [putInts(starts), putInts(columns), put(values)] as const
  const everyone = putInts(Array.from({ length: n }, (_, i) => i))
  return {
    sparse,
    picked: false,
    shared: (rows) => describe(rows, parts),
    all: { X: putInts([everyone, ...parts].map((p) => p.address)), y: allY },
    held: [everyone, ...parts],
    select: writeRows,
  }
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
