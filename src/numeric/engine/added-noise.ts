/** Normal noise on values in kernel memory (wasm/noise.ts), with the bits of the stream's own draws. */
import type { Rng } from '../random/rng.js'
import type { Buffer, Engine } from './engine.js'
import type { Precision } from './kernels.js'
import { streamBytes, streamInto } from './sampler-kernels.js'

const rooms = new WeakMap<Engine, Buffer>()

/** values += std z in kernel memory, z the first normal numbers of a stream that nothing was drawn from. */
export function addNoise(
  engine: Engine,
  values: { readonly precision: Precision; readonly address: number; readonly d: number },
  { stream, std }: { readonly stream: Rng; readonly std: number },
): void {
  const { draws } = engine
  const room = rooms.get(engine) ?? engine.allocate(streamBytes + draws.noiseRoom())
  rooms.set(engine, room)
  streamInto(engine.viewInts(room.address, streamBytes / 4), stream.address())
  const add = values.precision === 'f32' ? draws.noise32 : draws.noise64
  add(values.address, values.d, room.address, std, room.address + streamBytes)
}
