/** The idx format of MNIST: a big-endian header, then bytes. */
import { OverhearError } from '../errors.js'

export interface Idx {
  readonly shape: readonly number[]
  readonly bytes: Uint8Array
}

/** Reads unsigned bytes of any number of dimensions; `name` is for messages. */
export function readIdx(file: Uint8Array, name: string): Idx {
  const wrong = (found: string, needed: string): OverhearError =>
    new OverhearError('E_INPUT', `${name}: ${found}`, needed)
  if (file.length < 4 || file[0] !== 0 || file[1] !== 0) throw wrong('not an idx file', 'it begins with two zero bytes')
  if (file[2] !== 8) throw wrong(`idx type ${file[2]}`, 'type 8, unsigned bytes, is needed')
  const dimensions = file[3]!
  const header = 4 + 4 * dimensions
  if (dimensions < 1 || file.length < header) throw wrong(`${file.length} bytes`, 'its header is cut off')
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const shape = Array.from({ length: dimensions }, (_, i) => view.getUint32(4 + 4 * i))
  const size = shape.reduce((n, s) => n * s, 1)
  if (file.length - header !== size) {
    throw wrong(`${file.length - header} bytes of data`, `${shape.join(' x ')} needs ${size}`)
  }
  return { shape, bytes: file.subarray(header) }
}
