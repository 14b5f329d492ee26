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

/** Where records are put, and what was put there. */
interface Store extends ResidentOptions {
  readonly own: Buffer[]
}

export function resident(data: ResidentData, options: ResidentOptions): Resident {
  const { X, y, n } = data
  const { engine, sparse: wanted } = options
  const store: Store = { ...options, own: [] }
  const nonzeros = countNonzeros(X)
  const sparse = wanted === 'auto' ? nonzeros < sparseBelow * X.length : wanted
  const labels = { at: put(store, y), cols: n === 0 ? 0 : y.length / n }
  const way = sparse ? compressedRows(store, { ...data, nonzeros }, labels) : denseRows(store, data, labels)
  return {
    n,
    sparse,
    bytes: store.own.reduce((sum, { bytes }) => sum + bytes, 0),
    release: () => store.own.splice(0).forEach(engine.release),
    ...way,
  }
}

function put({ engine, precision, own }: Store, values: Float64Array): Buffer {
  const buffer = engine.allocate(values.length * bytesPer(precision))
  engine.view(precision, buffer.address, values.length).set(values)
  own.push(buffer)
  return buffer
}

function putInts({ engine, own }: Store, values: ArrayLike<number>): Buffer {
  const buffer = engine.allocate(values.length * 4)
  engine.viewInts(buffer.address, values.length).set(values)
  own.push(buffer)
  return buffer
}

interface Labels {
  readonly at: Buffer
  readonly cols: number
}

type Way = Pick<Resident, 'select' | 'all'>

/** What a descriptor points at, so that it lives as long as the descriptor: a program may be all that holds on to it. */
const behind = new WeakMap<Buffer, readonly Buffer[]>()

/** Features as they are: gathered into the program's batch, or read where they lie by way of a descriptor. */
function denseRows(store: Store, { X, n }: ResidentData, labels: Labels): Way {
  const { engine, precision, single } = store
  const kernels = engine[precision]
  const cols = n === 0 ? 0 : X.length / n
  const allX = put(store, X)
  const pair = Int32Array.of(0, allX.address)
  return {
    select(program, rows, table) {
      engine.writeInts(table.address, rows)
      kernels.gatherRows(program.buffer('y').address, labels.at.address, table.address, rows.length, labels.cols)
      if (single) {
        pair[0] = table.address
        engine.writeInts(program.buffer('X').address, pair)
        return
      }
      kernels.gatherRows(program.buffer('X').address, allX.address, table.address, rows.length, cols)
    },
    all: () => ({ X: allX, y: labels.at }),
  }
}

/** Features as compressed rows, which a program reads by way of a descriptor. */
function compressedRows(store: Store, data: ResidentData & { readonly nonzeros: number }, labels: Labels): Way {
  const { engine, precision } = store
  const kernels = engine[precision]
  const { starts, columns, values } = compress(data)
  const parts = [putInts(store, starts), putInts(store, columns), put(store, values)].map(({ address }) => address)
  const descriptor = Int32Array.of(0, ...parts)
  return {
    select(program, rows, table) {
      engine.writeInts(table.address, rows)
      kernels.gatherRows(program.buffer('y').address, labels.at.address, table.address, rows.length, labels.cols)
      descriptor[0] = table.address
      engine.writeInts(program.buffer('X').address, descriptor)
    },
    all: () => {
      const everyone = putInts(
        store,
        Array.from({ length: data.n }, (_, i) => i),
      )
      const all = putInts(store, [everyone.address, ...parts])
      behind.set(all, store.own)
      return { X: all, y: labels.at }
    },
  }
}

function countNonzeros(X: Float64Array): number {
  let count = 0
  for (let i = 0; i < X.length; i++) if (X[i] !== 0) count++
  return count
}

/** Compressed rows: the nonzeros of row i are starts[i] .. starts[i + 1], columns ascending. */
function compress({ X, n, nonzeros }: { X: Float64Array; n: number; nonzeros: number }) {
  const k = n === 0 ? 0 : X.length / n
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
