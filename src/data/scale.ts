/** Where columns lie and how far they spread, summed in row order so that the bits are the same everywhere. */

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
    let min = Number.POSITIVE_INFINITY
    let max = Number.NEGATIVE_INFINITY
    for (const x of values) {
      min = Math.min(min, x)
      max = Math.max(max, x)
    }
    if (scaling === 'none') return { shift: 0, scale: 1, min, max }
    if (min === max) return { shift: min, scale: 1, min, max }
    if (scaling === 'min-max') return { shift: min, scale: max - min, min, max }
    const mean = meanOf(values)
    return { shift: mean, scale: Math.sqrt(meanOf(values.map((x) => (x - mean) * (x - mean)))), min, max }
  })
}

export function meanOf(values: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]!
  return sum / values.length
}

/** The middle value, or the mean of the two in the middle. */
export function medianOf(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort()
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
}
