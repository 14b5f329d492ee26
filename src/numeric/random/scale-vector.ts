/** A vector that an update is multiplied with, described by three numbers: whoever knows them knows the vector. */
import { rng } from './rng.js'

export interface ScaleVector {
  /** What some coordinates are multiplied with; the others stay as they are. */
  readonly factor: number
  /** Which share of the coordinates that is, rounded up. */
  readonly part: number
  /** Which coordinates these are: another number, others. */
  readonly key: number
}

export const usualScale: ScaleVector = { factor: 3, part: 0.5, key: 0 }

/** Ones, and `factor` at coordinates that depend on nothing but the length, `part` and `key`. */
export function scaleVector(length: number, { factor, part, key }: ScaleVector): Float64Array {
  const vector = new Float64Array(length).fill(1)
  for (const j of rng('scale vector')
    .fork(key)
    .sample(length, Math.ceil(part * length)))
    vector[j] = factor
  return vector
}
