/** One kernel instance with its memory, and the buffers that live in it. The arena starts above the kernels' tables. */
import { OverhearError } from '../../errors.js'
import type { DenseKernels } from '../linalg/dense-kernels.js'
import type { ColumnKernels } from './column-kernels.js'
import { createFreeList } from './free-list.js'
import { instantiate, type Kernels, type Precision } from './kernels.js'
import type { RowKernels } from './row-kernels.js'
import type { DrawKernels, GibbsKernels } from './sampler-kernels.js'

const PAGE = 65536
const ALIGN = 64 // a cache line

/** A piece of kernel memory. It is given back when nobody holds the buffer any more. */
export interface Buffer {
  readonly address: number
  readonly bytes: number
}

export interface Engine {
  readonly f32: Kernels
  readonly f64: Kernels
  readonly rows: RowKernels
  readonly columns: ColumnKernels
  readonly dense: DenseKernels
  readonly gibbs: GibbsKernels
  readonly draws: DrawKernels
  allocate(bytes: number): Buffer
  /** Gives a buffer back at once, without waiting until nobody holds it; nobody may use it any more. */
  release(buffer: Buffer): void
  /** A view that is valid until the next `allocate`. */
  view(precision: Precision, address: number, length: number): Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>
  viewInts(address: number, length: number): Int32Array<ArrayBuffer>
  /** Small writes without a view of their own, for what happens at every step. */
  writeInts(address: number, values: Int32Array): void
  writeOne(precision: Precision, address: number, value: number): void
  copy(to: number, from: number, bytes: number): void
  /** Bytes handed out and not yet given back. */
  inUse(): number
}

export const bytesPer = (precision: Precision): number => (precision === 'f32' ? 4 : 8)

export function createEngine(): Engine {
  const { memory, heapBase, f32, f64, rows, columns, dense, gibbs, draws, copy } = instantiate()
  const free = createFreeList(Math.ceil(heapBase / ALIGN) * ALIGN, (end) => {
    const missing = end - memory.buffer.byteLength
    if (missing <= 0) return
    // Growing by half as much again keeps the number of growths small.
    const wanted = Math.max(missing, Math.min(memory.buffer.byteLength / 2, 64 * 1024 * 1024))
    try {
      memory.grow(Math.ceil(wanted / PAGE))
    } catch {
      throw new OverhearError(
        'E_VALUE',
        `kernel memory cannot grow by ${wanted} bytes`,
        'use smaller batches or models',
      )
    }
  })
  const returned = new FinalizationRegistry<{ address: number; bytes: number }>(free.release)
  let whole = viewsOf(memory.buffer)
  return {
    f32,
    f64,
    rows,
    columns,
    dense,
    gibbs,
    draws,
    copy,
    allocate(wanted) {
      const bytes = Math.max(ALIGN, Math.ceil(wanted / ALIGN) * ALIGN)
      const buffer: Buffer = { address: free.take(bytes), bytes }
      returned.register(buffer, { address: buffer.address, bytes }, buffer)
      return buffer
    },
    release(buffer) {
      // A second release, or one of a buffer that is not ours, finds nothing to take back.
      if (returned.unregister(buffer)) free.release(buffer)
    },
    view: (precision, address, length) =>
      precision === 'f32'
        ? new Float32Array(memory.buffer, address, length)
        : new Float64Array(memory.buffer, address, length),
    viewInts: (address, length) => new Int32Array(memory.buffer, address, length),
    writeInts(address, values) {
      if (whole.ints.buffer !== memory.buffer) whole = viewsOf(memory.buffer)
      whole.ints.set(values, address >>> 2)
    },
    writeOne(precision, address, value) {
      if (whole.ints.buffer !== memory.buffer) whole = viewsOf(memory.buffer)
      if (precision === 'f32') whole.f32[address >>> 2] = value
      else whole.f64[address >>> 3] = value
    },
    inUse: free.inUse,
  }
}

/** The whole memory, until it grows. */
function viewsOf(buffer: ArrayBuffer) {
  return { ints: new Int32Array(buffer), f32: new Float32Array(buffer), f64: new Float64Array(buffer) }
}

let shared: Engine | undefined

/** The engine of this thread. */
export function engine(): Engine {
  shared ??= createEngine()
  return shared
}
