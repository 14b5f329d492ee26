/** How often classes occur, by auxiliary data or, without them, all alike. */
import type { Known } from './grading.js'
import { places, tally } from './number-lists.js'

export interface Proportions {
  readonly pi: Float64Array
  /** "auxiliary proportions", or "uniform proportions, as there are no auxiliary ones". */
  readonly words: string
}

export function proportionsOf({ auxiliary }: Known, of: 'labels' | 'metaclasses', count: number): Proportions {
  const column = auxiliary?.[of]
  if (column === undefined || column.length === 0) {
    const words = 'uniform proportions, as there are no auxiliary ones'
    return { pi: new Float64Array(count).fill(1 / count), words }
  }
  const counts = tally(places(column, `auxiliary ${of}`, count), count)
  return { pi: counts.map((k) => k / column.length), words: 'auxiliary proportions' }
}
