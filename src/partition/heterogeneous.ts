/** [aia] Alg. 5: two halves of clients in which a binary attribute and the label are linked in opposite ways. */
import { asWords, columnOf, levelsOf, numbersOf, takeRows, wordAt } from '../data/table.js'
import { OverhearError } from '../errors.js'
import { medianOf } from '../numeric/special/summaries.js'
import { number, text } from '../params.js'
import { clientCount, definePartition, type Rows, shuffled, slices } from './partition-entry.js'

/** The attribute as true and false a row of the table. */
function attributeOf({ source, rows }: Rows, asked: { attribute: string; value: string }): (row: number) => boolean {
  const name = asked.attribute === '' ? source.sensitive[0] : asked.attribute
  if (name === undefined) {
    throw new OverhearError(
      'E_INPUT',
      `dataset "${source.name}" has no sensitive attribute`,
      'set attribute to a column',
    )
  }
  const column = asWords(columnOf(source.table, name))
  const levels = levelsOf(columnOf(takeRows({ rows: source.table.rows, columns: [column] }, rows), name))
  const value = asked.value === '' ? levels[1] : asked.value
  if (levels.length !== 2 || value === undefined || !levels.includes(value)) {
    const found = `partition heterogeneous: "${name}" has the values ${levels.join(', ')}`
    throw new OverhearError('E_VALUE', found, 'it needs two, and value one of them')
  }
  return (row) => wordAt(column, row) === value
}

export const heterogeneous = definePartition({
  id: 'heterogeneous',
  title: 'attribute and label linked in opposite ways in two halves of the clients',
  paper: 'aia',
  params: {
    clients: clientCount(10),
    heterogeneity: number({ default: 0.4, min: 0, max: 0.5, doc: 'h: 0 mixes the two halves, 0.5 keeps them apart' }),
    attribute: text({ default: '', doc: 'a column of two values; unless told, the first sensitive one' }),
    value: text({ default: '', doc: 'the value that goes with high labels in the last half; unless told, the second' }),
  },
  deal: (input, { clients, heterogeneity: h, attribute, value }) => {
    const { source, rows, rng } = input
    if (clients < 2) {
      throw new OverhearError('E_VALUE', `partition heterogeneous: ${clients} client`, 'at least two are needed')
    }
    const has = attributeOf(input, { attribute, value })
    const y = numbersOf(source.table, source.label.column)
    const median = medianOf(Float64Array.from(rows, (row) => y[row]!))
    const inHigh = (row: number): boolean => has(row) === y[row]! > median
    const high = shuffled(rows.filter(inHigh), rng.fork('high'))
    const low = shuffled(
      rows.filter((row) => !inHigh(row)),
      rng.fork('low'),
    )
    // Lines 4-10. The order is random: the first k are the sample, the first of these the ones that change sides.
    const k = Math.min(high.length, low.length)
    const swapped = Math.round((0.5 - h) * k)
    const mixed = (own: Int32Array, other: Int32Array, way: string): Int32Array => {
      const half = new Int32Array(k)
      half.set(other.subarray(0, swapped))
      half.set(own.subarray(swapped, k), swapped)
      return shuffled(half, rng.fork(way))
    }
    // Lines 11-12.
    return {
      clients: [
        ...slices(mixed(low, high, 'low half'), Math.ceil(clients / 2)),
        ...slices(mixed(high, low, 'high half'), Math.floor(clients / 2)),
      ],
    }
  },
})
