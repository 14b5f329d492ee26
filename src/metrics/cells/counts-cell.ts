/** How many records there are of each class or metaclass, graded on any rows. */
import type { MetaclassCountsClaim } from '../../attacks/claim.js'
import { totalOf } from '../../numeric/special/summaries.js'
import { successRate } from '../counts-score.js'
import { type Asked, needed } from '../grading.js'
import { finiteNumbers, meanAbsoluteError, places } from '../number-lists.js'
import { requireColumn } from './claimed-clusters.js'
import type { Gradable } from './gradable.js'
import { trueLabels } from './labels-cell.js'

type Counted = Pick<MetaclassCountsClaim, 'values' | 'clusters'>

export function metaclassCountsCell({ values, clusters }: Counted, asked: Asked): Gradable {
  requireColumn({ ...(clusters && { clusters }) })
  const [column] = needed(['records.metaclass', asked.table.metaclasses])
  const count = asked.known.metaclasses?.length ?? values.length
  return countsCell(finiteNumbers(values, 'values', count), places(column, 'metaclass of the records', count))
}

export function labelCountsCell({ counts }: { readonly counts: ArrayLike<number> }, asked: Asked): Gradable {
  const count = asked.known.classes ?? counts.length
  return countsCell(finiteNumbers(counts, 'counts', count), places(trueLabels(asked), 'label of the records', count))
}

/** Claimed counts that sum to another number than there are rows are scaled: the claim may be of a smaller batch. */
function countsCell(claimed: Float64Array, truth: Int32Array): Gradable {
  const total = totalOf(claimed)
  const compared = (rows: ArrayLike<number>) => {
    const k = new Float64Array(claimed.length)
    for (let i = 0; i < rows.length; i++) k[truth[rows[i]!]!]! += 1
    const scale = total > 0 ? rows.length / total : 1
    return { k, named: scale === 1 ? claimed : claimed.map((x) => x * scale) }
  }
  return {
    metric: 'MAE',
    better: 'lower',
    best: 0,
    of: 'batch',
    on(rows) {
      if (rows.length === 0) return Number.NaN
      const { k, named } = compared(rows)
      return meanAbsoluteError(named, k)
    },
    also(rows) {
      if (rows.length === 0) return {}
      const { k, named } = compared(rows)
      return { ASR: successRate(named, k) }
    },
  }
}
