/** Claims about groups that an attack made itself are graded against the same groups of the truth, not against a column's. */
import type { Clusters } from '../../attacks/claim.js'
import type { Matrix } from '../../numeric/linalg/matrix.js'
import type { Table } from '../../transcript/encoded-table.js'
import { type Asked, lacks } from '../grading.js'

/** Truth and auxiliary data with every record in the group of its nearest centre; as they are for a column's groups. */
export function inClaimedGroups({ clusters }: { readonly clusters?: Clusters }, asked: Asked): Asked {
  if (clusters === undefined) return asked
  const { table, known } = asked
  const grouped = (one: Table): Table => ({ ...one, metaclasses: nearest(one.features, clusters) })
  const { metaclasses: _, auxiliary, ...rest } = known
  return { table: grouped(table), known: { ...rest, auxiliary: auxiliary && grouped(auxiliary) } }
}

/** Where guesses stand beside a claim that are about the column's groups, a claim about others has no place. */
export function requireColumn({ clusters }: { readonly clusters?: Clusters }): void {
  if (clusters !== undefined) lacks('a claim about the metaclasses of the column')
}

function nearest({ rows, cols, data }: Matrix, { centres, scales }: Clusters): Float64Array {
  if (centres.some((centre) => centre.length !== cols)) lacks('records with the columns that were clustered')
  return Float64Array.from({ length: rows }, (_, i) => {
    let [best, least] = [0, Number.POSITIVE_INFINITY]
    for (const [c, centre] of centres.entries()) {
      let distance = 0
      for (let j = 0; j < cols; j++) {
        const off = (data[i * cols + j]! - centre[j]!) / scales[j]!
        distance += off * off
      }
      if (distance < least) [best, least] = [c, distance]
    }
    return best
  })
}
