/** Randomness with an address: streams found by seed and path, and the draws that the package needs. */
import { OverhearError } from '../../errors.js'
import { exp, log, log1p } from '../special/elementary-functions.js'
import { normalQuantile } from '../special/normal-quantile.js'
import { checkCount, checkedNormal, checkPositive, type NormalOptions } from './draw-checks.js'
import { fillBlocks, fillFirst } from './philox.js'
import { addressBelow, type PathElement, rootAddress, type StreamAddress } from './stream-address.js'

/** One stream of draws. Only its own draws move it on; forks neither move it nor feel it. */
export interface Rng {
  /** The stream at `path` below this one, from its beginning: a function of the address alone. */
  fork(...path: PathElement[]): Rng
  /** A 32-bit word. */
  u32(): number
  /** Uniform on the open interval (0, 1): an odd multiple of 2^-53. */
  uniform(): number
  /** Uniform on 0 .. bound - 1, without bias; bound at most 2^32. */
  integer(bound: number): number
  normal(options?: NormalOptions): number
  lognormal(options: { readonly logMean: number; readonly logStd: number }): number
  /** Location 0, scale 1. */
  gumbel(): number
  /** Rate 1. */
  exponential(): number
  /** Scale 1. Tiny shapes draw values below the smallest double, which come out as 0. */
  gamma(shape: number): number
  /** An index, with probability in proportion to its weight. */
  categorical(weights: ArrayLike<number>): number
  /** Shares that sum to 1. */
  dirichlet(concentrations: ArrayLike<number>): Float64Array
  /** 0 .. n - 1 in random order. */
  permutation(n: number): Int32Array
  /** k of 0 .. n - 1, none twice, in random order: the first k of `permutation(n)`, in O(k). */
  sample(n: number, k: number): Int32Array
  /** What n calls of `uniform` give. */
  uniforms(n: number): Float64Array
  /** What n calls of `normal` give. */
  normals(n: number, options?: NormalOptions): Float64Array
  /** Its address, for a kernel that draws in its place from the beginning on: nothing else may be drawn from it. */
  address(): StreamAddress
}

/** The stream of a seed. */
export const rng = (seed: number | string): Rng => new Stream(addressBelow(rootAddress, [seed]))
/** The stream at an address, from its beginning. */
export const streamAt = (address: StreamAddress): Rng => new Stream(address.slice())

const TWO_32 = 4294967296
const SMALLEST_CONCENTRATION = 1e-300 // below, log(u) / concentration overflows
const BLOCKS_AHEAD = 16
/** A stream of so many blocks is a long one. */
const LONG_AFTER = 65
const LONG_AHEAD = 128
/** Below, a word times the bound is exact in a double. */
const EXACT_BOUND = 2097152
const NO_WORDS = new Uint32Array(0)
/** For draws of a known number at once: nothing is kept in it. */
let scratch = new Uint32Array(256)
/** Draws that are made in it at most. */
const MOST_AT_ONCE = 65536

class Stream implements Rng {
  readonly #address: StreamAddress
  #words = NO_WORDS
  #at = 0
  #nextBlock = 0
  /** Words of the next block that are drawn already. */
  #drawn = 0

  constructor(address: StreamAddress) {
    this.#address = address
  }

  fork(...path: PathElement[]): Rng {
    if (path.length === 0) {
      throw new OverhearError('E_INPUT', 'fork was given an empty path', 'a copy would repeat the draws of its parent')
    }
    return new Stream(addressBelow(this.#address, path))
  }

  address(): StreamAddress {
    return this.#address.slice()
  }

  u32(): number {
    if (this.#at === this.#words.length) this.#refill()
    return this.#words[this.#at++]!
  }

  /** One block for the first draws, as most streams are short; then several at once. How many changes no draw. */
  #refill(): void {
    const block = this.#nextBlock
    const ahead = block === 0 ? 1 : block < LONG_AFTER ? BLOCKS_AHEAD : LONG_AHEAD
    if (this.#words.length !== 4 * ahead) this.#words = new Uint32Array(4 * ahead)
    const [key0, key1, high0, high1] = this.#address
    fillBlocks(this.#words, key0!, key1!, block % TWO_32, Math.floor(block / TWO_32), high0!, high1!)
    this.#nextBlock = block + ahead
    this.#at = this.#drawn
    this.#drawn = 0
  }

  /** The first `count` words of a stream that nothing was drawn from, at the front of `scratch`; they count as drawn. */
  #firstWords(count: number): Uint32Array {
    const blocks = (count + 3) >>> 2
    if (scratch.length < 4 * blocks) scratch = new Uint32Array(8 * blocks)
    const [key0, key1, high0, high1] = this.#address
    fillFirst(scratch, 4 * blocks, key0!, key1!, high0!, high1!)
    this.#nextBlock = count >>> 2
    this.#drawn = count & 3
    return scratch
  }

  // 52 random bits and a half: with 53 the largest would round to 1.
  uniform(): number {
    const high = this.u32()
    const low = this.u32()
    return (high * 1048576 + (low >>> 12) + 0.5) * Number.EPSILON
  }

  // [lemire2019] The high word of x * bound, after rejecting the low words that make some answers likelier.
  integer(bound: number): number {
    if (!(bound >= 1 && bound <= TWO_32 && Number.isInteger(bound))) {
      throw new OverhearError('E_VALUE', `integer was given the bound ${bound}`, 'an integer from 1 to 2^32 is needed')
    }
    return this.#below(bound)
  }

  #below(bound: number): number {
    const x = this.u32()
    const low = Math.imul(x, bound) >>> 0
    if (low < bound) return this.#belowAfter(x, low, bound)
    if (bound <= EXACT_BOUND) return Math.floor((x * bound) / TWO_32)
    return Math.round((x * bound - low) / TWO_32) // the product is rounded by less than 2^11
  }

  /** The same where the first word may have to be rejected. */
  #belowAfter(first: number, firstLow: number, bound: number): number {
    const rejected = (TWO_32 - bound) % bound // 2^32 mod bound
    let [x, low] = [first, firstLow]
    while (low < rejected) {
      x = this.u32()
      low = Math.imul(x, bound) >>> 0
    }
    return Math.round((x * bound - low) / TWO_32)
  }

  normal(options?: NormalOptions): number {
    const { mean, std } = checkedNormal(options)
    return mean + std * normalQuantile(this.uniform())
  }

  lognormal({ logMean, logStd }: { readonly logMean: number; readonly logStd: number }): number {
    return exp(this.normal({ mean: logMean, std: logStd }))
  }

  gumbel(): number {
    return -log(-log(this.uniform()))
  }

  exponential(): number {
    return -log(this.uniform())
  }

  gamma(shape: number): number {
    checkPositive(shape, 'gamma was given the shape')
    return shape < 1 ? exp(this.#logGamma(shape)) : this.#gammaFromOne(shape)
  }

  /** log of a gamma variate. Below shape 1: log G(a) = log G(a + 1) + log(U) / a, which cannot underflow. */
  #logGamma(a: number): number {
    return a < 1 ? log(this.#gammaFromOne(a + 1)) + log(this.uniform()) / a : log(this.#gammaFromOne(a))
  }

  /** [marsaglia2000] for shape a >= 1; log v and 1 - v are formed from t = c x, so that large shapes keep their digits. */
  #gammaFromOne(a: number): number {
    const d = a - 1 / 3
    const c = 1 / Math.sqrt(9 * d)
    for (;;) {
      const x = normalQuantile(this.uniform())
      const u = this.uniform()
      const t = c * x
      if (t <= -1) continue
      const v = (1 + t) * (1 + t) * (1 + t)
      const xx = x * x
      if (u < 1 - 0.0331 * xx * xx) return d * v
      if (log(u) < 0.5 * xx + d * (3 * log1p(t) - t * (3 + t * (3 + t)))) return d * v
    }
  }

  categorical(weights: ArrayLike<number>): number {
    let total = 0
    let last = -1 // of positive weight
    for (let i = 0; i < weights.length; i++) {
      const weight = weights[i]!
      if (!(weight >= 0 && weight < Number.POSITIVE_INFINITY)) {
        throw new OverhearError('E_VALUE', `categorical: weight ${i} is ${weight}`, 'weights are finite and at least 0')
      }
      if (weight > 0) last = i
      total += weight
    }
    if (!(total > 0 && total < Number.POSITIVE_INFINITY)) {
      const what = `categorical: ${weights.length} weights sum to ${total}`
      throw new OverhearError('E_VALUE', what, 'the sum must be positive and finite')
    }
    const x = this.uniform() * total
    let sum = 0
    for (let i = 0; i < last; i++) {
      sum += weights[i]!
      if (x < sum) return i
    }
    return last
  }

  dirichlet(concentrations: ArrayLike<number>): Float64Array {
    const n = concentrations.length
    if (n === 0) throw new OverhearError('E_SHAPE', 'dirichlet was given 0 concentrations', 'at least 1 is needed')
    for (let i = 0; i < n; i++) {
      checkPositive(concentrations[i]!, `dirichlet: concentration ${i} is`, SMALLEST_CONCENTRATION)
    }
    const shares = new Float64Array(n)
    let top = Number.NEGATIVE_INFINITY
    for (let i = 0; i < n; i++) {
      shares[i] = this.#logGamma(concentrations[i]!)
      top = Math.max(top, shares[i]!)
    }
    let total = 0
    for (let i = 0; i < n; i++) {
      shares[i] = exp(shares[i]! - top)
      total += shares[i]!
    }
    for (let i = 0; i < n; i++) shares[i]! /= total
    return shares
  }

  permutation(n: number): Int32Array {
    checkCount(n, 'permutation of')
    return this.sample(n, n)
  }

  // Fisher and Yates from the front: place i swaps with one of the places i .. n - 1.
  sample(n: number, k: number): Int32Array {
    checkCount(n, 'sample from')
    checkCount(k, `sample from ${n} of`, n)
    if (n <= 4 * k) {
      const places = new Int32Array(n)
      for (let i = 0; i < n; i++) places[i] = i
      for (let i = this.#shuffleFresh(places, k); i < k; i++) {
        const j = i + this.#below(n - i)
        const taken = places[j]!
        places[j] = places[i]!
        places[i] = taken
      }
      return k === n ? places : places.slice(0, k)
    }
    const moved = new Map<number, number>() // places that no longer hold their own number
    const taken = new Int32Array(k)
    for (let i = 0; i < k; i++) {
      const j = i + this.integer(n - i)
      taken[i] = moved.get(j) ?? j
      moved.set(j, moved.get(i) ?? i)
    }
    return taken
  }

  /** The first places of a shuffle, from words made all at once; gives how many. A word that may be rejected ends it. */
  #shuffleFresh(places: Int32Array, k: number): number {
    const n = places.length
    if (this.#nextBlock !== 0 || this.#drawn !== 0 || n > MOST_AT_ONCE) return 0
    const words = this.#firstWords(k)
    for (let i = 0; i < k; i++) {
      const bound = n - i
      const x = words[i]!
      if (Math.imul(x, bound) >>> 0 < bound) {
        this.#nextBlock = i >>> 2
        this.#drawn = i & 3
        return i
      }
      const j = i + Math.floor((x * bound) / TWO_32)
      const taken = places[j]!
      places[j] = places[i]!
      places[i] = taken
    }
    return k
  }

  uniforms(n: number): Float64Array {
    checkCount(n, 'uniforms:')
    const values = new Float64Array(n)
    for (let i = 0; i < n; i++) values[i] = this.uniform()
    return values
  }

  normals(n: number, options?: NormalOptions): Float64Array {
    checkCount(n, 'normals:')
    const { mean, std } = checkedNormal(options)
    const values = new Float64Array(n)
    for (let i = 0; i < n; i++) values[i] = mean + std * normalQuantile(this.uniform())
    return values
  }
}
