/** The safetensors container: header checked whole before a byte is read as a number; floats decoded to doubles. */
import { harmless, OverhearError } from '../errors.js'
import { parseJson } from './json.js'
import { type ByteSource, utf8 } from './store.js'

const headerLimit = 100_000_000
/** Bytes per value; those we decode, then those we only measure. Other types have no known size. */
const floatSizes: Readonly<Record<string, number>> = { F64: 8, F32: 4, F16: 2, BF16: 2 }
const otherSizes: Readonly<Record<string, number>> = {
  BOOL: 1,
  U8: 1,
  I8: 1,
  F8_E5M2: 1,
  F8_E4M3: 1,
  U16: 2,
  I16: 2,
  U32: 4,
  I32: 4,
  U64: 8,
  I64: 8,
  C64: 8,
}

export type FloatType = 'F64' | 'F32' | 'F16' | 'BF16'

export interface TensorInfo {
  readonly name: string
  readonly dtype: FloatType
  readonly shape: readonly number[]
  /** Number of values. */
  readonly size: number
  /** Its bytes, counted from the start of the file. */
  readonly begin: number
  readonly end: number
}

export interface SafetensorsHeader {
  readonly tensors: ReadonlyMap<string, TensorInfo>
  readonly metadata: Readonly<Record<string, string>>
  /** Tensors left out because they hold no floats, as sentences. */
  readonly warnings: readonly string[]
}

interface Entry extends Omit<TensorInfo, 'dtype'> {
  readonly dtype: string
}

const fail = (where: string, found: string, hint?: string): OverhearError =>
  new OverhearError('E_INPUT', `${where}: ${found}`, hint)

function headerLength(bytes: Uint8Array, fileSize: number, where: string): number {
  if (fileSize < 10 || bytes.length < 8) throw fail(where, `the file has ${fileSize} bytes`, 'at least 10 are needed')
  const n = Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true))
  const room = Math.min(headerLimit, fileSize - 8)
  if (n < 2 || n > room) throw fail(where, `the header's length is ${n}`, `2 to ${room} bytes are possible here`)
  return n
}

/** The header of a file of `fileSize` bytes; `bytes` are its first ones, at least up to the header's end. */
export function parseHeader(bytes: Uint8Array, fileSize: number, where = 'safetensors'): SafetensorsHeader {
  const n = headerLength(bytes, fileSize, where)
  if (bytes.length < 8 + n) throw fail(where, `${bytes.length} bytes were given`, `the header ends at ${8 + n}`)
  if (bytes[8] !== 0x7b) throw fail(where, `the header begins with byte ${bytes[8]}`, 'it must begin with "{"')
  const json = parseJson(utf8(bytes.subarray(8, 8 + n), where), `${where}: the header`)
  const metadata: Record<string, string> = Object.create(null)
  const entries: Entry[] = []
  for (const [name, value] of Object.entries(json as object)) {
    if (name === '__metadata__') Object.assign(metadata, metadataOf(value, where))
    else entries.push(entryOf(name, value, { dataStart: 8 + n, where }))
  }
  checkCover(entries, { begin: 8 + n, end: fileSize, where })
  const tensors = new Map<string, TensorInfo>()
  const warnings: string[] = []
  for (const entry of entries) {
    if (isFloat(entry)) tensors.set(entry.name, entry)
    else if (warnings.length < 20) {
      warnings.push(`${where}: tensor ${quote(entry.name)} of type ${quote(entry.dtype)} holds no floats: skipped`)
    }
  }
  return { tensors, metadata, warnings }
}

const quote = (text: string): string => harmless(JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}...` : text))

const isFloat = (entry: Entry): entry is Entry & TensorInfo => Object.hasOwn(floatSizes, entry.dtype)

function metadataOf(value: unknown, where: string): Record<string, string> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject || Object.values(value).some((v) => typeof v !== 'string')) {
    throw fail(where, 'the header\'s "__metadata__" holds something other than strings', 'strings alone are allowed')
  }
  return value as Record<string, string>
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

function entryOf(name: string, value: unknown, at: { dataStart: number; where: string }): Entry {
  const where = `${at.where}: tensor ${quote(name)}`
  if (typeof value !== 'object' || value === null) throw fail(where, 'its entry is no object')
  const { dtype, shape, data_offsets: offsets } = value as Record<string, unknown>
  if (typeof dtype !== 'string') throw fail(where, 'it has no "dtype"', 'a string such as "F32" is needed')
  if (!Array.isArray(shape) || !shape.every(isCount)) {
    throw fail(where, 'its "shape" is no list of whole numbers from 0')
  }
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount) || offsets[0]! > offsets[1]!) {
    throw fail(where, 'its "data_offsets" are no pair of rising whole numbers from 0')
  }
  const size = shape.reduce((product: number, s: number) => product * s, 1)
  const [begin, end] = offsets as [number, number]
  const width = Object.hasOwn(floatSizes, dtype)
    ? floatSizes[dtype]
    : Object.hasOwn(otherSizes, dtype)
      ? otherSizes[dtype]
      : undefined
  if (width !== undefined && size * width !== end - begin) {
    const found = `its ${end - begin} bytes do not hold ${quote(dtype)} of shape [${shape.slice(0, 16).join(', ')}]`
    throw new OverhearError('E_SHAPE', `${where}: ${found}`, `${size * width} bytes are needed`)
  }
  return { name, dtype, shape, size, begin: at.dataStart + begin, end: at.dataStart + end }
}

/** The data must be covered from its first byte to the file's last, without holes or overlaps. */
function checkCover(entries: readonly Entry[], at: { begin: number; end: number; where: string }): void {
  let reached = at.begin
  for (const { name, begin, end } of [...entries].sort((a, b) => a.begin - b.begin || a.end - b.end)) {
    if (begin !== reached) {
      const what = begin > reached ? `${begin - reached} bytes before it belong to nobody` : 'it overlaps another'
      throw fail(at.where, `tensor ${quote(name)}: ${what}`, 'tensors must follow each other without holes or overlaps')
    }
    reached = end
  }
  if (reached !== at.end) {
    throw fail(at.where, `the tensors end at byte ${reached}, the file at ${at.end}`, 'both must be the same')
  }
}

/** Reads and checks the header of a file. */
export async function readHeader(source: ByteSource, where: string): Promise<SafetensorsHeader> {
  const head = await source.read(0, Math.min(8, source.size))
  const n = headerLength(head, source.size, where)
  return parseHeader(await source.read(0, 8 + n), source.size, where)
}

/** Reads one tensor of a file whose header was read. */
export async function readTensor(source: ByteSource, info: TensorInfo): Promise<Float64Array> {
  return decodeTensor(await source.read(info.begin, info.end - info.begin), info)
}

/** The values of a tensor from its own bytes, wherever they lie in memory. */
export function decodeTensor(bytes: Uint8Array, info: Pick<TensorInfo, 'name' | 'dtype' | 'size'>): Float64Array {
  const { dtype, size } = info
  const width = floatSizes[dtype]!
  if (bytes.length !== size * width) {
    const found = `tensor ${quote(info.name)}: ${bytes.length} bytes were given for ${size} values of ${dtype}`
    throw new OverhearError('E_SHAPE', found, `${size * width} are needed`)
  }
  // Typed arrays have the byte order of the machine: little-endian wherever the kernels run. They want alignment: copy.
  const { buffer } = dtype === 'F64' || bytes.byteOffset % width !== 0 ? new Uint8Array(bytes) : bytes
  const start = buffer === bytes.buffer ? bytes.byteOffset : 0
  if (dtype === 'F64') return new Float64Array(buffer, start, size)
  if (dtype === 'F32') return new Float64Array(new Float32Array(buffer, start, size))
  const words = new Uint16Array(buffer, start, size)
  const values = new Float64Array(size)
  if (dtype === 'F16') {
    for (let i = 0; i < size; i++) values[i] = fromHalf(words[i]!)
  } else {
    // The upper half of a float.
    const bits = new Uint32Array(1)
    const float = new Float32Array(bits.buffer)
    for (let i = 0; i < size; i++) {
      bits[0] = words[i]! << 16
      values[i] = float[0]!
    }
  }
  return values
}

/** IEEE half precision: 1 sign bit, 5 of exponent (bias 15), 10 of fraction. */
function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN
  // Below the smallest normal number the leading 1 is absent and the step is 2^-24.
  if (exponent === 0) return (sign * fraction) / 16777216
  const mantissa = sign * (1024 + fraction)
  return exponent >= 25 ? mantissa * (1 << (exponent - 25)) : mantissa / (1 << (25 - exponent))
}

export interface TensorToWrite {
  readonly name: string
  readonly shape: readonly number[]
  readonly data: Float64Array | Float32Array
}

/** A whole file: doubles as F64, floats as F32, the header padded with spaces so that the data is aligned. */
export function encode(tensors: readonly TensorToWrite[], metadata?: Readonly<Record<string, string>>): Uint8Array {
  // A plain object would lose a tensor named "__proto__".
  const header: string[] = []
  if (metadata !== undefined) header.push(`"__metadata__":${JSON.stringify(metadata)}`)
  const names = new Set(['__metadata__'])
  // Doubles first, so that every tensor is aligned.
  const ordered = [...tensors].sort((a, b) => b.data.BYTES_PER_ELEMENT - a.data.BYTES_PER_ELEMENT)
  let offset = 0
  for (const { name, shape, data } of ordered) {
    if (names.has(name)) throw fail('encode', `the name ${quote(name)} is taken`, 'names must differ')
    names.add(name)
    if (shape.reduce((product, s) => product * s, 1) !== data.length) {
      const found = `tensor ${quote(name)}: ${data.length} values do not fill [${shape.join(', ')}]`
      throw new OverhearError('E_SHAPE', found)
    }
    const end = offset + data.byteLength
    const dtype = data instanceof Float64Array ? 'F64' : 'F32'
    header.push(`${JSON.stringify(name)}:${JSON.stringify({ dtype, shape, data_offsets: [offset, end] })}`)
    offset = end
  }
  const text = new TextEncoder().encode(`{${header.join(',')}}`)
  const n = 8 * Math.ceil(text.length / 8)
  if (n > headerLimit) throw fail('encode', `the header would take ${n} bytes`, `${headerLimit} are allowed`)
  const bytes = new Uint8Array(8 + n + offset)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(n), true)
  bytes.fill(0x20, 8, 8 + n)
  bytes.set(text, 8)
  let at = 8 + n
  for (const { data } of ordered) {
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at)
    at += data.byteLength
  }
  return bytes
}
