/** Batches that differ in size from step to step: few programs serve all, with room for more records than most batches have. */
import type { Engine } from '../numeric/engine/engine.js'
import type { Precision } from '../numeric/engine/kernels.js'
import type { Program } from '../numeric/engine/program.js'
import type { Privacy } from './private-step.js'

/** Poisson batches do, but where every record is in all of them. */
export const isRoomy = (privacy: Privacy | undefined): boolean =>
  privacy?.sampleRate !== undefined && privacy.sampleRate < 1

/** The places of a batch's program: eight sizes between a power of two and the next. */
export function placesFor(rows: number): number {
  const step = 1 << Math.max(0, 28 - Math.clz32(rows))
  return step * Math.ceil(rows / step)
}

/** The same where there is room; an empty batch needs no program. */
export const placesIn = ({ roomy }: { readonly roomy: boolean }, rows: Int32Array): number =>
  roomy && rows.length > 0 ? placesFor(rows.length) : rows.length

interface Seating {
  readonly program: Program
  readonly places: number
  readonly roomy: boolean
  readonly engine: Engine
  readonly precision: Precision
}

/** The batch with its first record in every place that is left; "taken" says that it does not count there. */
export function seated(rows: Int32Array, { program, places, roomy, engine, precision }: Seating): Int32Array {
  if (!roomy) return rows
  engine.view(precision, program.buffer('taken').address, places).fill(1, 0, rows.length).fill(0, rows.length)
  if (places === rows.length) return rows
  const all = new Int32Array(places).fill(rows[0]!)
  all.set(rows)
  return all
}
