/** PyTorch's files: tensors of a state dict or a list, from the zip format or the one before it; nothing is run. */
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
import { type Pickled, type StorageRef, type TensorRef, unpickle } from './unpickle.js'
import { type Inflate, isZip, zipEntries } from './zip-archive.js'

const floats: Readonly<Record<string, FloatKind>> = {
  DoubleStorage: 'f8',
  FloatStorage: 'f4',
  HalfStorage: 'f2',
  BFloat16Storage: 'bf2',
}
/** Bytes of numbers that are no floats. */
const others: Readonly<Record<string, number>> = {
  LongStorage: 8,
  IntStorage: 4,
  ShortStorage: 2,
  CharStorage: 1,
  ByteStorage: 1,
  BoolStorage: 1,
}
const legacyMagic = 0x1950a86a20f9469cfc6cn

type Storages = (ref: StorageRef) => Uint8Array

export function torchArrays(bytes: Uint8Array, inflate: Inflate, where: string): ArraysOfFile {
  const { value, storages } = isZip(bytes) ? fromZip(bytes, inflate, where) : fromLegacy(bytes, where)
  const arrays = new Map<string, NamedArray>()
  const warnings: string[] = []
  for (const [name, tensor] of tensorsIn(value, where)) {
    const kind = Object.hasOwn(floats, tensor.of.storage) ? floats[tensor.of.storage] : undefined
    if (kind === undefined) warnings.push(`${where}: ${quoted(name)} of ${tensor.of.storage} holds no floats: skipped`)
    else arrays.set(name, arrayOf(tensor, storages(tensor.of), kind, `${where}: ${quoted(name)}`))
  }
  return { arrays, warnings }
}

interface Opened {
  readonly value: Pickled
  readonly storages: Storages
}

function fromZip(bytes: Uint8Array, inflate: Inflate, where: string): Opened {
  const entries = new Map(zipEntries(bytes, inflate, where).map((entry) => [entry.name, entry]))
  const main = [...entries.keys()].find((name) => name === 'data.pkl' || name.endsWith('/data.pkl'))
  if (main === undefined) throw wrongFile(where, 'the archive has no data.pkl', 'torch.save writes one')
  const folder = main.slice(0, -'data.pkl'.length)
  const order = entries.get(`${folder}byteorder`)
  if (order !== undefined && new TextDecoder().decode(order.read()) !== 'little') {
    throw wrongFile(where, 'numbers with the greatest byte first', 'save it on a machine with the least byte first')
  }
  const { value } = unpickle(entries.get(main)!.read(), 0, where)
  return {
    value,
    storages({ key }) {
      const entry = entries.get(`${folder}data/${key}`)
      if (entry === undefined) throw wrongFile(where, `storage ${quoted(key)} is not in the archive`)
      return entry.read()
    },
  }
}

/** Before version 1.6: a number, a version, the system, the value, the keys of storages; then each one's count and bytes. */
function fromLegacy(bytes: Uint8Array, where: string): Opened {
  const first = unpickle(bytes, 0, where)
  if (first.value !== legacyMagic) {
    throw wrongFile(where, 'not a file of torch.save', 'a pickle of something else is not read')
  }
  const version = unpickle(bytes, first.end, where)
  const system = unpickle(bytes, version.end, where)
  const main = unpickle(bytes, system.end, where)
  const keys = unpickle(bytes, main.end, where)
  const used = new Map(allTensors(main.value).map(({ of }) => [of.key, of]))
  const found = new Map<string, Uint8Array>()
  let at = keys.end
  for (const key of Array.isArray(keys.value) ? keys.value : []) {
    const ref = used.get(String(key))
    if (ref === undefined) throw wrongFile(where, `storage ${quoted(String(key))} belongs to no tensor`)
    const size = Object.hasOwn(floats, ref.storage) ? bytesOfKind(floats[ref.storage]!) : others[ref.storage]
    if (size === undefined) throw wrongFile(where, `a storage of kind ${quoted(ref.storage)}`)
    const end = at + 8 + ref.count * size
    if (end > bytes.length) throw wrongFile(where, `storage ${quoted(ref.key)} ends beyond the file`)
    found.set(ref.key, bytes.subarray(at + 8, end))
    at = end
  }
  return {
    value: main.value,
    storages({ key }) {
      const part = found.get(key)
      if (part === undefined) throw wrongFile(where, `storage ${quoted(key)} is not in the file`)
      return part
    },
  }
}

const isTensor = (value: Pickled): value is TensorRef =>
  typeof value === 'object' && value !== null && 'stride' in value

/** The tensors of a state dict, of one inside a checkpoint (the one with the most of them), or of a list. */
function tensorsIn(value: Pickled, where: string): [string, TensorRef][] {
  const best = mostTensors(value, new Set(), 0)
  if (best.length === 0) throw wrongFile(where, 'there are no tensors', 'save model.state_dict(), or a list of tensors')
  return best
}

function mostTensors(value: Pickled, seen: Set<Pickled>, depth: number): [string, TensorRef][] {
  if (isTensor(value)) return [['0', value]]
  if (typeof value !== 'object' || value === null || seen.has(value) || depth > 8) return []
  seen.add(value)
  if (!Array.isArray(value) && !(value instanceof Map)) return []
  const items: [string, Pickled][] = Array.isArray(value)
    ? value.map((one, i) => [String(i), one])
    : [...value].map(([key, one]) => [String(key), one])
  const own = items.filter((item): item is [string, TensorRef] => isTensor(item[1]))
  return items
    .filter(([, one]) => !isTensor(one))
    .map(([, one]) => mostTensors(one, seen, depth + 1))
    .reduce((most, one) => (one.length > most.length ? one : most), own)
}

/** Every tensor, also those of optimizers: their storages lie between the others. */
function allTensors(value: Pickled, seen = new Set<Pickled>()): TensorRef[] {
  if (isTensor(value)) return [value]
  if (typeof value !== 'object' || value === null || seen.has(value)) return []
  seen.add(value)
  const inside = Array.isArray(value) ? value : value instanceof Map ? [...value.values()] : []
  return inside.flatMap((one) => allTensors(one, seen))
}

/** A tensor's numbers in the order of its shape, whatever its strides are. */
function arrayOf({ offset, shape, stride }: TensorRef, bytes: Uint8Array, kind: FloatKind, where: string): NamedArray {
  const size = sizeOf(shape, where)
  const step = bytesOfKind(kind)
  const last = shape.reduce((sum, one, k) => sum + (one - 1) * stride[k]!, offset)
  if (size > 0 && !((last + 1) * step <= bytes.length)) {
    throw wrongFile(where, `its last number lies at ${last}`, `the storage has ${Math.floor(bytes.length / step)}`)
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const values = new Float64Array(size)
  const index = new Array<number>(shape.length).fill(0)
  for (let i = 0, at = offset; i < size; i++) {
    values[i] = numberAt(view, at * step, kind, true)
    for (let k = shape.length - 1; k >= 0; k--) {
      at += stride[k]!
      if (++index[k]! < shape[k]!) break
      at -= shape[k]! * stride[k]!
      index[k] = 0
    }
  }
  return { shape, values, bits: bitsOfKind(kind) }
}
