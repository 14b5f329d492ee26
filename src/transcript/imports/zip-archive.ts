/** A zip archive as numpy and PyTorch write them: entries listed by its directory, stored or deflated, every offset checked. */
import { utf8 } from '../store.js'
import { quoted, wrongFile } from './arrays.js'

/** Inflates raw deflate data to at most so many bytes, or throws. */
export type Inflate = (bytes: Uint8Array, most: number) => Uint8Array

export interface ZipEntry {
  readonly name: string
  readonly size: number
  read(): Uint8Array
}

const endSignature = 0x06054b50
const end64Signature = 0x06064b50
const locator64Signature = 0x07064b50
const centralSignature = 0x02014b50
const localSignature = 0x04034b50
const mostEntries = 100_000
const mostBytes = 1_073_741_824

export const isZip = (bytes: Uint8Array): boolean => bytes.length > 3 && bytes[0] === 0x50 && bytes[1] === 0x4b

export function zipEntries(bytes: Uint8Array, inflate: Inflate, where: string): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { count, begin } = directoryOf(view, where)
  if (count > mostEntries) throw wrongFile(where, `${count} entries`, `at most ${mostEntries} are read`)
  const entries: ZipEntry[] = []
  let total = 0
  for (let i = 0, at = begin; i < count; i++) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== centralSignature) {
      throw wrongFile(where, `entry ${i} of the archive's directory is damaged`)
    }
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((k) => view.getUint16(at + k, true))
    const nameEnd = at + 46 + nameLength!
    if (nameEnd + extraLength! > bytes.length)
      throw wrongFile(where, `entry ${i} of the directory ends beyond the file`)
    const name = utf8(bytes.subarray(at + 46, nameEnd), where)
    const extra = new DataView(bytes.buffer, bytes.byteOffset + nameEnd, extraLength!)
    const sizes = sizesOf(view, at, extra)
    total += sizes.size
    if (total > mostBytes) throw wrongFile(where, `more than ${mostBytes} bytes when unpacked`)
    const method = view.getUint16(at + 10, true)
    const encrypted = (view.getUint16(at + 8, true) & 1) === 1
    entries.push({
      name,
      size: sizes.size,
      read: () => contentOf({ bytes, view, inflate, where, name, method, encrypted, ...sizes }),
    })
    at = nameEnd + extraLength! + commentLength!
  }
  return entries
}

function directoryOf(view: DataView, where: string): { readonly count: number; readonly begin: number } {
  const last = view.byteLength - 22
  for (let at = last; at >= 0 && at >= last - 65_535; at--) {
    if (view.getUint32(at, true) !== endSignature) continue
    const count = view.getUint16(at + 10, true)
    const begin = view.getUint32(at + 16, true)
    const wide = at - 20
    if (wide >= 0 && view.getUint32(wide, true) === locator64Signature) {
      const place = Number(view.getBigUint64(wide + 8, true))
      if (place + 56 <= view.byteLength && view.getUint32(place, true) === end64Signature) {
        return {
          count: Number(view.getBigUint64(place + 32, true)),
          begin: Number(view.getBigUint64(place + 48, true)),
        }
      }
    }
    return { count, begin }
  }
  throw wrongFile(where, 'the archive has no directory: it is cut short, or no zip file')
}

interface Sizes {
  readonly packed: number
  readonly size: number
  readonly offset: number
}

/** Sizes that do not fit into 32 bits stand in an extra field. */
function sizesOf(view: DataView, at: number, extra: DataView): Sizes {
  let [packed, size, offset] = [20, 24, 42].map((k) => view.getUint32(at + k, true)) as [number, number, number]
  for (let k = 0; k + 4 <= extra.byteLength; ) {
    const [id, length] = [extra.getUint16(k, true), extra.getUint16(k + 2, true)]
    if (id === 1) {
      let p = k + 4
      const next = (): number => {
        p += 8
        return p <= Math.min(extra.byteLength, k + 4 + length) ? Number(extra.getBigUint64(p - 8, true)) : Number.NaN
      }
      if (size === 0xffffffff) size = next()
      if (packed === 0xffffffff) packed = next()
      if (offset === 0xffffffff) offset = next()
    }
    k += 4 + length
  }
  return { packed, size, offset }
}

interface Packed extends Sizes {
  readonly bytes: Uint8Array
  readonly view: DataView
  readonly inflate: Inflate
  readonly where: string
  readonly name: string
  readonly method: number
  readonly encrypted: boolean
}

function contentOf({ bytes, view, inflate, where, name, method, encrypted, packed, size, offset }: Packed): Uint8Array {
  const here = `${where}: ${quoted(name)}`
  if (encrypted) throw wrongFile(here, 'the entry is encrypted')
  const fits = Number.isSafeInteger(offset) && offset + 30 <= bytes.length
  if (!fits || view.getUint32(offset, true) !== localSignature) throw wrongFile(here, 'the entry is damaged')
  const begin = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true)
  if (!(begin + packed <= bytes.length)) throw wrongFile(here, 'the entry ends beyond the file')
  const content = bytes.subarray(begin, begin + packed)
  if (method === 0) {
    if (packed !== size) throw wrongFile(here, `${packed} bytes are stored where ${size} are announced`)
    return content
  }
  if (method !== 8) throw wrongFile(here, `packing method ${method}`, 'stored and deflated entries can be read')
  let unpacked: Uint8Array
  try {
    unpacked = inflate(content, size)
  } catch {
    throw wrongFile(here, 'the entry cannot be unpacked: it is damaged, or larger than announced')
  }
  if (unpacked.length !== size)
    throw wrongFile(here, `${unpacked.length} bytes when unpacked where ${size} are announced`)
  return unpacked
}
