/** Which level of a sensitive attribute encoded columns hold. */
import { OverhearError } from '../errors.js'
import type { Table } from '../transcript/encoded-table.js'
import type { Sensitive } from '../transcript/knowledge-file.js'

/** Places of the attribute's columns; undefined when the table lacks one, or an entry is empty. */
export function columnsOfAttribute({ columns, features }: Table, sensitive: Sensitive): number[] | undefined {
  const found = sensitive.columns.map((name) => columns.indexOf(name))
  if (found.includes(-1)) return undefined
  const { rows, cols, data } = features
  for (let i = 0; i < rows; i++) for (const j of found) if (!Number.isFinite(data[i * cols + j])) return undefined
  return found
}

/** The level of each record: the one whose encoded values are nearest, the first of equals. */
export function levelsOf(
  { features: { rows, cols, data } }: Table,
  columns: readonly number[],
  values: readonly (readonly number[])[],
): Int32Array {
  return Int32Array.from({ length: rows }, (_, i) => {
    let [best, least] = [-1, Number.POSITIVE_INFINITY]
    values.forEach((encoded, level) => {
      const distanceSq = columns.reduce((sum, j, c) => {
        const off = data[i * cols + j]! - encoded[c]!
        return sum + off * off
      }, 0)
      if (distanceSq < least) [best, least] = [level, distanceSq]
    })
    if (best < 0) throw new OverhearError('E_NON_FINITE', `record ${i} lies infinitely far from every level`)
    return best
  })
}
