/** numpy's files: one array (.npy), or an archive of them (.npz). Objects, which would be pickles, are refused. */
import {
  type ArraysOfFile,
  bitsOfKind,
  bytesOfKind,
  type FloatKind,
  type NamedArray,
  numberAt,
  quoted,
  sizeOf,
  wrongFile,
} from './arrays.js'
import { type Inflate, zipEntries } from './zip-archive.js'

const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]
const kinds: Readonly<Record<string, FloatKind>> = { f8: 'f8', f4: 'f4', f2: 'f2' }

/** The array of a .npy file; a sentence where it holds no floats. */
export function npyArray(bytes: Uint8Array, where: string): NamedArray | string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 10 || magic.some((byte, i) => bytes[i] !== byte)) throw wrongFile(where, 'not a .npy file')
  const version = bytes[6]!
  if (version < 1 || version > 3) throw wrongFile(where, `version ${version} of .npy`, '1 to 3 can be read')
  if (version > 1 && bytes.length < 12) throw wrongFile(where, 'the header is cut short')
  const begin = version === 1 ? 10 : 12
  const length = version === 1 ? view.getUint16(8, true) : view.getUint32(8, true)
  if (length > 65_536 || begin + length > bytes.length) throw wrongFile(where, `a header of ${length} bytes`)
  const letters = Array.from(bytes.subarray(begin, begin + length), (byte) => String.fromCharCode(byte))
  const { descr, columnsFirst, shape } = headerOf(letters.join(''), where)
  const [, order, kind] = /^([<>|=]?)(\w+)$/.exec(descr) ?? []
  if (kind === undefined || kind.startsWith('O'))
    throw wrongFile(where, `an array of ${quoted(descr)}`, 'objects are never unpickled')
  const float = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
  if (float === undefined) return `${where} holds ${quoted(descr)} and no floats: skipped`
  const size = sizeOf(shape, where)
  const start = begin + length
  const needed = size * bytesOfKind(float)
  if (bytes.length - start !== needed)
    throw wrongFile(where, `${bytes.length - start} bytes of numbers`, `the shape needs ${needed}`)
  const values = new Float64Array(size)
  const step = bytesOfKind(float)
  for (let i = 0; i < size; i++) values[i] = numberAt(view, start + i * step, float, order !== '>')
  return { shape, values: columnsFirst ? rowsFirst(values, shape) : values, bits: bitsOfKind(float) }
}

/** The three keys of the header, which is a Python dictionary as Python prints it. */
function headerOf(text: string, where: string) {
  const descr = /'descr':\s*'([^']*)'/.exec(text)?.[1]
  const order = /'fortran_order':\s*(True|False)/.exec(text)?.[1]
  const shape = /'shape':\s*\(([\d\s,]*)\)/.exec(text)?.[1]
  if (descr === undefined || order === undefined || shape === undefined) {
    throw wrongFile(
      where,
      `the header ${quoted(text)}`,
      "'descr', 'fortran_order' and 'shape' are needed, and no structures",
    )
  }
  const sizes = shape.split(',').flatMap((part) => (part.trim() === '' ? [] : [Number(part)]))
  return { descr, columnsFirst: order === 'True', shape: sizes }
}

/** Values whose first index runs fastest, with the last one fastest. */
function rowsFirst(values: Float64Array, shape: readonly number[]): Float64Array {
  const out = new Float64Array(values.length)
  const index = new Array<number>(shape.length).fill(0)
  for (const value of values) {
    let at = 0
    for (let k = 0; k < shape.length; k++) at = at * shape[k]! + index[k]!
    out[at] = value
    for (let k = 0; k < shape.length && ++index[k]! === shape[k]; k++) index[k] = 0
  }
  return out
}

/** All arrays of a .npz file, in its order; `arr_0` and the like come by number already. */
export function npzArrays(bytes: Uint8Array, inflate: Inflate, where: string): ArraysOfFile {
  const arrays = new Map<string, NamedArray>()
  const warnings: string[] = []
  for (const entry of zipEntries(bytes, inflate, where)) {
    const name = entry.name.replace(/\.npy$/, '')
    const found = npyArray(entry.read(), `${where}: ${quoted(entry.name)}`)
    if (typeof found === 'string') warnings.push(found)
    else if (arrays.has(name)) throw wrongFile(where, `two arrays are called ${quoted(name)}`)
    else arrays.set(name, found)
  }
  return { arrays, warnings }
}
