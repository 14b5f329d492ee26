/** A finding with the place in its file. */
import type { Finding } from './rule.js'

export interface PlacedFinding extends Finding {
  /** Keys from the top of the file. */
  readonly path: readonly (string | number)[]
  /** From 1. */
  readonly line: number
}
