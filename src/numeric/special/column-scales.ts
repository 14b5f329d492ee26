/** Where columns lie and how far they spread, summed in row order so that the bits are the same everywhere. */
import { meanOf, rangeOf, squaresAbout } from './summaries.js'

export type Scaling = 'none' | 'standardise' | 'min-max'

export interface ColumnScale {
  readonly shift: number
  readonly scale: number
  readonly min: number
  readonly max: number
}

/** `standardise`: mean and deviation (over n, not n - 1). A constant column is only shifted: its scale is 1. */
export function columnScales(columns: readonly Float64Array[], scaling: Scaling): ColumnScale[] {
  return columns.map((values) => {
    const { min, max } = rangeOf(values)
    if (scaling === 'none') return { shift: 0, scale: 1, min, max }
    if (min === max) return { shift: min, scale: 1, min, max }
    if (scaling === 'min-max') return { shift: min, scale: max - min, min, max }
    const mean = meanOf(values)
    return { shift: mean, scale: Math.sqrt(squaresAbout(values, mean) / values.length), min, max }
  })
}
