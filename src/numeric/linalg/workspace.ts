/** The memory that dense factorisations work in: one instance of the kernels, a bump allocator, emptied by each call. */
import { OverhearError } from '../../errors.js'
import { instantiate, type KernelInstance } from '../engine/kernels.js'
import type { DenseKernels } from './dense-kernels.js'
import { requireFinite } from './linalg-input.js'
import type { Matrix } from './matrix.js'

const page = 65536
const keep = 1 << 28 // a memory that grew beyond this is given back before the next call
const most = 0x7fff0000 // addresses are computed in signed 32-bit integers

let instance: KernelInstance | undefined
let top = 0

/** Empties the workspace; addresses handed out before are no longer valid. */
export function openWorkspace(): DenseKernels {
  if (instance === undefined || instance.memory.buffer.byteLength > keep) instance = instantiate()
  top = (instance.heapBase + 15) & ~15
  return instance.dense
}

/** The address of room for so many bytes (not cleared), aligned to 16. */
export function roomBytes(bytes: number): number {
  const { memory } = instance!
  const at = top
  top = at + Math.ceil(bytes / 16) * 16
  const missing = top - memory.buffer.byteLength
  if (top > most || (missing > 0 && !grow(memory, Math.ceil(missing / page)))) {
    throw new OverhearError(
      'E_SHAPE',
      `a dense factorisation needs ${Math.ceil(top / 1048576)} MiB of working memory`,
      'at most 2047 MiB can be had; use fewer rows or columns',
    )
  }
  return at
}

function grow(memory: WebAssembly.Memory, pages: number): boolean {
  try {
    memory.grow(pages)
    return true
  } catch {
    return false
  }
}

/** The address of room for so many doubles. */
export function room(doubles: number): number {
  return roomBytes(8 * doubles)
}

/** Doubles that a column of n takes. */
export function padded(n: number): number {
  return (n + 3) & ~3
}

/** Copies values in. */
export function put(values: Float64Array): number {
  const at = room(values.length)
  new Float64Array(instance!.memory.buffer, at, values.length).set(values)
  return at
}

/** Copies a matrix in, refusing NaN and infinity; `size` is its largest magnitude. */
export function putMatrix(A: Matrix, name = 'A'): { at: number; size: number } {
  const at = put(A.data)
  const size = instance!.dense.maxAbs(at, A.data.length)
  if (!(size < Number.POSITIVE_INFINITY)) requireFinite(A, name)
  return { at, size }
}

/** Copies values out. */
export function take(at: number, length: number): Float64Array {
  return new Float64Array(instance!.memory.buffer, at, length).slice()
}

export function takeInts(at: number, length: number): Int32Array {
  return new Int32Array(instance!.memory.buffer, at, length).slice()
}
