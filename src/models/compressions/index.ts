/** The table of compressions, one line each. */
import { chosen, table } from '../../registry.js'
import { clipped } from './clipped.js'
import type { Compression } from './compression.js'
import { none } from './none.js'
import { quantised } from './quantised.js'
import { topK } from './top-k.js'

export const compressions = table('compression', [none, topK, quantised, clipped])

/** A function that shortens changes; undefined where they are sent as they are. */
export function compressorOf(spec: {
  readonly name: string
  readonly [param: string]: unknown
}): ((change: Float64Array) => Float64Array) | undefined {
  const { entry, values } = chosen<Compression>(compressions, spec)
  return entry.compress && ((change) => entry.compress!(change, values))
}
