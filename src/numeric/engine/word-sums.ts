/** Sums of whole numbers modulo 2^32, by kernels (wasm/words.ts). */
import { instantiate, type KernelInstance } from './kernels.js'

export interface WordTerm {
  readonly values: Uint32Array
  readonly sign: 1 | -1
}

/** Words at a time: two such blocks lie in the processor's nearest memory but one. */
const block = 16384

let instance: KernelInstance | undefined

/** to += the sum of sign * values, modulo 2^32; all are of one length. Nothing of it stays in kernel memory. */
export function addWordsInto(to: Uint32Array, terms: readonly WordTerm[]): void {
  instance ??= instantiate()
  const { memory, heapBase, words } = instance
  const sum = (heapBase + 15) & ~15
  const one = sum + 4 * block
  const missing = one + 4 * block - memory.buffer.byteLength
  if (missing > 0) memory.grow(Math.ceil(missing / 65536))
  const most = Math.min(block, to.length)
  const [sums, own] = [new Uint32Array(memory.buffer, sum, most), new Uint32Array(memory.buffer, one, most)]
  for (let from = 0; from < to.length; from += block) {
    const end = Math.min(from + block, to.length)
    sums.set(to.subarray(from, end))
    for (const { values, sign } of terms) {
      own.set(values.subarray(from, end))
      if (sign === 1) words.add(sum, one, end - from)
      else words.subtract(sum, one, end - from)
    }
    to.set(sums.subarray(0, end - from), from)
  }
  sums.fill(0)
  own.fill(0)
}
