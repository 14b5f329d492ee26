/** The compiled kernels of a sampler: chains that draw for themselves (wasm/gibbs.ts), and their draws (wasm/philox.ts). */
type Address = number

/** A chain lies in kernel memory as `Walk` of wasm/gibbs.ts has it. */
export interface GibbsKernels {
  /** Computes what the chain keeps of each round anew. */
  settle(walk: Address): void
  /** Sweeps from <= s < to of a run, of which the first `forget` only cool the chain down. */
  run(walk: Address, from: number, to: number, forget: number): void
}

/** n draws of a stream, which lies in kernel memory as `Stream` of wasm/philox.ts has it, and is moved on. */
export interface DrawKernels {
  normals(to: Address, n: number, stream: Address): void
  gammas(to: Address, n: number, stream: Address, shape: number): void
  /** Words of 32 bits. */
  integers(to: Address, n: number, stream: Address, bound: number): void
  /** Bytes of scratch memory of the next four. */
  noiseRoom(): number
  /** std times the first n of `quickNormals`, added to n singles (wasm/quick-normals.ts). */
  quickNoise(to: Address, n: number, stream: Address, std: number, scratch: Address): void
  /** std times the first n normal numbers of a stream, added to n doubles; several at a time (wasm/noise.ts). */
  noise64(to: Address, n: number, stream: Address, std: number, scratch: Address): void
  /** 0 where one of the first n uniform numbers of a stream is below `rate`, else `kept`. */
  mask32(to: Address, n: number, stream: Address, rate: number, kept: number, scratch: Address): void
  mask64(to: Address, n: number, stream: Address, rate: number, kept: number, scratch: Address): void
}

/** Bytes of a stream in kernel memory. */
export const streamBytes = 48

/** A stream of such an address, at its beginning. */
export function streamInto(words: Int32Array, address: Uint32Array): void {
  words.fill(0)
  words.set(address)
  words[6] = 4 // no word of a block is left
}
