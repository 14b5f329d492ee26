/** Arrays of other people's files: named, shaped, decoded to doubles; whatever is no float is told and left out. */
import { harmless, OverhearError } from '../../errors.js'

export interface NamedArray {
  readonly shape: readonly number[]
  readonly values: Float64Array
  /** Bits of a number as the file has it. */
  readonly bits: 16 | 32 | 64
}

export interface ArraysOfFile {
  readonly arrays: ReadonlyMap<string, NamedArray>
  /** What was left out, as sentences. */
  readonly warnings: readonly string[]
}

/** The most numbers that one file may hold: about 1 GiB of doubles. */
const mostNumbers = 134_217_728

export const wrongFile = (where: string, found: string, hint?: string): OverhearError =>
  new OverhearError('E_INPUT', `${where}: ${found}`, hint)

export const quoted = (name: string): string => harmless(JSON.stringify(name.slice(0, 80)))

/** How many numbers a shape has; sizes that no file could have are refused before anything is allocated. */
export function sizeOf(shape: readonly number[], where: string): number {
  let size = 1
  for (const one of shape) {
    if (!Number.isSafeInteger(one) || one < 0) throw wrongFile(where, `a size of ${one}`, 'sizes are whole numbers')
    size *= one
    if (size > mostNumbers) throw wrongFile(where, `more than ${mostNumbers} numbers in one array`)
  }
  return size
}

const sizes = { f8: 8, f4: 4, f2: 2, bf2: 2 } as const
export type FloatKind = keyof typeof sizes

export const bytesOfKind = (kind: FloatKind): number => sizes[kind]

export const bitsOfKind = (kind: FloatKind): 16 | 32 | 64 => (sizes[kind] * 8) as 16 | 32 | 64

/** The number at a byte. */
export function numberAt(view: DataView, at: number, kind: FloatKind, little: boolean): number {
  switch (kind) {
    case 'f8':
      return view.getFloat64(at, little)
    case 'f4':
      return view.getFloat32(at, little)
    case 'bf2':
      return fromBits(view.getUint16(at, little) << 16)
    case 'f2':
      return half(view.getUint16(at, little))
  }
}

const scratch = new DataView(new ArrayBuffer(4))
function fromBits(bits: number): number {
  scratch.setInt32(0, bits)
  return scratch.getFloat32(0)
}

/** An IEEE half (sign, five bits of exponent, ten of fraction) by way of the single with the same value. */
function half(bits: number): number {
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  const sign = bits & 0x8000
  if (exponent === 0) return (sign ? -1 : 1) * fraction * 5.9604644775390625e-8 // 2^-24
  return fromBits((sign << 16) | ((exponent === 31 ? 255 : exponent + 112) << 23) | (fraction << 13))
}
