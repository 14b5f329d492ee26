/** What a standardised encoding betrays of how common each value is. */
import { rangeOf, totalOf } from '../../numeric/special/summaries.js'

/**
 * A dummy standardised by its own mean and deviation is -p/s and (1-p)/s, so that their product is -1 and
 * p = -v0 / (v1 - v0). Undefined when the encoding holds no such thing, as with plain zeros and ones.
 */
export function impliedShares(values: readonly (readonly number[])[]): number[] | undefined {
  const columns = values[0]!.map((_, c) => columnShare(values.map((row) => row[c]!)))
  if (columns.some((share) => share === undefined)) return undefined
  const shares = values.map((row) => {
    const on = row.findIndex((v) => v > 0)
    return on < 0 ? 0 : columns[on]!
  })
  const without = values.findIndex((row) => row.every((v) => v < 0)) // the level that was dropped
  const rest = 1 - totalOf(shares)
  if (without >= 0) shares[without] = rest
  else if (Math.abs(rest) > 1e-3) return undefined
  return shares.every((p) => p > 0 && p < 1) ? shares : undefined
}

/** The share of the records at which a standardised dummy is on. */
function columnShare(column: readonly number[]): number | undefined {
  const { min: low, max: high } = rangeOf(column)
  const isDummy = column.every((v) => v === low || v === high) && column.filter((v) => v === high).length === 1
  return isDummy && Math.abs(low * high + 1) < 0.02 ? -low / (high - low) : undefined // some divide by n - 1
}
