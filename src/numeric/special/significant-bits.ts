/** How many significant bits numbers carry, read from the numbers: not from what they are stored in. */
import { largestMagnitude, rangeOf } from './summaries.js'

/** Formats in which numbers are computed and sent, the coarsest first: bfloat16, half and single precision. */
const formats = [8, 11, 24] as const

/** What a few operations in double precision do to numbers of a coarser format, relative to the largest of them. */
const tail = 8 * Number.EPSILON

/**
 * The width of a format that all of the values have, but for the last places of a double; else their widest significand.
 * Fewer than 8 bits, which no format of messages has, are round numbers made by hand and say nothing: 53.
 */
export function significantBits(all: readonly Float64Array[]): number {
  const widest = widestSignificand(all)
  if (widest < 8) return 53
  if (widest <= 24) return widest
  return formats.find((bits) => all.every((values) => allNear(values, bits))) ?? widest
}

function allNear(values: Float64Array, bits: number): boolean {
  const least = tail * largestMagnitude(values)
  return values.every((x) => Math.abs(roundedTo(x, bits) - x) <= least)
}

/** The nearest number of so many significant bits, by Veltkamp's splitting. */
export function roundedTo(x: number, bits: number): number {
  const c = (twoTo(53 - bits) + 1) * x
  const rounded = c - (c - x)
  return Number.isFinite(rounded) ? rounded : x
}

/** 2^-bits: the largest relative error of rounding to so many bits. */
export const unitOfBits = (bits: number): number => 1 / twoTo(bits)

function twoTo(power: number): number {
  let product = 1
  for (let b = 0; b < power; b++) product *= 2
  return product
}

function widestSignificand(all: readonly Float64Array[]): number {
  let most = 0
  for (const values of all) {
    const words = new Uint32Array(values.slice().buffer)
    for (let i = 0; i < values.length; i++) {
      if (values[i] === 0) continue
      const [low, high] = [words[2 * i]!, words[2 * i + 1]!] // little-endian wherever the kernels run
      const width = low === 0 ? 21 - trailingZeros(high | 0x100000) : 53 - trailingZeros(low)
      most = Math.max(most, width)
    }
  }
  return most
}

const trailingZeros = (x: number): number => 31 - Math.clz32(x & -x)

const mostLevels = 65_536
const aFew = 1024
const leastDistinct = 16 // a few numbers may lie on a grid by the way they were made

/**
 * The step of an even grid that all values lie on, such as those of a message quantised to 8 bits; undefined where there is
 * none, or where it would have more than 65,536 levels and is only the format of the numbers.
 */
export function gridStep(values: Float64Array): number | undefined {
  const { min, max } = rangeOf(values)
  // A few of the values are enough to see that there is none: all of them lie no farther apart.
  if (values.length > aFew && !(levelsOf(values.subarray(0, aFew), max - min) < mostLevels)) return undefined
  const sorted = values.slice().sort()
  const distinct = sorted.filter((x, i) => i === 0 || x !== sorted[i - 1])
  if (distinct.length < leastDistinct) return undefined
  const levels = levelsOf(distinct, max - min)
  if (!(levels < mostLevels)) return undefined
  const even = (max - min) / levels // nearer to the truth than one difference
  const off = distinct.some((x) => Math.abs((x - min) / even - Math.round((x - min) / even)) > 1e-6 * Math.sqrt(levels))
  return off ? undefined : even
}

/** How often the least difference of two values fits into a range; 0 where all are the same. */
function levelsOf(values: Float64Array, range: number): number {
  const sorted = values.slice().sort()
  let step = Number.POSITIVE_INFINITY
  for (let i = 1; i < sorted.length; i++) {
    const apart = sorted[i]! - sorted[i - 1]!
    if (apart > 0) step = Math.min(step, apart)
  }
  return Math.round(range / step)
}
