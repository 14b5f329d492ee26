/** The label of one record, the mean label of a batch and those of its metaclasses, graded on any rows. */
import type { MetaclassMeansClaim } from '../../attacks/claim.js'
import { OverhearError } from '../../errors.js'
import { meanPerRecord } from '../../numeric/special/summaries.js'
import { type Asked, needed } from '../grading.js'
import { finiteNumbers, places } from '../number-lists.js'
import { requireColumn } from './claimed-clusters.js'
import { type Gradable, meanOn } from './gradable.js'
import { trueLabels } from './labels-cell.js'

const error = { metric: 'MAE', better: 'lower', best: 0, of: 'batch' } as const

/** |value - mean label of the rows|; of a single label there is one row. */
export function meanCell({ value }: { readonly value: number }, asked: Asked): Gradable {
  finiteNumbers([value], 'value')
  const labels = recordLabels(asked)
  return { ...error, on: (rows) => Math.abs(value - meanOn(labels, rows)) }
}

/** Over the metaclasses that occur among the rows and of which something is claimed. */
export function metaclassMeansCell(claim: Pick<MetaclassMeansClaim, 'values' | 'clusters'>, asked: Asked): Gradable {
  requireColumn(claim)
  const { table, known } = asked
  const labels = recordLabels(asked)
  const [column] = needed(['records.metaclass', table.metaclasses])
  const count = known.metaclasses?.length ?? claim.values.length
  if (claim.values.length !== count) {
    throw new OverhearError('E_SHAPE', `values holds ${claim.values.length} means`, `there are ${count} metaclasses`)
  }
  const values = Float64Array.from(claim.values)
  const infinite = values.findIndex((x) => !Number.isFinite(x) && !Number.isNaN(x))
  if (infinite >= 0) throw new OverhearError('E_NON_FINITE', `values[${infinite}] is ${values[infinite]}`)
  const groups = places(column, 'metaclass of the records', count)
  const meansOn = (rows: ArrayLike<number>) => {
    const [sums, counts] = [new Float64Array(count), new Float64Array(count)]
    for (let i = 0; i < rows.length; i++) {
      sums[groups[rows[i]!]!]! += labels[rows[i]!]!
      counts[groups[rows[i]!]!]! += 1
    }
    let [sum, claimed, present] = [0, 0, 0]
    for (let c = 0; c < count; c++) {
      if (counts[c] === 0) continue
      present++
      if (Number.isNaN(values[c])) continue
      sum += Math.abs(values[c]! - sums[c]! / counts[c]!)
      claimed++
    }
    return { value: sum / claimed, present, claimed }
  }
  return {
    ...error,
    on: (rows) => meansOn(rows).value,
    also: (rows) => {
      const { present, claimed } = meansOn(rows)
      return { present, claimed }
    },
  }
}

const recordLabels = (asked: Asked): Float64Array => meanPerRecord(trueLabels(asked), asked.table.features.rows)
