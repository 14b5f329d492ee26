/** The updates that a detector is trained on: standardised, and made again when they do not all fit in memory. */
import { OverhearError } from '../../errors.js'
import type { RowSource, Rows } from './gram.js'

export interface TrainingRows extends RowSource {
  readonly mean: Float64Array
  /** What a coordinate was divided by. */
  readonly scale: Float64Array
}

export interface TrainingRowsOptions {
  readonly count: number
  /** The least deviation of a coordinate, as a share of the mean deviation. */
  readonly floor: number
  /** Bytes of updates that are kept at once. */
  readonly maxBytes: number
}

/** `update(k)` gives the same numbers whenever it is asked. Mean and deviation are those of the first block. */
export function trainingRows(
  update: (k: number) => Float64Array,
  { count, floor, maxBytes }: TrainingRowsOptions,
): TrainingRows {
  const first = update(0)
  const z = first.length
  const blockRows = Math.min(count, Math.max(2, Math.floor(maxBytes / (4 * z))))
  const raw = (start: number): Rows => {
    const rows = Math.min(blockRows, count - start)
    const data = new Float32Array(rows * z)
    for (let k = 0; k < rows; k++) data.set(start + k === 0 ? first : update(start + k), k * z)
    return { count: rows, length: z, data }
  }
  let held: { readonly start: number; readonly rows: Rows } = { start: 0, rows: raw(0) }
  const { mean, scale } = momentsOf(held.rows, floor)
  standardise(held.rows, { mean, scale })
  return {
    ...{ count, blockRows, mean, scale },
    read(start) {
      if (held.start === start) return held.rows
      const rows = raw(start)
      standardise(rows, { mean, scale })
      // The newest block stays: with one block it is never made twice.
      held = { start, rows }
      return rows
    },
  }
}

/**
 * The floor keeps coordinates that hardly vary among few examples from ruling the feature: without it one of them can
 * weigh more than all others together.
 */
function momentsOf({ count, length: z, data }: Rows, floor: number): { mean: Float64Array; scale: Float64Array } {
  const mean = new Float64Array(z)
  const scale = new Float64Array(z)
  for (let k = 0; k < count; k++) for (let j = 0; j < z; j++) mean[j]! += data[k * z + j]! / count
  for (let k = 0; k < count; k++) {
    for (let j = 0; j < z; j++) {
      const e = data[k * z + j]! - mean[j]!
      scale[j]! += e * e
    }
  }
  let total = 0
  for (let j = 0; j < z; j++) {
    scale[j] = Math.sqrt(scale[j]! / (count - 1))
    total += scale[j]!
  }
  if (!(total > 0)) throw new OverhearError('E_VALUE', 'all simulated updates are equal', 'there is nothing to learn')
  const least = Math.max((floor * total) / z, Number.MIN_VALUE)
  for (let j = 0; j < z; j++) scale[j] = Math.max(scale[j]!, least)
  return { mean, scale }
}

function standardise({ count, length: z, data }: Rows, by: { mean: Float64Array; scale: Float64Array }): void {
  for (let k = 0; k < count; k++) {
    for (let j = 0; j < z; j++) data[k * z + j] = (data[k * z + j]! - by.mean[j]!) / by.scale[j]!
  }
}
