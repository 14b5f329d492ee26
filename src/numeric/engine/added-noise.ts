/** Normal noise on values in kernel memory, and masks of dropout there (wasm/noise.ts), with the bits of the stream's own draws. */
import type { Rng } from '../random/rng.js'
import type { Buffer, Engine } from './engine.js'
import type { Precision } from './kernels.js'
import { streamBytes, streamInto } from './sampler-kernels.js'

const rooms = new WeakMap<Engine, Buffer>()

interface Values {
  readonly precision: Precision
  readonly address: number
  readonly d: number
}

/** Where the stream lies in kernel memory, at its beginning; scratch memory comes after it. */
function placed(engine: Engine, stream: Rng): number {
  const room = rooms.get(engine) ?? engine.allocate(streamBytes + engine.draws.noiseRoom())
  rooms.set(engine, room)
  streamInto(engine.viewInts(room.address, streamBytes / 4), stream.address())
  return room.address
}

/**
 * values += std z in kernel memory. In doubles z are the first normal numbers of a stream that nothing was drawn from; in
 * singles those of `quickNormals`, with the resolution of a single and in a tenth of the time.
 */
export function addNoise(
  engine: Engine,
  { precision, address, d }: Values,
  { stream, std }: { readonly stream: Rng; readonly std: number },
): void {
  const { draws } = engine
  const at = placed(engine, stream)
  const add = precision === 'f32' ? draws.quickNoise : draws.noise64
  add(address, d, at, std, at + streamBytes)
}

/** 0 with probability `rate`, else 1 / (1 - rate): by the first uniform numbers of a stream that nothing was drawn from. */
export function drawMask(
  engine: Engine,
  { precision, address, d }: Values,
  { stream, rate }: { readonly stream: Rng; readonly rate: number },
): void {
  const { draws } = engine
  const at = placed(engine, stream)
  const fill = precision === 'f32' ? draws.mask32 : draws.mask64
  fill(address, d, at, rate, 1 / (1 - rate), at + streamBytes)
}
